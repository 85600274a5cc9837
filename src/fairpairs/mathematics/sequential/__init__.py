"""Tests that stay valid however often they are looked at."""
