"""The same models by fastgat, PyG and DGL, on the same data."""
