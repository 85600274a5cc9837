"""The paper on comparative separation."""
