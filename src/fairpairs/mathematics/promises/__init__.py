"""One harness of promises: draw a world many times, run a test, and count what it gets wrong."""
