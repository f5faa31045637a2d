"""The house rules that a machine can check: style, types, floors, generated pages, nothing postponed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# Spelled apart, so that this file does not hold what it looks for.
WORKSHOP = re.compile(
    "|".join(
        ("/wo" + "rk/", "/fa" + "rm/", "/tmp/de" + "v", "TO" + "DO", "FIX" + "ME", "NotImplemented" + "Error")
    )
)


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [
        (str(BIN / "ruff"), "check", "."),
        (str(BIN / "ruff"), "format", "--check", "."),
        (str(BIN / "mypy"),),
        (str(BIN / "lint-imports"),),
        (sys.executable, "-m", "docs.generate", "--check"),
    ],
    ids=["ruff", "format", "mypy", "imports", "reference"],
)
@pytest.mark.timeout(300)
def test_the_tree_is_clean(command: tuple[str, ...]) -> None:
    run(*command)


def test_nothing_speaks_of_the_workshop_and_nothing_is_postponed() -> None:
    listed = subprocess.run(("git", "ls-files"), cwd=ROOT, capture_output=True, text=True, check=True)
    found = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in (".py", ".lua", ".md", ".yaml", ".toml", ".conf", ".json") and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [f"{name}: {match.group()}" for match in WORKSHOP.finditer(text)]
    assert found == []


def test_each_source_file_says_its_rule() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "runtime").rglob("*.py")
        if not path.read_text(encoding="utf-8").startswith('"""')
    ]
    assert silent == []
