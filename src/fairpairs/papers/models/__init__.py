"""Models. A model is built on the features of a data set and fitted on parts of it."""
