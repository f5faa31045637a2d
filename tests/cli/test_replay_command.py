"""`runtime replay`: a run comes again from its journal, and the first thing that differs ends it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import runtime
from runtime.app.tape import Divergence, Tape
from runtime.journal import types
from runtime.journal.events import Draft, Event
from runtime.journal.memory import MemoryJournal
from runtime.testing.project import ProjectFolder

ROOT = Path(runtime.__file__).parents[1]
TOOL = "app.generated:current_time"


def test_a_run_comes_again_with_its_tools_and_nothing_is_written(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    ran = project.run("run", "app", "agent", "--yes", stdin="what time is it?\nwhat day is it?\n")
    assert f"[+] {TOOL}" in ran.stdout
    before = project.events()
    (project.root / "src/agent.lua").write_text("return { main = function() return 1 end }")  # not what ran
    played = project.run("replay", "last")
    assert (played.code, played.stdout) == (0, ran.stdout)
    session = before[-1].stream.removeprefix("session:")
    again = project.run("replay", session, "--json")
    assert json.loads(again.stdout)["session"] == session
    assert project.events() == before
    missing = project.run("replay", "nothing")
    assert (missing.code, missing.stdout) == (3, "")


CLOCK = {
    ".wippy.yaml": 'version: "1.0"\n',
    "src/_index.yaml": """version: "1.0"
namespace: app
entries:
  - {name: need, kind: ns.dependency, component: wippy/terminal, version: "*"}
  - name: allow
    kind: security.policy
    policy: {actions: "*", resources: "*", effect: allow}
  - name: tick
    kind: process.lua
    source: file://tick.lua
    method: main
    modules: [funcs, io, time]
    meta:
      command: {name: tick, security: {actor: {id: me}, policies: [allow]}}
  - name: echo
    kind: function.lua
    source: "return { run = function(input) return input end }"
    method: run
    meta: {type: tool, input_schema: {type: object, properties: {}}}
""",
    "src/tick.lua": """local funcs, io, time = require("funcs"), require("io"), require("time")
local function main()
  io.print(tostring(funcs.call("app:echo", { same = 1 }).same))
  funcs.call("app:echo", { now = time.now():unix_nano() })
  return 0
