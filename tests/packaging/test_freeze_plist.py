"""Info.plist: every value of the kind that macOS reads, and the version said in one place."""

from __future__ import annotations

import plistlib
import tomllib
from pathlib import Path
from typing import Any

import pytest
from bundle import plist

ROOT = Path(__file__).parents[2]


@pytest.fixture
def info() -> dict[str, Any]:
    """As a Mac reads it back from the file."""
    return plistlib.loads(plistlib.dumps(plist.info("15.0", document_icon="EspalierDocument.icns")))


def test_versions_are_the_projects(info: dict[str, Any]) -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert info["CFBundleShortVersionString"] == info["CFBundleVersion"] == said


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("NSHighResolutionCapable", True),
        ("NSRequiresAquaSystemAppearance", False),
        ("LSRequiresNativeExecution", True),
        ("LSMinimumSystemVersion", "15.0"),
        ("LSApplicationCategoryType", "public.app-category.productivity"),
        ("NSPrincipalClass", "NSApplication"),
        ("LSArchitecturePriority", ["arm64"]),
        ("NSLocalNetworkUsageDescription", plist.LOCAL_NETWORK),
    ],
)
def test_values(info: dict[str, Any], key: str, value: object) -> None:
    assert info[key] == value
    assert type(info[key]) is type(value)


def test_the_conversation_file_is_exported_and_opened(info: dict[str, Any]) -> None:
    (exported,) = info["UTExportedTypeDeclarations"]
    (opened,) = info["CFBundleDocumentTypes"]
    assert opened["LSItemContentTypes"] == [exported["UTTypeIdentifier"]]
    assert exported["UTTypeIdentifier"].startswith(plist.IDENTIFIER.rpartition(".")[0])
    assert exported["UTTypeTagSpecification"] == {"public.filename-extension": ["espalier"]}
    assert "public.data" in exported["UTTypeConformsTo"]
    assert exported["UTTypeIconFile"] == opened["CFBundleTypeIconFile"] == "EspalierDocument.icns"


def test_without_a_document_icon_none_is_named() -> None:
    text = plistlib.dumps(plist.info("14.4"))
    assert b"IconFile" not in text


@pytest.mark.parametrize("number", ["", "15.", "0.1.0rc1", "1.2.3.4", "v1"])
def test_a_version_that_macos_cannot_read_is_refused(number: str) -> None:
    with pytest.raises(ValueError, match="one to three numbers"):
        plist.info("15.0", said=number)
    with pytest.raises(ValueError, match="one to three numbers"):
        plist.info(number, said="1.0")
