"""Attention layers that store nothing per edge."""
