"""Signing, notarising and the disk image: the commands, their order, and what happens when one of them fails.

Apple's tools are stood in for by scripts that write down how they were called, and fail where a test says so.
"""

from __future__ import annotations

import plistlib
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.packaging.mach_o import ARM64, slice_for

SCRIPTS = Path(__file__).parents[2] / "packaging" / "mac"
TEAM = "Developer ID Application: Ana O'Hara (ABCDE12345)"
TOOLS = ("codesign", "xcrun", "hdiutil", "ditto", "spctl", "ln")
TOOL = """#!/bin/sh
for word in {name} "$@"; do printf '%s\\0' "$word"; done >>"$CALLS"
printf '\\n' >>"$CALLS"
{answer}
"""
ANSWER = "id: 2efe2717-52ef\\n  status: "


class Mac:
    """A folder with a bundle, and tools that record."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, folder / "calls"
        self.app = folder / "my apps" / "Espalier.app"
        self.environment = {
            "CALLS": str(self.calls),
            "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
            "ESPALIER_DMG_PAUSE": "0",
        }
        for name in TOOLS:
            self.tool(name)
        self.tool("xcrun", f"[ $1 = notarytool ] && [ $2 = submit ] && printf '  {ANSWER}Accepted\\n'; true")
        code = slice_for(ARM64, (14, 0))
        for name in (
            "MacOS/Espalier",
            "Frameworks/mlx/core.cpython-313-darwin.so",
            "Frameworks/mlx/lib/libmlx.dylib",
            "Frameworks/PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore",
            "Frameworks/PySide6/Qt/lib/Outer.framework/Versions/A/Outer",
            "Frameworks/PySide6/Qt/lib/Outer.framework/Versions/A/Frameworks/Inner.framework/Versions/A/Inner",
            "Frameworks/without ending",
        ):
            self.put(name, code)
        self.put("Resources/resources/notices/notices.txt", b"text")
        self.put("Info.plist", plistlib.dumps({}))
        (self.app / "Contents/Frameworks/QtCore").symlink_to("PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore")

    def put(self, name: str, data: bytes) -> None:
        path = self.app / "Contents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def tool(self, name: str, answer: str = "") -> None:
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(TOOL.format(name=name, answer=answer))
        path.chmod(0o755)

    def do(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["/bin/sh", str(SCRIPTS / script), *arguments]
        return subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False, timeout=60
        )

    def called(self) -> list[list[str]]:
        """Every call so far, as a list of words."""
        text = self.calls.read_text() if self.calls.exists() else ""
        return [line.rstrip("\0").split("\0") for line in text.splitlines()]

    def names(self) -> list[str]:
        """What each call was about: the last word, within the bundle."""
        return [Path(call[-1]).name for call in self.called()]


@pytest.fixture
def mac(tmp_path: Path) -> Mac:
    return Mac(tmp_path)


class TestSign:
    def test_from_the_inside_out(self, mac: Mac) -> None:
        assert mac.do("sign.sh", str(mac.app)).returncode == 0
        names = mac.names()
        assert set(names[:3]) == {"core.cpython-313-darwin.so", "libmlx.dylib", "without ending"}
        assert set(names[3:6]) == {"Inner.framework", "Outer.framework", "QtCore.framework"}
        assert names.index("Inner.framework") < names.index("Outer.framework")
        assert names[6:] == ["Espalier", "Espalier.app", "Espalier.app"]
        assert mac.called()[-1][:5] == ["codesign", "--verify", "--deep", "--strict", "--verbose=2"]

    def test_data_and_links_are_not_signed(self, mac: Mac) -> None:
        mac.do("sign.sh", str(mac.app))
        assert not {"notices.txt", "Info.plist", "QtCore"} & set(mac.names())

    def test_with_an_identity_the_runtime_is_hardened_and_the_time_stamped(self, mac: Mac) -> None:
        mac.environment["ESPALIER_SIGN_IDENTITY"] = TEAM
        assert mac.do("sign.sh", str(mac.app)).returncode == 0
        for call in mac.called()[:-1]:
            assert call[:7] == ["codesign", "--force", "--timestamp", "--options", "runtime", "--sign", TEAM]

    def test_without_an_identity_the_signature_is_ad_hoc(self, mac: Mac) -> None:
        mac.do("sign.sh", str(mac.app))
        for call in mac.called()[:-1]:
            assert call[:5] == ["codesign", "--force", "--timestamp=none", "--sign", "-"]
            assert "runtime" not in call

    def test_only_the_program_and_the_bundle_have_entitlements(self, mac: Mac) -> None:
        mac.do("sign.sh", str(mac.app))
        entitled = [call for call in mac.called() if "--entitlements" in call]
        assert [Path(call[-1]).name for call in entitled] == ["Espalier", "Espalier.app"]
        assert Path(entitled[0][entitled[0].index("--entitlements") + 1]).name == "entitlements.plist"

    def test_one_signature_that_fails_ends_it(self, mac: Mac) -> None:
        mac.tool("codesign", "case $* in *libmlx*) exit 3 ;; esac")
        assert mac.do("sign.sh", str(mac.app)).returncode != 0
        assert mac.names()[-1] == "libmlx.dylib"

    def test_a_framework_that_fails_ends_it(self, mac: Mac) -> None:
        mac.tool("codesign", "case $* in *Inner.framework) exit 3 ;; esac")
        assert mac.do("sign.sh", str(mac.app)).returncode != 0
        assert "Espalier.app" not in mac.names()

    def test_a_signature_that_does_not_hold_ends_it(self, mac: Mac) -> None:
        mac.tool("codesign", "[ $1 != --verify ]")
        assert mac.do("sign.sh", str(mac.app)).returncode != 0

    def test_a_dry_run_prints_what_would_be_called_and_calls_nothing(self, mac: Mac) -> None:
        mac.environment["ESPALIER_SIGN_IDENTITY"] = TEAM
        said = mac.do("sign.sh", "--dry-run", str(mac.app))
        assert mac.called() == []
        mac.do("sign.sh", str(mac.app))
        assert [shlex.split(line) for line in said.stdout.splitlines()] == mac.called()

    def test_what_is_no_application_is_refused(self, mac: Mac) -> None:
        said = mac.do("sign.sh", str(mac.folder))
        assert said.returncode == 1
        assert "is not an application" in said.stderr
        assert mac.do("sign.sh").returncode == 1


class TestNotarise:
    @pytest.fixture
    def mac(self, mac: Mac) -> Mac:
        mac.environment |= {"ESPALIER_SIGN_IDENTITY": TEAM, "ESPALIER_NOTARY_PROFILE": "espalier"}
        return mac

    def test_an_application_is_packed_sent_stapled_and_assessed(self, mac: Mac) -> None:
        assert mac.do("notarise.sh", str(mac.app)).returncode == 0
        calls = mac.called()
        assert [call[:3] for call in calls] == [
            ["ditto", "-c", "-k"],
            ["xcrun", "notarytool", "submit"],
            ["xcrun", "stapler", "staple"],
            ["xcrun", "stapler", "validate"],
            ["spctl", "--assess", "--type"],
        ]
        assert "--keepParent" in calls[0]
        assert calls[1][3] == calls[0][-1]
        assert calls[1][4:7] == ["--keychain-profile", "espalier", "--wait"]
        assert calls[2][-1] == str(mac.app)
        assert not Path(calls[0][-1]).parent.exists()

    def test_a_disk_image_is_sent_as_it_is(self, mac: Mac) -> None:
        image = mac.folder / "Espalier.dmg"
        image.write_bytes(b"")
        assert mac.do("notarise.sh", str(image)).returncode == 0
        assert mac.called()[0][:4] == ["xcrun", "notarytool", "submit", str(image)]
        assert mac.called()[-1][:4] == ["spctl", "--assess", "--type", "open"]

    def test_a_key_file_serves_in_a_profiles_place(self, mac: Mac) -> None:
        del mac.environment["ESPALIER_NOTARY_PROFILE"]
        mac.environment |= {f"ESPALIER_NOTARY_{name}": name for name in ("KEY", "KEY_ID", "ISSUER")}
        assert mac.do("notarise.sh", str(mac.app)).returncode == 0
        sent = " ".join(mac.called()[1])
        assert "--key KEY --key-id KEY_ID --issuer ISSUER" in sent
        assert "password" not in sent

    @pytest.mark.parametrize("answer", [f"printf '{ANSWER}Invalid\\n'", f"printf '{ANSWER}In Progress\\n'; exit 1"])
    def test_when_apple_says_no_its_reasons_are_fetched_and_nothing_is_stapled(self, mac: Mac, answer: str) -> None:
        mac.tool("xcrun", f"[ $2 != submit ] || {{ {answer}; }}")
        said = mac.do("notarise.sh", str(mac.app))
        assert said.returncode == 1
        assert "Apple did not notarise" in said.stderr
        assert mac.called()[-1][:4] == ["xcrun", "notarytool", "log", "2efe2717-52ef"]

    def test_a_ticket_that_cannot_be_stapled_ends_it(self, mac: Mac) -> None:
        mac.tool("xcrun", f"case $2 in submit) printf '{ANSWER}Accepted\\n' ;; staple) exit 65 ;; esac")
        assert mac.do("notarise.sh", str(mac.app)).returncode != 0
        assert mac.called()[-1][:3] == ["xcrun", "stapler", "staple"]

    @pytest.mark.parametrize("missing", ["ESPALIER_SIGN_IDENTITY", "ESPALIER_NOTARY_PROFILE"])
    def test_without_identity_or_credentials_it_says_what_to_set(self, mac: Mac, missing: str) -> None:
        del mac.environment[missing]
        said = mac.do("notarise.sh", str(mac.app))
        assert said.returncode == 1
        assert missing in said.stderr
        assert mac.called() == []

    def test_a_dry_run_calls_nothing(self, mac: Mac) -> None:
        said = mac.do("notarise.sh", "--dry-run", str(mac.app))
        assert said.returncode == 0
        assert mac.called() == []
        lines = [shlex.split(line)[:3] for line in said.stdout.splitlines()]
        assert lines[1:3] == [["xcrun", "notarytool", "submit"], ["xcrun", "stapler", "staple"]]


class TestDiskImage:
    def test_it_holds_the_application_and_the_way_to_applications(self, mac: Mac) -> None:
        assert mac.do("make_dmg.sh", str(mac.app), "Espalier.dmg").returncode == 0
        copy, link, create, verify = mac.called()
        assert copy[:2] == ["ditto", str(mac.app)]
        assert link[:3] == ["ln", "-s", "/Applications"]
        assert Path(copy[2]).parent == Path(link[3]).parent == Path(create[create.index("-srcfolder") + 1])
        assert {"-volname", "UDZO", "HFS+", "-ov"} <= set(create)
        assert verify == ["hdiutil", "verify", "Espalier.dmg"]

    def test_with_an_identity_it_is_signed(self, mac: Mac) -> None:
        mac.environment["ESPALIER_SIGN_IDENTITY"] = TEAM
        assert mac.do("make_dmg.sh", str(mac.app), "Espalier.dmg").returncode == 0
        assert mac.called()[-1] == ["codesign", "--force", "--timestamp", "--sign", TEAM, "Espalier.dmg"]

    def test_a_busy_disk_is_tried_again_and_not_for_ever(self, mac: Mac) -> None:
        mac.tool("hdiutil", '[ "$(grep -c create "$CALLS")" -ge 3 ]')
        assert mac.do("make_dmg.sh", str(mac.app), "Espalier.dmg").returncode == 0
        mac.tool("hdiutil", "exit 1")
        mac.calls.unlink()
        said = mac.do("make_dmg.sh", str(mac.app), "Espalier.dmg")
        assert said.returncode == 1
        assert "could not make Espalier.dmg" in said.stderr
        assert sum("create" in call for call in mac.called()) == 3

    def test_a_dry_run_calls_nothing(self, mac: Mac) -> None:
        said = mac.do("make_dmg.sh", "--dry-run", str(mac.app), "Espalier.dmg")
        assert said.returncode == 0
        assert mac.called() == []
        assert [shlex.split(line)[0] for line in said.stdout.splitlines()] == ["ditto", "ln", "hdiutil", "hdiutil"]


class TestFinish:
    def test_without_secrets_it_signs_packs_and_says_what_is_left(self, mac: Mac) -> None:
        said = mac.do("finish.sh", str(mac.app), "Espalier.dmg")
        assert said.returncode == 0
        assert "Espalier.dmg is not notarised" in said.stdout
        assert not [call for call in mac.called() if call[0] in {"xcrun", "spctl"}]

    def test_with_secrets_the_application_is_notarised_before_it_is_packed(self, mac: Mac) -> None:
        mac.environment |= {"ESPALIER_SIGN_IDENTITY": TEAM, "ESPALIER_NOTARY_PROFILE": "espalier"}
        (mac.folder / "Espalier.dmg").write_bytes(b"")
        assert mac.do("finish.sh", str(mac.app), "Espalier.dmg").returncode == 0
        steps = [" ".join(call[:3]) for call in mac.called()]
        stapled = [number for number, step in enumerate(steps) if step == "xcrun stapler staple"]
        assert len(stapled) == 2
        assert stapled[0] < steps.index("hdiutil create -volname") < stapled[1]

    def test_what_fails_stops_what_follows(self, mac: Mac) -> None:
        mac.tool("codesign", "exit 1")
        assert mac.do("finish.sh", str(mac.app), "Espalier.dmg").returncode != 0
        assert not [call for call in mac.called() if call[0] == "hdiutil"]

    def test_a_dry_run_calls_nothing(self, mac: Mac) -> None:
        assert mac.do("finish.sh", "--dry-run", str(mac.app), "Espalier.dmg").returncode == 0
        assert mac.called() == []


def test_no_secret_reaches_a_command_line_or_stands_in_a_script() -> None:
    for path in SCRIPTS.glob("*.sh"):
        text = path.read_text()
        assert "--password" not in text
        assert "--apple-id" not in text
        assert "set -eu" in text or path.name == "common.sh"


def test_entitlements_are_two_booleans() -> None:
    values = plistlib.loads((SCRIPTS / "entitlements.plist").read_bytes())
    assert values == {
        "com.apple.security.cs.allow-unsigned-executable-memory": True,
        "com.apple.security.cs.disable-library-validation": True,
    }


class TestTry:
    """The finished application is asked to test itself, from everywhere, with an empty environment."""

    @pytest.fixture
    def mac(self, mac: Mac) -> Mac:
        mac.tool("ditto", 'cp -R "$1" "$2"')
        mac.tool("hdiutil", 'case $1 in attach) cp -R "$APP" "$6/" ;; esac')
        mac.environment |= {"APP": str(mac.app), "HOME": "/somebody", "PYTHONPATH": "/builder"}
        self.program(mac)
        return mac

    def program(self, mac: Mac, answer: str = "") -> None:
        """The program writes down where it lies, how it was called and what it knows of the builder."""
        code = f"""#!/bin/sh
