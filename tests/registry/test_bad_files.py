"""Every file under `bad/<subject>/` is refused with the text beside it; a new case is two more files."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.core.errors import Error, Invalid, Many
from runtime.registry import yaml
from runtime.registry.assemble import Tree, assemble
from runtime.registry.lockfile import parse_lock
from runtime.registry.settings import Settings, read_file

BAD = Path(__file__).parent / "bad"
CASES = sorted(BAD.glob("*/*.yaml"))


def load_entries(case: Path, folder: Path) -> object:
    (folder / "src").mkdir()
    shutil.copy(case, folder / "src" / case.name)
    return assemble([Tree(folder / "src", folder)])


def load_settings(case: Path, _folder: Path) -> object:
    Settings().add(read_file(case.read_text("utf-8"), ".wippy.yaml"), "project")
    return None


def load_lock(case: Path, folder: Path) -> object:
    return parse_lock(yaml.decode(case.read_bytes(), "wippy.lock"), folder)


READERS: dict[str, Callable[[Path, Path], object]] = {"settings": load_settings, "lock": load_lock}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_a_bad_file_is_refused_with_its_place_and_the_expected_words(case: Path, tmp_path: Path) -> None:
    reader = READERS.get(case.parent.name, load_entries)
    started = time.monotonic()
    with pytest.raises(Invalid) as refused:
        reader(case, tmp_path)
    assert time.monotonic() - started < 5, "hostile input must not cost time"
    assert str(refused.value) + "\n" == case.with_suffix(".txt").read_text("utf-8")
    errors: list[Error] = refused.value.errors if isinstance(refused.value, Many) else [refused.value]
    for error in errors:
        assert error.place is not None
        assert error.place.line > 0
        assert not error.message.endswith(".")


def test_every_subject_has_cases() -> None:
    assert {case.parent.name for case in CASES} == {
        "yaml",
        "entries",
        "files",
        "kinds",
        "links",
        "settings",
        "lock",
    }
