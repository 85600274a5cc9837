"""The paper on xAUC."""
