"""What a few minutes can tell about a dataset: what its labels follow from, and what is worth
trying. Only training and validation rows take part, never the test rows."""
