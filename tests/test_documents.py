"""The documents say what is so: their commands exist, their links lead somewhere, both languages show the same commands."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee import cli

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.ru.md")
DOCUMENTS = (*READMES, "CONTRIBUTING.md", "CHANGELOG.md", "docs/ARCHITECTURE.md")


def commands(name: str) -> list[list[str]]:
    return [shlex.split(line, comments=True) for line in re.findall(r"^\$ (.*)$", (ROOT / name).read_text("utf-8"), re.MULTILINE)]


@pytest.mark.parametrize("name", READMES)
def test_commands_and_options_exist(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = [c for c in commands(name) if c[0] == "poedinok"]
    assert len(shown) >= 4
    for command in shown:
        assert cli.main([command[1], "--help"]) == 0
        known = capsys.readouterr().out
        assert all(option in known for option in command if option.startswith("--"))


@pytest.mark.parametrize("name", (*READMES, "CONTRIBUTING.md"))
def test_make_targets_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    used = {c[1] for c in commands(name) if c[0] == "make"}
    assert used and used <= targets


def test_both_languages_show_the_same_commands() -> None:
    first, second = ([c for c in commands(name)] for name in READMES)
    assert first == second


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    path = ROOT / name
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", path.read_text("utf-8")) if not link.startswith("http")]
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_pictures_are_small() -> None:
    assert all(p.stat().st_size < 300_000 for p in (ROOT / "docs").rglob("*.png"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_placeholders(name: str) -> None:
    assert not re.search(r"TODO|TBD|FIXME|XXX|\?\?\?", (ROOT / name).read_text("utf-8"))


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_make_demo_says_what_is_installed_before_it_is_silent_and_what_to_open() -> None:
    command = ["make", "--no-print-directory", "-n", "-B", f"PYTHON={sys.executable}", "demo"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    said = next(n for n, line in enumerate(lines) if "1.2 GB" in line)
    assert said < next(n for n, line in enumerate(lines) if "pip" in line and "install -e ." in line)
    assert "out/demo/report.html" in lines[-1]
