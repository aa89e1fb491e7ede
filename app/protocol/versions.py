"""The versions of installed packages."""

from __future__ import annotations


def package_version(name: str) -> str:
    """Return the version of an installed package, or "" where none is known."""
    from importlib.metadata import PackageNotFoundError, version  # 20 ms that no start has to wait for

    try:
        return version(name)
    except PackageNotFoundError:
        return ""
