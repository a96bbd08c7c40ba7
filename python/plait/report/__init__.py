"""Answers and their renderings; nothing here knows how an answer was found."""
