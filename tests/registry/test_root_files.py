"""Files at the root of a project: what is behind a link that leaves the project is never read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runtime.core.errors import Invalid
from runtime.registry.project import open_project
from runtime.registry.root_files import MAX_BYTES, read_root_file

SECRET = "canary-4f1e7b2a99c0"
NAMES = (".wippy.yaml", "wippy.lock", "policies.conf")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").write_text(f"{SECRET}: [\n")
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "_index.yaml").write_text('version: "1.0"\nnamespace: app\nentries: []\n')
    return folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", ["../outside", "absolute", "src/../../outside", "nowhere", "itself"])
def test_a_link_that_leaves_the_project_is_refused_and_nothing_of_it_is_shown(
    root: Path, name: str, target: str
) -> None:
    link = {"absolute": str(root.parent / "outside"), "itself": name}.get(target, target)
    (root / name).symlink_to(link)
    with pytest.raises(Invalid, match="is a link that leads") as refused:
        read_root_file(root, name)
    assert SECRET not in str(refused.value.to_value())
    assert refused.value.place is not None and refused.value.place.path == name


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_project_with_such_a_link_is_not_opened(root: Path, name: str) -> None:
    (root / name).symlink_to(root.parent / "outside")
    with pytest.raises(Invalid, match="leads out of the project") as refused:
        open_project(root, project=root, environment={})
    assert SECRET not in str(refused.value.to_value())


def test_a_link_within_the_project_is_read(root: Path) -> None:
    (root / "deploy").mkdir()
    (root / "deploy" / "settings.yaml").write_text('version: "1.0"\nloader: {lenient: true}\n')
    (root / ".wippy.yaml").symlink_to("deploy/settings.yaml")
    assert open_project(root, environment={}).settings.get("loader.lenient") is True


def test_what_is_no_regular_file_or_without_bound_is_refused(root: Path) -> None:
    os.mkfifo(root / "policies.conf")
    with pytest.raises(Invalid, match="not a regular file"):
        read_root_file(root, "policies.conf")
    (root / "wippy.lock").write_bytes(b"x" * (MAX_BYTES + 1))
    with pytest.raises(Invalid, match="takes more than"):
        read_root_file(root, "wippy.lock")
    assert read_root_file(root, "nothing") is None
