"""Features of NuSMV that Plait does not support."""

from __future__ import annotations

from plait.errors import InputError


class Unsupported(InputError):  # noqa: N818 - a way out, not a failure
    """A property cannot be answered, and why; the rest of the text can."""
