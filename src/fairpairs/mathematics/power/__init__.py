"""Power of the tests, and the number of items or judgments they need.

Everything starts from the probability of an item in each cell (a, y, c): group, label, prediction;
or, for scores, from a pilot.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
