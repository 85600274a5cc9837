"""Two sets of decisions on different items, compared by a model as a bridge."""
