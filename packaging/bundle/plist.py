"""Info.plist of Espalier.app: who the program is, what it opens, what it asks of the system."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

IDENTIFIER = "app.espalier.Espalier"
CONVERSATION = "app.espalier.conversation"
"""Identifier of the type that Espalier's own conversation files have."""
EXTENSION = "espalier"
CATEGORY = "public.app-category.productivity"
LOCAL_NETWORK = "Espalier talks with the servers of models that you have added, and no others."


def version(project: Path = ROOT / "pyproject.toml") -> str:
    """The program's version, as pyproject.toml says."""
    return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def info(minimum_system: str, said: str | None = None, document_icon: str = "") -> dict[str, Any]:
    """The values of Info.plist beside those that PyInstaller writes by itself.

    minimum_system: the oldest macOS that every library in the bundle runs on, like "15.0". said: the version.
    document_icon: file name of the icon of conversation files, "" when there is none. ValueError when a version is not
    of the form that macOS reads.
    """
    said = version() if said is None else said
    for number in (said, minimum_system):
        if not re.fullmatch(r"\d+(\.\d+){0,2}", number):
            raise ValueError(f"{number!r} is not one to three numbers with points between them")
    return {
        "CFBundleName": "Espalier",
        "CFBundleDisplayName": "Espalier",
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleShortVersionString": said,
        "CFBundleVersion": said,
        "LSApplicationCategoryType": CATEGORY,
        "LSMinimumSystemVersion": minimum_system,
        "LSArchitecturePriority": ["arm64"],
        "LSRequiresNativeExecution": True,
        "NSHighResolutionCapable": True,
        "NSPrincipalClass": "NSApplication",
        "NSRequiresAquaSystemAppearance": False,
        "NSLocalNetworkUsageDescription": LOCAL_NETWORK,
        "NSHumanReadableCopyright": "MIT licence",
        "CFBundleDocumentTypes": [_document_type(document_icon)],
        "UTExportedTypeDeclarations": [_exported_type(document_icon)],
    }


def _document_type(icon: str) -> dict[str, Any]:
    return {
        "CFBundleTypeName": "Espalier Conversation",
        "CFBundleTypeRole": "Editor",
        "LSHandlerRank": "Owner",
        "LSItemContentTypes": [CONVERSATION],
        **({"CFBundleTypeIconFile": icon} if icon else {}),
    }


def _exported_type(icon: str) -> dict[str, Any]:
    return {
        "UTTypeIdentifier": CONVERSATION,
        "UTTypeDescription": "Espalier Conversation",
        "UTTypeConformsTo": ["public.data", "public.content"],
        "UTTypeTagSpecification": {"public.filename-extension": [EXTENSION]},
        **({"UTTypeIconFile": icon} if icon else {}),
    }
