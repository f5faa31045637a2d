"""A refusal reaches the script, the journal and the terminal with action, resource, actor and policies."""

from __future__ import annotations

from pathlib import Path

from runtime.app.denials import SAID, Denials
from runtime.security.guard import Denial
from runtime.testing.project import ProjectFolder

INDEX = """
namespace: shop
entries:
  - name: terminal
    kind: terminal.host
  - name: reads
    kind: security.policy
    policy: {actions: registry.get, resources: "shop:*", effect: allow}
  - name: keeps
    kind: security.policy
    policy: {actions: "*", resources: "shop:safe", effect: deny}
  - name: work
    kind: process.lua
    meta:
      command: {name: work, security: {actor: {id: "shop:clerk"}, policies: [reads, keeps]}}
    source: |
      local registry, io, json = require("registry"), require("io"), require("json")
      return { main = function()
        for _ = 1, 3 do
          local _, err = registry.get("shop:safe")
          io.print(json.encode({ kind = err:kind(), message = err:message(), details = err:details() }))
        end
      end }
    method: main
    modules: [registry, io, json]
"""


def test_a_denial_says_the_same_to_the_script_the_terminal_and_the_journal(tmp_path: Path) -> None:
    files = {".wippy.yaml": 'version: "1.0"\n', "src/_index.yaml": INDEX}
    project = ProjectFolder.write(tmp_path, files)
    ended = project.run("run", "work")
    message = "not allowed: registry.get on `shop:safe` (actor `shop:clerk`, denied by policy `shop:keeps`)"
    assert ended.code == 0, ended.stderr
    for part in ('"kind":"PermissionDenied"', message, '"actor":"shop:clerk"', '"policies":["shop:keeps"]'):
        assert ended.stdout.count(part) == 3
    assert ended.stderr.count(message) == 1
    events = project.events("policy.denied")
    assert [event.payload for event in events] == 3 * [
        {
            "action": "registry.get",
            "resource": "shop:safe",
            "actor": "shop:clerk",
            "policies": ["shop:keeps"],
            "why": "denied by policy `shop:keeps`",
        }
    ]
    assert {event.actor for event in events} == {"shop:clerk"}


def test_the_lines_of_one_run_are_bounded_and_the_records_are_not() -> None:
    recorded: list[Denial] = []
    said: list[str] = []
    denials = Denials(recorded.append, said.append)
    for number in range(100):
        for _ in range(2):
            denials(Denial("env.get", f"KEY{number}", "a:b", (), "no policy allows it"))
    assert len(recorded) == 200
    assert len(said) == SAID + 1
    assert said[-1].startswith("more was refused: see `runtime journal")


def test_a_resource_can_not_steer_the_terminal() -> None:
    said: list[str] = []
    Denials(lambda _: None, said.append)(Denial("env.get", "a\x1b[2J\nb\u202e", "a:b", (), "why"))
    assert said == ["not allowed: env.get on `a\\u{1b}[2J\\nb\\u{202e}` (actor `a:b`, why)"]
