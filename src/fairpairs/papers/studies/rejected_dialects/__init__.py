"""The paper on reward models and dialects."""
