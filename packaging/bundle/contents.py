"""What belongs into the frozen program: the modules, files and libraries that PyInstaller would miss, and those it
would bring along for nothing.

Nothing here imports PyInstaller, mlx or Qt: the lists are names, and the filters look at names only, so the same module
serves the freeze on Linux, the one on a Mac and the bundle that is put together from the wheels.

Properties:
* A module that some library imports by name is in the bundle, although no import statement leads to it.
* What is filtered out is never what the program asks for: `--self-test` of the frozen program imports all the rest.
"""

from __future__ import annotations

import py_compile
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
RESOURCES = ROOT / "resources"
ICON = RESOURCES / "icon" / "Espalier.icns"
DOCUMENT_ICON = RESOURCES / "icon" / "EspalierDocument.icns"
START = Path(__file__).with_name("start.py")
KERNELS = "mlx.metallib"
"""What mlx computes with on a Mac's GPU; not a library to the linker, so it is shipped as a file."""

NAMED_IN_CORE = ("mlx._reprlib_fix", "mlx.__array_api_info")
"""What mlx.core imports from its C++; without them it fails as soon as it is imported."""

NAMED_PACKAGES = ("mlx_lm.models", "mlx_lm.tool_parsers", "mlx_lm.chat_templates")
"""Packages whose modules mlx-lm imports by a name in a model's files; it says “not supported” when one is missing."""

EXCLUDED = (
    # What transformers and mlx-lm would use if they found it.
    *("torch", "torchvision", "torchaudio", "tensorflow", "jax", "flax", "keras", "accelerate", "datasets", "peft"),
    *("PIL", "scipy", "pandas", "sklearn", "matplotlib", "librosa", "cv2", "numba", "wandb", "modelscope", "hf_olmo"),
    # Command lines, servers and downloads: the program has a window, and a process of its own for downloads.
    *("typer", "rich", "shellingham", "markdown_it", "pygments", "hf_xet", "pydantic", "pydantic_core"),
    *("huggingface_hub.cli", "transformers.cli", "mlx_lm.server", "mlx_lm.lora", "mlx_lm.evaluate", "IPython"),
    # Tools that are installed beside the program to build and test it.
    *(
        "pytest",
        "_pytest",
        "pytestqt",
        "pytest_timeout",
        "pytest_xdist",
        "xdist",
        "execnet",
        "pluggy",
        "iniconfig",
        "mypy",
        "mypyc",
        "ast_serialize",
        "openai",
        "jiter",
    ),
    *("setuptools", "pkg_resources", "pip", "distutils", "tests", "numpy.tests", "numpy.f2py", "regex.tests"),
    *("tkinter", "_tkinter", "turtle", "idlelib", "lib2to3", "pydoc_data"),
    # Parts of Qt that no window of ours opens.
    *("PySide6.QtNetwork", "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtOpenGL"),
    *("PySide6.QtWebEngineCore", "PySide6.QtWebEngineWidgets", "PySide6.QtWebChannel", "PySide6.QtPdf"),
    *("PySide6.QtOpenGLWidgets", "PySide6.QtSql", "PySide6.QtTest", "PySide6.QtXml", "PySide6.QtConcurrent"),
)
"""Modules that are left out even where they are installed."""

WITH_FONTS = ("ziafont", "ziamath")
"""Packages that read fonts of their own beside their modules."""

_MODEL_CODE = (
    *("modeling_", "modular_", "processing_", "image_processing", "video_processing", "feature_extraction"),
    *("convert_", "generation_"),
)
"""Beginnings of file names in transformers/models that are of use with torch only."""

_READ_AS_SOURCE = frozenset({"models", "decision"})
"""Folders of transformers whose sources it reads to know what lies in them; all else is imported as byte code."""

_QT_PLUGINS = frozenset({"platforms", "styles", "iconengines", "imageformats", "platformthemes", "xcbglintegrations"})
_QT_PLUGINS_LEFT_OUT = frozenset(
    {
        *("qeglfs", "qlinuxfb", "qminimal", "qminimalegl", "qvkkhrdisplay", "qvnc", "qwayland", "qwindows"),
        *("qgtk3", "qpdf", "qtga", "qwbmp", "qtiff"),
    }
)
_FOREIGN = ("libcudart", "libcuda")
"""Libraries of the building machine that a mention of their name in some package would bring along."""

_FILES_LEFT_OUT = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "entry_points.txt")
"""Of a package's metadata: how it came onto the building machine."""

Entry = tuple[str, str, str]
"""As PyInstaller's lists have them: name in the bundle, path on this machine, kind."""


