"""Benchmarks: each claim of speed has a table here, with the peer measured in the same run."""
