"""Questions that the paper leaves open, one file each."""
