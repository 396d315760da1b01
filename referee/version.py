"""The version of the installed program."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """The version of the installed distribution; `0+source` when run from a folder that was never installed."""
    try:
        return metadata.version("poedinok")
    except metadata.PackageNotFoundError:
        return "0+source"
