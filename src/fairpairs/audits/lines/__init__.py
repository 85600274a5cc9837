"""The lines of every audit: how a result is shown, written, and given to a build server."""
