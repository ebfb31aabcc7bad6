"""The report on stores: what their rows say, as pages to look at."""
