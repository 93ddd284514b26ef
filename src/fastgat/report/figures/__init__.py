"""Figures: one per file, each a function from records to a picture as text."""
