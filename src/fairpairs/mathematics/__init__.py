"""The mathematics, on arrays: no files, no workflow, no papers."""

import lazy_loader

# what fairpairs.power has as attributes
__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["power"])
