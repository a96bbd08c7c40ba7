"""The explorer, a web page to walk through a model; it contains no algorithms."""
