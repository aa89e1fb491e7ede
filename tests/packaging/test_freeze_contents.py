"""What goes into the frozen program: every module that only a name leads to, and nothing that is of no use there."""

from __future__ import annotations

from importlib.machinery import SourcelessFileLoader
from pathlib import Path

import pytest
from bundle import contents
from bundle.libraries import framework_of, is_root, without_loose_ends

from app.engine.description import versions


class TestHiddenImports:
    def test_they_are_what_the_installed_packages_import_by_name(self) -> None:
        """One list is ours, the other is read from mlx's binary and mlx-lm's source: any name less is a difference."""
        hidden = contents.hidden_imports()
        assert sorted(hidden) == contents.named_modules()
        assert len(hidden) == len(set(hidden))

    def test_the_other_list_is_not_empty(self) -> None:
        named = contents.named_modules()
        assert {"mlx._reprlib_fix", "mlx.__array_api_info", "mlx_lm.models.llama"} <= set(named)
        assert any(name.startswith("mlx_lm.tool_parsers.") for name in named)
        assert any(name.startswith("mlx_lm.chat_templates.") for name in named)

    def test_none_is_left_out_again(self) -> None:
        assert [name for name in contents.hidden_imports() if not contents.keeps_module(name)] == []
        assert set(contents.hidden_imports()) & set(contents.excluded_modules()) == set()

    def test_the_frozen_program_is_given_the_list(self, tmp_path: Path) -> None:
        file, folder = contents.write_imports(tmp_path / "work")
        assert Path(file).read_text().split() == contents.named_modules()
        assert (Path(file).name, folder) == ("imports.txt", ".")

    def test_what_shiboken_would_compile_is_compiled(self, tmp_path: Path) -> None:
        files = {f"{folder}/{Path(file).name}": Path(file) for file, folder in contents.write_shiboken(tmp_path)}
        loader = files["shiboken6/files.dir/shibokensupport/signature/loader.pyc"]
        SourcelessFileLoader("loader", str(loader)).get_code("loader")
        assert all(contents.keeps_file(name) for name in files)


class TestModulesIn:
    def test_packages_below_and_their_modules(self, tmp_path: Path) -> None:
        for name in ("p/__init__.py", "p/a.py", "p/q/__init__.py", "p/q/b.py", "p/notes.txt"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
        assert contents.modules_in("p", tmp_path) == ["p", "p.a", "p.q", "p.q.b"]
        assert contents.modules_in("p.q", tmp_path) == ["p.q", "p.q.b"]

    def test_a_package_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="no package p"):
            contents.modules_in("p", tmp_path)
        with pytest.raises(FileNotFoundError, match="not_installed"):
            contents.modules_in("not_installed.part")


class TestMetadata:
    def test_whatever_the_window_tells_the_version_of_has_its_metadata(self) -> None:
        shipped = {folder.split("-")[0].replace("_", "-").lower() for _, folder in contents.metadata()}
        assert {name for name, _ in versions()} <= shipped
        assert {"numpy", "tqdm", "regex", "pyyaml", "huggingface-hub", "safetensors", "filelock"} <= shipped

    def test_tools_and_commands_are_not_among_what_the_program_needs(self) -> None:
        assert set(contents.distributions()) & {"pytest", "hypothesis", "ruff", "mypy", "pyinstaller", "typer"} == set()

    @pytest.mark.parametrize("name", ["direct_url.json", "RECORD", "INSTALLER"])
    def test_where_it_was_built_is_nobody_elses_business(self, name: str) -> None:
        assert not contents.keeps_file(f"espalier-0.1.0.dist-info/{name}")
        assert contents.keeps_file("espalier-0.1.0.dist-info/METADATA")


@pytest.mark.parametrize(
    "name",
    [
        "app.main",
        "mlx_lm.models.olmo",
        "transformers.models.llama.configuration_llama",
        "transformers.models.llama.tokenization_llama",
        "transformers.models.auto.modeling_auto",
        "transformers.models.auto.processing_auto",
        "transformers.modeling_rope_utils",
        "PySide6.QtSvg",
    ],
)
def test_modules_that_stay(name: str) -> None:
    assert contents.keeps_module(name)


@pytest.mark.parametrize(
    "name",
    [
        "torch.nn",
        "pytest",
        "_pytest.fixtures",
        "tests.conftest",
        "transformers.models.llama.modeling_llama",
        "transformers.models.llama4.image_processing_llama4_fast",
        "transformers.models.glm.convert_glm_weights_to_hf",
        "PySide6.QtQml",
        "PySide6.QtWebEngineCore",
    ],
)
def test_modules_that_go(name: str) -> None:
    assert not contents.keeps_module(name)