end
return { main = main }
""",
}


def test_a_run_that_is_another_one_ends_at_the_event_where_it_differs(tmp_path: Path) -> None:
    project = ProjectFolder.write(tmp_path / "app", CLOCK)
    assert project.run("run", "tick").stdout == "1\n"
    request = project.events("tool.requested")[-1]
    played = project.run("replay", "last")
    assert (played.code, played.stdout) == (5, "1\n")
    assert f"the replay diverges at event {request.seq}: its `arguments` differ" in played.stderr


class Recorded:
    """A session as it was recorded, and the same to happen again."""

    def __init__(self) -> None:
        self.journal = MemoryJournal()

    def event(self, type: str, payload: Any = None, cause: int | None = None) -> Event:
        return self.journal.append("session:1", [Draft(type, payload, cause=cause)])[0]


def play(recorded: Recorded, happens: Sequence[Event]) -> Tape:
    tape = Tape(recorded.journal.read())
    for event in happens:
        tape.take(event)
    return tape


def test_the_same_events_play_to_the_end_whatever_lies_between_them() -> None:
    recorded, again = Recorded(), Recorded()
    for side, extra in ((recorded, types.PROCESS_SPAWNED), (again, types.POLICY_DENIED)):
        side.event(extra, {"other": extra})
        side.event(types.MESSAGE_ADDED, {"role": "user", "content": [{"text": "hi"}], "digest": "d"})
        request = side.event(types.LLM_REQUESTED, {"messages": ["d"]})
        side.event(types.LLM_RESPONDED, {"result": "ho"}, request.seq)
    assert Tape(recorded.journal.read()).next_line() == "hi"
    tape = play(recorded, list(again.journal.read()))
    tape.finish()
    assert (tape.played, tape.next_line()) == (3, None)


def test_what_happened_inside_a_tool_is_not_played() -> None:
    recorded, again = Recorded(), Recorded()
    outer = recorded.event(types.TOOL_REQUESTED, {"id": "a"})
    inner = recorded.event(types.TOOL_REQUESTED, {"id": "b"}, outer.seq)
    recorded.event(types.TOOL_RESPONDED, {"result": 1}, inner.seq)
    recorded.event(types.MESSAGE_ADDED, {"role": "user"}, outer.seq)
    recorded.event(types.TOOL_RESPONDED, {"result": 2}, outer.seq)
    tape = Tape(recorded.journal.read())
    request = again.event(types.TOOL_REQUESTED, {"id": "a"})
    tape.take(request)
    assert tape.answer_to(request.seq).payload == {"result": 2}
    tape.take(again.event(types.TOOL_RESPONDED, {"result": 2}, request.seq))
    tape.finish()


def test_a_request_without_an_answer_ends_the_replay() -> None:
    for lost in (False, True):
        recorded, again = Recorded(), Recorded()
        request = recorded.event(types.TOOL_REQUESTED, {"id": "a"})
        if lost:  # the next start closed what a crash had left open
            recorded.event(types.TOOL_FAILED, {"error": {}, "lost": True}, request.seq)
        happens = again.event(types.TOOL_REQUESTED, {"id": "a"})
        tape = play(recorded, [happens])
        with pytest.raises(Divergence, match=f"event {request.seq}: the request has no answer"):
            tape.answer_to(happens.seq)


@pytest.mark.parametrize(
    ("type", "payload", "why"),
    [
        (types.TOOL_REQUESTED, {"id": "a", "arguments": [2]}, "its `arguments` differ"),
        (types.LLM_REQUESTED, {"id": "a"}, "`tool.requested` was recorded, `llm.requested` happens"),
    ],
)
def test_another_request_is_a_divergence_that_stays(type: str, payload: Any, why: str) -> None:
    recorded, again = Recorded(), Recorded()
    recorded.event(types.TOOL_REQUESTED, {"id": "a", "arguments": [1]})
    tape = Tape(recorded.journal.read())
    with pytest.raises(Divergence, match=why) as raised:
        tape.take(again.event(type, payload))
    assert tape.divergence is raised.value
    assert raised.value.details == {"event": 1}


def test_less_or_more_than_was_recorded_is_a_divergence() -> None:
    recorded, again = Recorded(), Recorded()
    recorded.event(types.MESSAGE_ADDED, {"n": 1})
    tape = Tape(recorded.journal.read())
    with pytest.raises(Divergence, match="was recorded and did not happen"):
        tape.finish()
    tape = play(recorded, [again.event(types.MESSAGE_ADDED, {"n": 1})])
    with pytest.raises(Divergence, match="behind the end"):
        tape.take(again.event(types.MESSAGE_ADDED, {"n": 2}))


def test_the_rest_of_the_world_goes_on_up_to_the_next_event() -> None:
    recorded, again = Recorded(), Recorded()
    first = recorded.event(types.MESSAGE_ADDED, {"n": 1})
    recorded.event(types.PROCESS_EXITED)
    last = recorded.event(types.MESSAGE_ADDED, {"n": 2})
    heard: list[int] = []
    tape = Tape(recorded.journal.read(), heard.append)
    tape.begin()
    tape.take(again.event(types.MESSAGE_ADDED, {"n": 1}))
    assert heard == [first.seq, last.seq]


def test_a_rerun_asks_anew_on_a_branch_that_begins_before_the_session(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    first = project.run("run", "app", "agent", "--yes", stdin="sha256 of hello?\n")
    second = project.run("run", "app", "agent", "--yes", stdin="what time is it?\nwhat day is it?\n")
    assert f"[+] {TOOL}" in second.stdout
    recorded = project.events()
    again = project.run("replay", "last", "--rerun", stdin="this is not read\n")
    assert again.code == 0, again.stderr
    assert f"[+] {TOOL}" in again.stdout  # it was not there when the session began, so it is made again
    assert "hash_text" not in again.stdout and "hash_text" in first.stdout
    with project.journal() as journal:
        branch = next(iter(journal.forks().by_name))
        assert branch.startswith("rerun-") and branch in again.stderr
        new = [event for event in journal.on(branch).read() if event.branch == branch]
    assert [event for event in project.events() if event.stream != "branches"] == recorded
    lines = [each.payload for each in new if each.type == "message.added"]
    said: list[Any] = [each for each in lines if isinstance(each, dict) and each["role"] == "user"]
    assert [each["content"][0]["text"] for each in said] == ["what time is it?", "what day is it?"]
    compared = project.run("branch", "diff", "main", branch, "--json")
    assert compared.code == 0
    assert project.run("replay", "last").code == 0  # the rerun is a session like any other
    refused = project.run("replay", "last", "--offline")
    assert (refused.code, "--rerun" in refused.stderr) == (2, True)
    assert project.problems() == ()
