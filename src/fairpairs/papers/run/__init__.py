"""From results to tables, figures, comparisons and the report."""