def modules_in(package: str, site: Path | None = None) -> list[str]:
    """The package and every module below it, sorted, as they lie on the disk; nothing is imported.

    site: folder of the installed packages, by default where this interpreter finds them. FileNotFoundError when the
    package is not there.
    """
    top = (site or site_packages(package)).joinpath(*package.split("."))
    if not top.is_dir():
        raise FileNotFoundError(f"there is no package {package} at {top}")
    files = (path.relative_to(top).with_suffix("").parts for path in top.rglob("*.py"))
    names = {".".join((package, *parts[: -1 if parts[-1] == "__init__" else None])) for parts in files}
    return sorted(names)


def site_packages(package: str) -> Path:
    """The folder that this package lies in. FileNotFoundError where it is not installed."""
    name = package.split(".")[0]
    for folder in sys.path:
        if (Path(folder) / name).is_dir():
            return Path(folder).resolve()
    raise FileNotFoundError(f"{name} is not installed")


def hidden_imports(site: Path | None = None) -> list[str]:
    """Modules that only a name leads to."""
    return [*NAMED_IN_CORE, *(name for package in NAMED_PACKAGES for name in modules_in(package, site))]


def excluded_modules(site: Path | None = None) -> list[str]:
    """What the analysis is not to follow: the modules left out, and transformers' model code, which needs torch."""
    return [*EXCLUDED, *(name for name in modules_in("transformers", site) if not keeps_module(name))]


def distributions(root: str = "espalier") -> list[str]:
    """Names of the root and of every distribution it needs to run on this system, sorted, what is excluded left out.

    Libraries ask the metadata of these for versions. PackageNotFoundError when one is not installed.
    """
    found: dict[str, None] = {}
    waiting = [(root, frozenset[str]())]
    while waiting:
        name, extras = waiting.pop()
        if canonicalize_name(name) in found and not extras:
            continue
        found[canonicalize_name(name)] = None
        for line in requires(name) or ():
            needed = Requirement(line)
            if _applies(needed, extras) and not _is_excluded(needed.name):
                waiting.append((needed.name, frozenset(needed.extras)))
    return sorted(name for name in found if distribution(name))


def _applies(needed: Requirement, extras: Iterable[str]) -> bool:
    return needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _is_excluded(name: str) -> bool:
    """Whether the distribution of this name holds an excluded module."""
    return {name, name.replace("-", "_"), name.replace("-", "_").lower()} & set(EXCLUDED) != set()


def metadata(root: str = "espalier") -> list[tuple[str, str]]:
    """(folder here, name in the bundle) of the metadata that is shipped."""
    folders = [_metadata_folder(name) for name in distributions(root)]
    return [(str(folder), folder.name) for folder in folders]


def _metadata_folder(name: str) -> Path:
    file = next((f for f in distribution(name).files or () if f.name == "METADATA"), None)
    if file is None:
        raise PackageNotFoundError(name)
    return Path(str(file.locate())).parent


def data_files() -> list[tuple[str, str]]:
    """(path here, folder in the bundle) of what is not code: the program's own resources, fonts, packages' metadata."""
    for_mac = [(str(_kernels()), "mlx/lib"), (str(DOCUMENT_ICON), ".")] if _kernels().is_file() else []
    return [(str(RESOURCES), "resources"), *for_mac, *fonts(), *metadata()]


def fonts(site: Path | None = None) -> list[tuple[str, str]]:
    """(path here, folder in the bundle) of the fonts that formulas are drawn with."""
    folders = [(name, (site or site_packages(name)) / name / "fonts") for name in WITH_FONTS]
    return [(str(file), f"{name}/fonts") for name, folder in folders for file in sorted(folder.glob("*.ttf"))]


def libraries_to_add() -> list[tuple[str, str]]:
    """(path here, folder in the bundle) of mlx's own libraries; not every one is linked to by another."""
    folder = site_packages("mlx") / "mlx" / "lib"
    return [(str(file), "mlx/lib") for file in sorted(folder.iterdir()) if file.suffix in {".dylib", ".so"}]


def links() -> list[Entry]:
    """Links inside the bundle. libmlx looks for its kernels beside the path it was loaded by, which is such a link."""
    return [(KERNELS, f"mlx/lib/{KERNELS}", "SYMLINK")] if _kernels().is_file() else []


def _kernels() -> Path:
    return site_packages("mlx") / "mlx" / "lib" / KERNELS


