"""`python -m app`: parse the options and hand over."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app import attaching, formulas, hub, rendering, tokenizing
from app.launch import imports
from app.launch.bundle_check import is_frozen
from app.launch.environment import allow_files, give_streams, seal
from app.launch.options import Options, parse_options
from app.launch.paths import Paths, guide_model, paths_in, usable
from app.protocol.reports import Problem

if TYPE_CHECKING:
    from app.launch.start import Launch


def self_test(model: Path | None, data: Path | None, *, on_cpu: bool = False) -> int:
    """Check model and cache without a window, and the data folder where one is named. Returns the exit status."""
    from app.launch import selftest

    for problem in () if data is None else data_problems(paths_in(data.absolute())):
        print(f"{problem.title}. {problem.sentence}", file=sys.stderr)
    return selftest.run(str((model or guide_model()).expanduser().absolute()), on_cpu=on_cpu)


def data_problems(wanted: Paths) -> Iterator[Problem]:
    """Yield what the window would say about this data folder, and go on in spite of."""
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


def run(launch: Launch, options: Options) -> int:
    """Build the window and run it. Returns the exit status."""
    imports.without_delay()
    # Here, because a start that fails before can be told without it, and one that fails in it too.
    from app import main

    return main.run(launch, options)


def own_process(arguments: Sequence[str]) -> Callable[[], int] | None:
    """Return what this process is for, where the program has started itself for some work of its own; else None."""
    if arguments == [attaching.FLAG]:
        from app.attaching import pdf_child

        return pdf_child.serve
    if arguments == [formulas.FLAG]:
        from app.formulas import child as formula_child

        return formula_child.serve
    if arguments == [hub.FLAG]:
        from app.hub import process

        return process.main
    if arguments == [rendering.FLAG]:
        from app.rendering import child

        return child.serve
    if arguments == [tokenizing.FLAG]:
        from app.tokenizing import child as tokenizer_child

        return tokenizer_child.serve
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program. Returns its exit status."""
    helper = own_process(sys.argv[1:])
    if helper is not None:
        return helper()
    give_streams()
    if is_frozen():
        # A frozen program is its own Python: a helper process of the libraries begins here too, and ends in this call.
        import multiprocessing

        multiprocessing.freeze_support()
    seal()
    allow_files()
    parsed = parse_options(sys.argv[1:] if arguments is None else arguments)
    if parsed.self_test:
        return self_test(parsed.model, parsed.data, on_cpu=parsed.cpu)
    from app.launch.start import start

    return start(Options(parsed.model, parsed.data, tuple(parsed.documents)), run)


if __name__ == "__main__":
    sys.exit(main())