printf '%s\\n' "$0 $* $(env | grep -c -e '^PYTHONPATH=' -e '^CALLS=')" >>"{mac.folder / "runs"}"
[ -d "$HOME" ] && [ "$HOME" != /somebody ] && [ -d "$TMPDIR" ] || exit 9
{answer}
"""
        mac.put("MacOS/Espalier", code.encode())
        (mac.app / "Contents/MacOS/Espalier").chmod(0o755)

    def runs(self, mac: Mac) -> list[str]:
        return (mac.folder / "runs").read_text().splitlines()

    def test_three_places_on_the_cpu(self, mac: Mac) -> None:
        said = mac.do("try_app.sh", str(mac.app), "Espalier.dmg")
        assert said.returncode == 0, said.stderr
        built, elsewhere, image = self.runs(mac)
        assert built.startswith(str(mac.app))
        assert "Weiße Schränke 猫/Espalier.app" in elsewhere
        assert "/image/Espalier.app" in image
        assert all(run.endswith(" --self-test --cpu 0") for run in (built, elsewhere, image))

    def test_the_image_is_mounted_to_be_read_and_let_go(self, mac: Mac) -> None:
        mac.do("try_app.sh", str(mac.app), "Espalier.dmg")
        attach, detach = (call for call in mac.called() if call[0] == "hdiutil")
        assert attach[1:] == ["attach", "-quiet", "-nobrowse", "-readonly", "-mountpoint", attach[6], "Espalier.dmg"]
        assert detach == ["hdiutil", "detach", "-quiet", attach[6]]
        assert not Path(attach[6]).exists()

    def test_a_path_that_is_not_absolute_is_found(self, mac: Mac) -> None:
        assert mac.do("try_app.sh", "my apps/Espalier.app").returncode == 0
        assert self.runs(mac)[0].startswith(str(mac.app))

    def test_the_gpu_is_tried_where_it_lies(self, mac: Mac) -> None:
        assert mac.do("try_app.sh", "--gpu", str(mac.app)).returncode == 0
        assert [run.endswith(" --self-test 0") for run in self.runs(mac)] == [True]

    @pytest.mark.parametrize(
        ("where", "said"),
        [("my apps", "where it was built"), ("Schränke", "from another place"), ("image", "from the disk image")],
    )
    def test_where_it_fails_is_said(self, mac: Mac, where: str, said: str) -> None:
        self.program(mac, f'case $0 in *"{where}"*) exit 1 ;; esac')
        done = mac.do("try_app.sh", str(mac.app), "Espalier.dmg")
        assert done.returncode == 1
        assert f"The self-test failed ({said})" in done.stderr

    def test_a_broken_signature_in_the_image_ends_it(self, mac: Mac) -> None:
        mac.tool("codesign", "exit 1")
        assert mac.do("try_app.sh", str(mac.app), "Espalier.dmg").returncode != 0
        assert len(self.runs(mac)) == 2
