"""The explorer: a model to walk through in a browser; no algorithms, only questions to others."""
