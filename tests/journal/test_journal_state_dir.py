"""The state folder is private, ignored by git, and never somebody else's folder."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from runtime.core.errors import Invalid, Unavailable
from runtime.journal.state import prepare_state_dir


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    folder = prepare_state_dir(tmp_path / "a" / ".runtime")
    assert mode(folder) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"
    assert prepare_state_dir(folder) == folder


@pytest.mark.parametrize("name", [None, "journal.db", "host.lock", ".gitignore"])
def test_an_empty_folder_or_one_of_ours_becomes_private(tmp_path: Path, name: str | None) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    if name:
        (folder / name).write_text("*\n")
    prepare_state_dir(folder)
    assert mode(folder) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", ["notes.txt", ".gitignore", "sub"])
def test_a_folder_of_somebody_else_keeps_its_rights_and_files(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / name).write_text("build/\n")
    with pytest.raises(Invalid, match="holds other files"):
        prepare_state_dir(folder)
    assert mode(folder) == 0o755
    assert [entry.read_text() for entry in folder.iterdir()] == ["build/\n"]


def test_a_file_in_its_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("keep")
    with pytest.raises(Invalid, match="is a file"):
        prepare_state_dir(tmp_path / "state")
    with pytest.raises(Unavailable):
        prepare_state_dir(tmp_path / "state" / "deeper")
    assert (tmp_path / "state").read_text() == "keep"
