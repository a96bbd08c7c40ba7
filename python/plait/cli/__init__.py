"""The command line: arguments, progress, exit statuses; no algorithms."""
