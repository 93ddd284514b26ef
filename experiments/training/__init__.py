"""What experiments that train share: methods, rows of runs and of times, and their tables."""
