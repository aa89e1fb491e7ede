"""A version is told where it is known."""

from __future__ import annotations

from app.protocol.versions import package_version


def test_an_unknown_package_has_no_version() -> None:
    assert package_version("mlx")[0].isdigit()
    assert package_version("no-such-package-anywhere") == ""