def write_imports(folder: Path) -> tuple[str, str]:
    """Write down what the frozen program must be able to import by name; its self-test reads it. Returns a data file.

    The names come from what is installed and from mlx.core itself, not from the lists above: a name that is missing
    there makes the self-test fail.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "imports.txt"
    file.write_text("".join(f"{name}\n" for name in named_modules()), encoding="utf-8")
    return str(file), "."


def write_shiboken(folder: Path) -> list[tuple[str, str]]:
    """Compile the modules that Shiboken otherwise compiles in memory at every start. Returns data files.

    `make setup` has it write them beside itself; there it looks for them first.
    """
    source = site_packages("shiboken6") / "shiboken6"
    names = [file.relative_to(source) for file in sorted(source.glob("files.dir/shibokensupport/**/*.py"))]
    if not names:
        raise FileNotFoundError(f"Shiboken's modules do not lie in {source}. `make setup` writes them.")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    made = [folder / name.with_suffix(".pyc") for name in names]
    for name, file in zip(names, made, strict=True):
        py_compile.compile(str(source / name), str(file), str(name), doraise=True, invalidation_mode=mode)
    return [(str(file), f"shiboken6/{name.parent}") for name, file in zip(names, made, strict=True)]


def named_modules() -> list[str]:
    """Every module that mlx.core's C++ or mlx-lm imports by a name, sorted, as the installed files show."""
    mlx, lm = site_packages("mlx"), site_packages("mlx_lm") / "mlx_lm"
    core = next((mlx / "mlx").glob("core.*.so")).read_bytes()
    written = (match.decode() for match in re.findall(rb"mlx\.[A-Za-z_.]+(?=\0)", core))
    from_core = {name for name in written if (mlx / f"{name.replace('.', '/')}.py").is_file()}
    source = "".join(path.read_text(encoding="utf-8") for path in lm.glob("*.py"))
    folders = set(re.findall(r'import_module\(f"mlx_lm\.(\w+)\.\{', source))
    by_name = {f"mlx_lm.{path.parent.name}.{path.stem}" for folder in folders for path in (lm / folder).glob("*.py")}
    return sorted(from_core | {name.removesuffix(".__init__") for name in by_name})


def keeps_module(name: str) -> bool:
    """Whether a module found by the analysis is shipped."""
    parts = name.split(".")
    if parts[:2] == ["transformers", "models"] and parts[2:3] != ["auto"]:
        return not parts[-1].startswith(_MODEL_CODE)
    return not _is_below(name, EXCLUDED)


def keeps_file(dest: str) -> bool:
    """Whether a file that is not a program is shipped. `dest`: its name in the bundle."""
    path = Path(dest)
    top, parts = path.parts[0], path.parts
    if top.endswith(".dist-info"):
        return path.name not in _FILES_LEFT_OUT and "sboms" not in parts and not _is_excluded(top.split("-")[0])
    if parts[:2] == ("resources", "pictures"):  # the README's
        return False
    if top == "PySide6":
        return "translations" not in parts and "qml" not in parts
    if top == "mlx":
        return not {"include", "share"} & set(parts)
    if parts[0] == "transformers" and path.suffix == ".py" and parts[1] not in _READ_AS_SOURCE:
        return False
    if path.suffix in {".py", ".pyi"}:
        return keeps_module(".".join(path.with_suffix("").parts).removesuffix(".__init__")) and path.suffix == ".py"
    return "tests" not in parts and "__pycache__" not in parts


def keeps_library(dest: str) -> bool:
    """Whether a shared library or an extension module is shipped. `dest`: its name in the bundle."""
    path = Path(dest)
    if path.name.startswith(_FOREIGN):
        return False
    if "plugins" in path.parts and path.parts[0] == "PySide6":
        stem = path.name.split(".")[0].removeprefix("lib")
        return path.parent.name in _QT_PLUGINS and stem not in _QT_PLUGINS_LEFT_OUT
    return not _is_below(".".join((*path.parent.parts, path.name.split(".")[0])), EXCLUDED)


def _is_below(name: str, packages: Iterable[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def needed_libraries(entries: Sequence[Entry], asks_for: dict[str, set[str]], is_root: set[str]) -> list[Entry]:
    """The entries that are roots or that a kept one asks for, by the file names they link to. Keeps the order.

    asks_for: file name of an entry -> file names of the libraries it links to. is_root: dests kept in any case.
    """
    wanted: set[str] = set()
    waiting = [Path(dest).name for dest, _, _ in entries if dest in is_root]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting.extend(asks_for.get(name, ()))
    return [entry for entry in entries if entry[0] in is_root or Path(entry[0]).name in wanted]
