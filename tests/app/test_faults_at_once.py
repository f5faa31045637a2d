"""Faults of different steps are all said at once, each with its place and its lines: what can not be read,
what is not of its kind's shape, what does not link, what is no Lua and what is no policy. And nothing in the
folder is passed by without a word.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime.cli.main import run_command_line
from runtime.testing.project import ProjectFolder

INDEX = """
namespace: shop
entries:
  - {name: terminal, kind: terminal.host}
  - name: work
    kind: process.lua
    meta: {command: {name: work}}
    source: "return { main = function() end }"
    method: main
"""
SHAPE = """
namespace: shop.shape
entries:
  - {name: note, kind: registry.entry}
  - name: wrong
    kind: function.lua
    sorce: x
    source: "return { run = function( end }"
    method: run
"""
LUA = """
namespace: shop.lua
entries:
  - name: broken
    kind: function.lua
    method: run
    source: |
      local x = = 1
      return { run = function() end }
"""
POLICY = """
namespace: shop.policy
entries:
  - name: misspelt
    kind: security.policy
    policy:
      actions: registry.get
      resources: "*"
      effect: allow
      conditions:
        - {field: action, operator: matches, value: "(" }
  - name: doubly
    kind: security.policy
    grups: [staff]
    policy:
      actions: registry.get
      resources: "*"
      effect: allow
      conditions:
        - {field: acton, operator: eq, value: x}
"""
LINK = """
namespace: shop.link
entries:
  - {name: other, kind: registry.entry}
  - name: wish
    kind: ns.requirement
    default: x
    targets: [{entry: othr, path: meta.wish}]
"""
SETTINGS = 'version: "1.0"\n'
FILES = {
    ".wippy.yaml": SETTINGS,
    "wippy.lock": "directories: {modules: .wippy/vendor, src: ./src}\n",
    "src/_index.yaml": INDEX,
    "src/shape.yaml": SHAPE,
    "src/lua.yaml": LUA,
    "src/policy.yaml": POLICY,
    "src/link.yaml": LINK,
}


def said(project: ProjectFolder, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run_command_line(["run", "work", "--ephemeral", "--project", str(project.root)])
    return code, capsys.readouterr().err


def places(text: str) -> list[str]:
    return sorted(re.findall(r"^(?:error: )?(src/\S+?:\d+:\d+): ", text, re.MULTILINE))


def test_the_faults_of_all_steps_are_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(ProjectFolder.write(tmp_path, FILES), capsys)
    assert code == 2
    assert places(text) == [
        "src/link.yaml:8:15",
        "src/lua.yaml:8:17",
        "src/policy.yaml:11:46",
        "src/policy.yaml:14:5",
        "src/policy.yaml:20:12",
        "src/shape.yaml:7:5",
        "src/shape.yaml:8:39",
    ]
    assert len(re.findall(r"^ *> *\d+ \| ", text, re.MULTILINE)) == 7, text
    assert "internal fault" not in text


def test_what_only_follows_from_a_file_that_can_not_be_read_is_not_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = ProjectFolder.write(
        tmp_path, {**FILES, "src/torn.yaml": "namespace: x\nentries:\n  - {name: a"}
    )
    code, text = said(project, capsys)
    assert code == 2
    assert [each.partition(":")[0] for each in places(text)] == [
        *("src/lua.yaml", "src/policy.yaml", "src/policy.yaml", "src/policy.yaml"),
        *("src/shape.yaml", "src/shape.yaml", "src/torn.yaml"),
    ]
    assert "othr" not in text  # it may be declared in the file that is torn


def test_a_file_that_declares_nothing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = ProjectFolder.write(
        tmp_path,
        {
            **{name: FILES[name] for name in (".wippy.yaml", "wippy.lock", "src/_index.yaml")},
            "src/data.json": '{"a": 1}\n',
            "src/notes.yaml": "title: x\n",
            "src/policies.test.yaml": "tests: []\n",
            "src/wippy.yaml": "organization: acme\nmodule: shop\n",
        },
    )
    ended = project.run("run", "work", "--ephemeral")
    assert ended.code == 0, ended.stderr
    assert (
        "notice: not read as entries, since they have no `namespace`: `src/data.json`, `src/notes.yaml`\n"
    ) in ended.stderr


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("secruity: {strict_mode: true}\n", ".wippy.yaml:2:12", "setting `secruity.strict_mode` is unknown"),
        ("security: {strict_mod: true}\n", ".wippy.yaml:2:12", "did you mean `security.strict_mode`?"),
        ("limts:\n", ".wippy.yaml:2:1", "setting `limts` is unknown"),
        ("limts: {}\n", ".wippy.yaml:2:1", "did you mean `limits`?"),
        ("limits: {stepps: }\n", ".wippy.yaml:2:10", "did you mean `limits.steps`?"),
        ("security: true\n", ".wippy.yaml:2:1", "setting `security` is a section; expected a map"),
    ],
)
def test_an_unknown_setting_is_refused_with_what_was_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, place: str, words: str
) -> None:
    project = ProjectFolder.write(tmp_path, {**FILES, ".wippy.yaml": SETTINGS + text})
    code, error = said(project, capsys)
    assert code == 2
    assert f"{place}: " in error
    assert words in error
    assert "did you mean" in error or "section" in error


def test_a_section_with_nothing_in_it_asks_for_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {name: FILES[name] for name in ("wippy.lock", "src/_index.yaml")}
    text = SETTINGS + "limits:\nsecurity: {}\nlua: {cache: }\njail: {level: }\n"
    project = ProjectFolder.write(tmp_path, {**files, ".wippy.yaml": text})
    assert project.run("run", "work", "--ephemeral").code == 0