@pytest.mark.parametrize(
    ("dest", "stays"),
    [
        ("resources/models/guide/model.safetensors", True),
        ("resources/icon/espalier.svg", True),
        ("resources/pictures/window.png", False),
        ("transformers/models/llama/tokenization_llama.py", True),
        ("transformers/models/llama/__init__.py", True),
        ("transformers/models/llama/modeling_llama.py", False),
        ("transformers/decision/__init__.py", True),
        ("transformers/trainer.py", False),
        ("transformers/__init__.py", False),
        ("transformers-5.23.0.dist-info/METADATA", True),
        ("tokenizers-0.23.3.dist-info/sboms/tokenizers.cyclonedx.json", False),
        ("mlx/lib/mlx.metallib", True),
        ("mlx/include/mlx/array.h", False),
        ("PySide6/Qt/translations/qtbase_de.qm", False),
        ("pytest_timeout-2.4.0.dist-info/METADATA", False),
        ("pytest_xdist-3.8.0.dist-info/METADATA", False),
        ("regex/tests/test_regex.py", False),
    ],
)
def test_files(dest: str, stays: bool) -> None:
    assert contents.keeps_file(dest) is stays


@pytest.mark.parametrize(
    ("dest", "stays"),
    [
        ("mlx/core.cpython-313-darwin.so", True),
        ("mlx/lib/libjaccl.dylib", True),
        ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", True),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
        ("PySide6/Qt/plugins/styles/libqmacstyle.dylib", True),
        ("PySide6/Qt/plugins/iconengines/libqsvgicon.dylib", True),
        ("PySide6/Qt/plugins/platforms/libqeglfs.so", False),
        ("PySide6/Qt/plugins/tls/libqopensslbackend.so", False),
        ("PySide6/Qt/plugins/imageformats/libqpdf.dylib", False),
        ("PySide6/QtQml.abi3.so", False),
        ("libcudart.so", False),
        ("hf_xet/hf_xet.abi3.so", False),
    ],
)
def test_libraries(dest: str, stays: bool) -> None:
    assert contents.keeps_library(dest) is stays


def test_a_library_that_nothing_kept_links_to_goes() -> None:
    entries = [
        ("PySide6/QtGui.abi3.so", "/s/PySide6/QtGui.abi3.so", "EXTENSION"),
        ("PySide6/Qt/lib/libQt6Gui.so.6", "/s/PySide6/Qt/lib/libQt6Gui.so.6", "BINARY"),
        ("libQt6Gui.so.6", "PySide6/Qt/lib/libQt6Gui.so.6", "SYMLINK"),
        ("libgtk-3.so.0", "/usr/lib/libgtk-3.so.0", "BINARY"),
        ("libglib-2.0.so.0", "/usr/lib/libglib-2.0.so.0", "BINARY"),
    ]
    links = {"QtGui.abi3.so": {"libQt6Gui.so.6"}, "libQt6Gui.so.6": {"libglib-2.0.so.0", "libc.so.6"}}
    roots = {entry[0] for entry in entries if is_root(entry)}
    assert roots == {"PySide6/QtGui.abi3.so"}
    kept = contents.needed_libraries(entries, links, roots)
    assert [entry[0] for entry in kept] == [entry[0] for entry in entries if "gtk" not in entry[0]]


def test_links_to_what_was_left_out_go_too() -> None:
    there = ("PySide6/Qt/lib/libA.so", "/s/libA.so", "BINARY")
    good = ("libA.so", "PySide6/Qt/lib/libA.so", "SYMLINK")
    beside = ("mlx/lib/libA.so", "../../PySide6/Qt/lib/libA.so", "SYMLINK")
    loose = ("libB.so", "PySide6/Qt/lib/libB.so", "SYMLINK")
    assert without_loose_ends([there, good, beside, loose]) == [there, good, beside]


def test_a_framework_is_kept_or_dropped_as_a_whole() -> None:
    """Its own links lead through each other, so none of their ends is a file of the bundle."""

    def framework(name: str, version: str = "A") -> list[contents.Entry]:
        top = f"PySide6/Qt/lib/{name}.framework"
        return [
            (f"{top}/Versions/{version}/{name}", f"/s/{top}/Versions/{version}/{name}", "BINARY"),
            (f"{top}/Versions/{version}/Resources/Info.plist", f"/s/{top}/Resources/Info.plist", "DATA"),
            (f"{top}/Versions/Current", version, "SYMLINK"),
            (f"{top}/{name}", f"Versions/Current/{name}", "SYMLINK"),
            (f"{top}/Resources", "Versions/Current/Resources", "SYMLINK"),
        ]

    gui, network = framework("QtGui"), framework("QtNetwork")
    link = ("QtGui", gui[0][0], "SYMLINK")
    assert without_loose_ends([*gui, link, *network[1:]]) == [*gui, link]
    assert {framework_of(dest) for dest, _, _ in gui} == {"PySide6/Qt/lib/QtGui.framework"}
    assert framework_of("PySide6/QtGui.abi3.so") == ""


@pytest.mark.parametrize(
    "dest", ["Python.framework/Versions/3.13/Python", "Python", "libpython3.11.so.1.0", "mlx/lib/libjaccl.dylib"]
)
def test_what_nothing_links_to_but_is_loaded_by_its_place(dest: str) -> None:
    assert is_root((dest, f"/s/{dest}", "BINARY"))
