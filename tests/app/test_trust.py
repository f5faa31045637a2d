"""A project loosens a guard only after its user trusted exactly that, in a record outside the project."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from runtime.app.trust import EFFECTS
from runtime.registry.known_settings import KNOWN
from runtime.security.model import shipped_model
from runtime.testing.project import Ended, ProjectFolder

SETTINGS = 'version: "1.0"\nsecurity: {strict_mode: false}\nlimits: {steps: 1000}\n'
LOCK = "directories: {modules: .wippy/vendor, src: ./src}\n"
INDEX = """
namespace: shop
entries:
  - {name: terminal, kind: terminal.host}
  - {name: note, kind: registry.entry}
  - name: work
    kind: process.lua
    meta: {command: {name: work}}
    source: |
      local registry, io = require("registry"), require("io")
      return { main = function()
        local entry, err = registry.get("shop:note")
        io.print(entry and "seen" or err:kind())
      end }
    method: main
    modules: [registry, io]
"""
FILES = {".wippy.yaml": SETTINGS, "src/_index.yaml": INDEX, "wippy.lock": LOCK}


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    return ProjectFolder.write(tmp_path, FILES)


def shown(project: ProjectFolder, **environment: str) -> dict[str, Any]:
    ended = project.run("trust", "--show", "--json", **environment)
    assert ended.code == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def seen(ended: Ended) -> str:
    return ended.stdout.strip()


def yes(project: ProjectFolder) -> None:
    with project.at_terminal("trust") as terminal:
        terminal.expect(r"\[y/N\] ")
        terminal.sendline("y")
        terminal.expect("trusted: sha256:")
        terminal.expect_exact("takes it back")


def record(project: ProjectFolder) -> Path:
    return project.home / ".config/runtime/trust.yaml"


def test_what_is_looser_is_ignored_and_said_until_it_is_trusted(project: ProjectFolder) -> None:
    ended = project.run("run", "work")
    assert seen(ended) == "PermissionDenied"
    assert "`security.strict_mode` of the project is looser than allowed and ignored" in ended.stderr


def test_show_names_each_wish_with_its_effect_and_the_hash(project: ProjectFolder) -> None:
    found = shown(project)
    assert {each["what"]: each["effect"] for each in found["wants"]} == {
        "security.strict_mode": EFFECTS["security.strict_mode"],
        "limits.steps": EFFECTS["limits.steps"],
    }
    assert found["hash"].startswith("sha256:")
    assert found["trusted"] is False
    text = project.run("trust", "--show").stdout
    assert "security.strict_mode = false in place of true (.wippy.yaml:2:12)" in text
    assert "command work" in text


def test_without_a_terminal_nothing_is_trusted_and_the_hash_is_said(project: ProjectFolder) -> None:
    ended = project.run("trust", stdin="y\n")
    assert ended.code == 4
    assert f"RUNTIME_TRUST={shown(project)['hash']}" in ended.stderr
    assert not record(project).exists()


def test_the_hash_in_the_environment_trusts_for_one_run_and_a_wrong_one_refuses(
    project: ProjectFolder,
) -> None:
    digest = shown(project)["hash"]
    assert seen(project.run("run", "work", RUNTIME_TRUST=digest)) == "seen"
    wrong = project.run("run", "work", RUNTIME_TRUST="sha256:0")
    assert wrong.code == 4
    assert digest in wrong.stderr
    assert seen(project.run("run", "work")) == "PermissionDenied"


def test_a_yes_is_recorded_outside_the_project_and_any_change_asks_again(project: ProjectFolder) -> None:
    yes(project)
    assert stat.S_IMODE(record(project).stat().st_mode) == 0o600
    ended = project.run("run", "work")
    assert seen(ended) == "seen"
    assert "`security.strict_mode` of the project is looser, and trusted" in ended.stderr
    assert "strict mode is off" in ended.stderr
    (granted,) = project.events("trust.granted")
    assert granted.payload["hash"] == shown(project)["hash"]  # type: ignore[index,call-overload]

    project.replace(".wippy.yaml", "1000", "1001")
    assert seen(project.run("run", "work")) == "PermissionDenied"
    assert "was trusted with something else" in project.run("trust", "--show").stdout
    project.replace(".wippy.yaml", "1001", "1000")
    assert seen(project.run("run", "work")) == "seen"

    assert project.run("trust", "--revoke").code == 0
    assert seen(project.run("run", "work")) == "PermissionDenied"
    assert len(project.events("trust.revoked")) == 1
    assert project.run("trust", "--revoke").code == 3
    assert project.problems() == ()


def test_a_no_trusts_nothing(project: ProjectFolder) -> None:
    with project.at_terminal("trust") as terminal:
        terminal.expect(r"\[y/N\] ")
        terminal.sendline("")
        terminal.expect("not trusted")
    assert not record(project).exists()


def test_a_record_that_others_can_write_is_not_believed(project: ProjectFolder) -> None:
    yes(project)
    record(project).chmod(0o666)
    ended = project.run("run", "work")
    assert ended.code == 4
    assert "only you can write" in ended.stderr


def test_a_copy_of_the_project_elsewhere_is_not_trusted(project: ProjectFolder, tmp_path: Path) -> None:
    yes(project)
    other = ProjectFolder.write(tmp_path / "other", FILES)
    other.home = project.home
    assert seen(other.run("run", "work")) == "PermissionDenied"


def test_a_differing_model_counts_only_when_it_is_trusted(project: ProjectFolder) -> None:
    project.put(".wippy.yaml", 'version: "1.0"\n')
    project.put("policies.conf", shipped_model())
    assert shown(project)["wants"] == []
    project.put("policies.conf", "# ours\n" + shipped_model())
    assert [each["what"] for each in shown(project)["wants"]] == ["policies.conf"]
    ended = project.run("run", "work")
    assert "policies.conf: it differs from the shipped model and is ignored" in ended.stderr
    trusted = project.run("run", "work", RUNTIME_TRUST=shown(project)["hash"])
    assert "policies.conf" not in trusted.stderr
    project.put("policies.conf", shipped_model().replace("&& !some", "|| some"))
    assert project.run("run", "work").code == 2


def test_a_project_that_is_only_stricter_wants_nothing(project: ProjectFolder) -> None:
    project.put(".wippy.yaml", 'version: "1.0"\nsecurity: {strict_mode: true}\nlimits: {steps: 3}\n')
    assert project.run("trust").stdout == "this project wants nothing that needs trust\n"


def test_every_guard_says_what_loosening_it_means() -> None:
    assert {key for key, known in KNOWN.items() if known.stricter} == set(EFFECTS)
