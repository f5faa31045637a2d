"""`runtime policy` answers for a project as it would start, in three formats, and writes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runtime.cli.main import run_command_line
from runtime.testing.project import ProjectFolder

INDEX = """
namespace: shop
entries:
  - name: reads
    kind: security.policy
    groups: [staff]
    policy: {actions: registry.get, resources: "shop:*", effect: allow}
  - name: keeps
    kind: security.policy
    groups: [staff]
    policy: {actions: "*", resources: "shop:safe", effect: deny}
  - name: work
    kind: process.lua
    meta:
      command: {name: work, security: {actor: {id: "shop:clerk"}, groups: [staff]}}
    source: return {main = function() end}
    method: main
  - name: bare
    kind: process.lua
    meta: {command: {name: bare}}
    source: return {main = function() end}
    method: main
  - name: broken
    kind: process.lua
    meta: {command: {name: broken, security: {actor: {id: "shop:b"}, policies: [gone]}}}
    source: return {main = function() end}
    method: main
  - name: pool
    kind: process.host
  - name: worker
    kind: process.service
    process: shop:work
    host: shop:pool
    lifecycle:
      security: {actor: {id: "shop:robot", meta: {role: night}}, policies: [reads]}
"""


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    files = {
        ".wippy.yaml": 'version: "1.0"\n',
        "src/_index.yaml": INDEX,
        "wippy.lock": "directories: {modules: .wippy/vendor, src: ./src}\n",
    }
    return ProjectFolder.write(tmp_path, files)


@pytest.fixture
def ask(project: ProjectFolder, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str) -> tuple[int, str, str]:
        code = run_command_line(["policy", *words, "--project", str(project.root)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_list_shows_the_policies_in_force(ask: Any) -> None:
    code, out, _ = ask("list", "--json")
    found = {row["id"]: row for row in rows(out)}
    assert code == 0
    assert found["shop:keeps"]["effect"] == "deny"
    assert found["shop:reads"]["groups"] == ["shop:staff"]


def test_actors_are_the_commands_and_services_with_what_is_wrong_with_them(ask: Any) -> None:
    _, out, _ = ask("actors", "--json")
    found = {row["entry"]: row for row in rows(out)}
    assert found["shop:work"]["policies"] == ["shop:keeps", "shop:reads"]
    assert found["shop:worker"]["actor"] == "shop:robot"
    assert found["shop:bare"]["problem"] == "no actor: refused in strict mode"
    assert found["shop:broken"]["problem"] == (
        "does not start: policy not found: `shop:gone`, which the command `broken` names"
    )


@pytest.mark.parametrize("who", ["shop:clerk", "work", "shop:work"])
def test_why_takes_an_actor_a_command_or_an_entry(ask: Any, who: str) -> None:
    code, out, _ = ask("why", who, "registry.get", "shop:till")
    assert code == 0
    assert out.startswith("allowed: registry.get on `shop:till` by `shop:clerk`")


def test_why_of_a_refusal_ends_with_4_and_says_what_would_change_it(ask: Any) -> None:
    code, out, _ = ask("why", "work", "registry.get", "shop:safe")
    assert code == 4
    assert "denied by policy `shop:keeps`" in out
    assert "no allow outweighs a deny" in out
    code, out, _ = ask("why", "shop:robot", "env.get", "HOME", "--json")
    assert code == 4
    assert rows(out)[0]["suggestion"].startswith("policy:\n  actions: env.get\n")


def test_why_of_a_command_without_authority_says_so(ask: Any) -> None:
    code, out, _ = ask("why", "bare", "env.get", "HOME")
    assert code == 4
    assert "the call has no actor, and strict mode is on" in out


def test_a_scope_may_be_a_policy_or_a_group_and_the_actor_any_name(ask: Any) -> None:
    assert ask("why", "anybody", "registry.get", "shop:x", "--scope", "shop:reads")[0] == 0
    assert ask("why", "anybody", "registry.get", "shop:safe", "--scope", "shop:staff")[0] == 4
    code, _, err = ask("why", "anybody", "registry.get", "shop:x", "--scope", "shop:none")
    assert code == 3
    assert "neither a policy nor a group" in err


def test_an_actor_that_nothing_declares_is_not_found_with_the_nearest_name(ask: Any) -> None:
    code, _, err = ask("why", "shop:clark", "registry.get", "shop:x")
    assert code == 3
    assert "did you mean `shop:clerk`?" in err


def test_effective_fits_a_screen_and_says_what_is_not_there(ask: Any) -> None:
    code, out, _ = ask("effective", "shop:robot")
    assert code == 0
    assert len(out.splitlines()) < 24
    assert "allow  registry.get  shop:*  (shop:reads)" in out
    assert "processes: nothing" in out
    assert ask("effective", "bare")[1].endswith("may do nothing\n")


def test_a_table_that_does_not_hold_ends_with_1_and_the_place(ask: Any, project: ProjectFolder) -> None:
    project.put(
        "t.yaml", "tests:\n- actor: work\n  requests:\n  - {action: env.get, resource: A, expected: allow}\n"
    )
    code, out, _ = ask("test", str(project.root / "t.yaml"))
    assert code == 1
    assert "t.yaml:4:5: work env.get A: expected allow, got undefined" in out
    assert "0 of 1 requests" in out
    assert ask("test", "nowhere.yaml")[0] == 3


def test_nothing_is_written(ask: Any, project: ProjectFolder) -> None:
    before = set(project.root.rglob("*"))
    for words in (["list"], ["actors"], ["effective", "work"], ["why", "work", "env.get", "A"]):
        ask(*words)
    assert set(project.root.rglob("*")) == before


@pytest.mark.parametrize("meta", ["kind", "=x"])
def test_a_meta_that_is_no_pair_is_a_usage_error(ask: Any, meta: str) -> None:
    assert ask("why", "work", "registry.apply", "x", "--meta", meta)[0] == 2


def test_a_misspelt_actor_or_reason_of_a_table_is_told_with_its_place(
    ask: Any, project: ProjectFolder
) -> None:
    request = "{{action: registry.get, resource: 'shop:x', {rest}}}"
    text = f"tests:\n  - actor: {{who}}\n    requests:\n      - {request}\n"
    project.put("a.yaml", text.format(who="shop:clrk", rest="expected: allow"))
    code, _, err = ask("test", str(project.root / "a.yaml"))
    assert code == 3
    assert "a.yaml:4:9: `shop:clrk` is no actor" in err
    assert "did you mean `shop:clerk`?" in err
    project.put("b.yaml", text.format(who="work", rest="expected: allow, reasons: ['shop:raeds']"))
    code, out, _ = ask("test", str(project.root / "b.yaml"))
    assert code == 1
    assert "expected shop:raeds, which is not loaded; did you mean `shop:reads`?" in out
