"""Tables that papers print, and the comparison of a run with them."""
