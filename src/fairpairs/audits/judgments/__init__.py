"""Scores audited by comparative judgments alone, without any label."""
