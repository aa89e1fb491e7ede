"""`python -m app`: parse the options and hand over."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.launch.bundle_check import is_frozen
from app.launch.environment import allow_files, give_streams, seal
from app.launch.paths import Paths, guide_model, paths_in, usable
from app.protocol.reports import Problem


def program_version() -> str:
    """Return the version as it was installed, or as this checkout says."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("espalier")
    except PackageNotFoundError:
        from app import __version__

        return __version__


class ShowVersion(argparse.Action):
    """Print the version and leave. It is looked up only here: that takes longer than parsing all options."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        print(f"Espalier {program_version()}")  # noqa: T201
        parser.exit()


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """What was asked for on the command line; leaves with status 2 and a sentence when it makes no sense."""
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


def self_test(model: Path | None, data: Path | None, *, on_cpu: bool = False) -> int:
    """Check model and cache without a window, and the data folder where one is named. Returns the exit status."""
    from app.launch import selftest

    for problem in () if data is None else data_problems(paths_in(data.absolute())):
        print(f"{problem.title}. {problem.sentence}", file=sys.stderr)  # noqa: T201
    return selftest.run(str((model or guide_model()).expanduser().absolute()), on_cpu=on_cpu)


def data_problems(wanted: Paths) -> Iterator[Problem]:
    """What the window would say about this data folder, and go on in spite of."""
    from app.conversation.faults import StoreError
    from app.conversation.store import Store

    paths, problem = usable(wanted)
    if problem is not None:
        yield problem
    try:
        store = Store(paths.database)
    except StoreError as error:
        yield error.problem
        return
    if store.notice is not None:
        yield store.notice
    store.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """The program. Returns its exit status."""
    give_streams()
    if is_frozen():
        # A frozen program is its own Python: a helper process of the libraries begins here too, and ends in this call.
        import multiprocessing

        multiprocessing.freeze_support()
    seal()
    allow_files()
    asked = options(sys.argv[1:] if arguments is None else arguments)
    if asked.self_test:
        return self_test(asked.model, asked.data, on_cpu=asked.cpu)
    from app.launch.start import Asked, start

    return start(Asked(asked.model, asked.data, tuple(asked.documents)))


if __name__ == "__main__":
    sys.exit(main())
