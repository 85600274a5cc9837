"""The papers: data, models, tests, published numbers, the plan of a run and its report."""
