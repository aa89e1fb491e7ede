"""The options of the command line, and their parser."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from app import __version__
from app.protocol.dataclass import dataclass
from app.protocol.versions import package_version


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one start of the program. documents: files and folders to open."""

    model: Path | None = None
    data: Path | None = None
    documents: tuple[Path, ...] = ()

    @property
    def paths_to_open(self) -> tuple[Path, ...]:
        """Return everything that is to be opened, as absolute paths."""
        named = () if self.model is None else (self.model,)
        return tuple(path.expanduser().absolute() for path in (*named, *self.documents))


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; leave with status 2 and a sentence when it makes no sense."""
    parser = argparse.ArgumentParser(
        prog="espalier", description="Conversations with a local language model that grow as a tree."
    )
    parser.add_argument("documents", nargs="*", type=Path, metavar="FILE", help="conversation or model folder to open")
    parser.add_argument("--model", type=Path, metavar="PATH", help="folder of the model to open")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where conversations and caches live")
    parser.add_argument("--self-test", action="store_true", help="check cache and model without a window")
    parser.add_argument("--cpu", action="store_true", help="with --self-test: compute on the CPU, not on the GPU")
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="show the version and leave")
    # Older versions of macOS give a program from the Finder its process serial number, "-psn_0_12345".
    return parser.parse_args([argument for argument in arguments if not argument.startswith("-psn_")])


def program_version() -> str:
    """Return the version as it was installed, or as this checkout says."""
    return package_version("espalier") or __version__


class ShowVersion(argparse.Action):
    """Action that prints the version and leaves. Looking it up, only here, takes longer than parsing all options."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        print(f"Espalier {program_version()}")
        parser.exit()
