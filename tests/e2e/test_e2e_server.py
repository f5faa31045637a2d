"""A real server that speaks Chat Completions, driven by a script: the same loop, no key anywhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from e2e_parts import (
    BOTH,
    DIGEST,
    application,
    assert_complete,
    called,
    payload,
    talk,
    tool_lines,
    written,
)
from server_scripts import HASH_SOURCE, TIME_SOURCE, Said, create, load, results, scripted, two_questions

from runtime.testing.project import Ended, ProjectFolder
from runtime.testing.scripted_model import Recorded, call, say

KEY = "canary-4f1e7b2a99c0"  # of no known shape: it is hidden because it is the key
WIRE_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class Runs:
    project: ProjectFolder
    ended: Ended
    requests: list[Recorded] = field(repr=False)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    project = application(tmp_path_factory.mktemp("server"))
    with scripted(two_questions()) as model:
        ended = talk(project, BOTH, "--yes", OPENAI_BASE_URL=model.base_url, OPENAI_API_KEY=KEY)
    return Runs(project, ended, model.requests)


def test_a_scripted_server_gets_the_same_done(runs: Runs) -> None:
    assert runs.ended.code == 0, runs.ended
    day = next(
        payload(event)["result"]["date"]
        for event in runs.project.events("tool.responded")
        if payload(event)["id"] == "app.generated:current_time"
    )
    assert f"It is {day}T" in runs.ended.stdout
    assert f"The SHA-256 is {DIGEST}.\nBye!\n" in runs.ended.stdout
    made = ["doc_search", "create_tool", "load_tool"]
    assert called(runs.ended.stdout) == [*made, "current_time", *made, "hash_text"]
    assert written(runs.project) == ["app.generated:current_time", "app.generated:hash_text"]
    assert "scripted rehearsal" not in runs.ended.stderr


def test_every_request_has_exactly_one_answer(runs: Runs) -> None:
    assert_complete(runs.project)
    assert len(runs.project.events("llm.requested")) == len(runs.requests) == 10
    assert not any(payload(event)["scripted"] for event in runs.project.events("llm.requested"))


def test_the_key_goes_to_its_server_and_nowhere_else(runs: Runs) -> None:
    assert {request.headers["authorization"] for request in runs.requests} == {f"Bearer {KEY}"}
    assert KEY not in runs.ended.stdout + runs.ended.stderr
    assert runs.project.holds(KEY) == []
    assert "key OPENAI_API_KEY" in runs.ended.stderr


def test_what_goes_over_the_wire_is_what_every_provider_takes(runs: Runs) -> None:
    for request in runs.requests:
        assert request.path == "/v1/chat/completions"
        assert request.body["stream"] is True
        assert request.body["model"] == "gpt-5.1"
        assert len(set(offered(request.body))) == len(offered(request.body))
        for tool in request.body["tools"]:
            assert tool["function"]["parameters"]["type"] == "object"
            assert tool["function"]["parameters"]["properties"]
        assert_paired(request.body["messages"])


def offered(body: dict[str, Any]) -> list[str]:
    """Return the names of the tools that a request offers; all are such as a provider takes."""
    names: list[str] = [tool["function"]["name"] for tool in body["tools"]]
    assert all(WIRE_NAME.fullmatch(name) for name in names), names
    return names


def assert_paired(messages: list[dict[str, Any]]) -> None:
    """Each call is answered right behind the message that asks for it, once and in order."""
    at = 0
    while at < len(messages):
        asked = [each["id"] for each in messages[at].get("tool_calls") or ()]
        answered = [each.get("tool_call_id") for each in messages[at + 1 : at + 1 + len(asked)]]
        assert answered == asked
        at += 1 + len(asked)
        assert at >= len(messages) or messages[at]["role"] != "tool"


def test_the_conversation_outlives_the_reload_of_the_agent(runs: Runs) -> None:
    last = runs.requests[-1].body["messages"]
    assert [m["content"] for m in last if m["role"] == "user"] == BOTH.splitlines()
    before, after = (set(offered(runs.requests[number].body)) for number in (2, 3))
    assert after - before == {"current_time"}


def test_a_tool_that_exists_is_updated_whatever_signs_its_name_has(tmp_path: Path) -> None:
    project = application(tmp_path)
    script: list[Said] = [
        create("hash.it", HASH_SOURCE, ["hash"], "c1"),
        load("hash.it", "c2"),
        create("hash.it", HASH_SOURCE.replace("sha256", "md5"), ["hash"], "c3"),
        lambda body: call(next(n for n in offered(body) if "hash" in n), {"text": "hello"}, "c4"),
        say("Done."),
    ]
    with scripted(script) as model:
        ended = talk(project, "go\n", "--yes", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0
    found = results(model.requests[-1].body)
    assert found["c1"] == {"id": "app.generated:hash.it", "created": True}
    assert found["c3"] == {"id": "app.generated:hash.it", "updated": True}
    assert found["c4"] == {"hex": "5d41402abc4b2a76b9719d911017c592"}


# -- overwriting ---------------------------------------------------------------------------------------------

REFUSED = {
    "app:dev_assistant": "policy denied: update on app:dev_assistant",
    "app:another_agent": "policy denied: create on app:another_agent",
    "app.tools:doc_search": "policy denied: update on app.tools:doc_search",
    "app.tools:another": "policy denied: create on app.tools:another",
    "doc_search": "the name `doc_search` is that of the tool app.tools:doc_search; choose another one",
    "wippy.llm:llm": "not allowed: registry.get on `wippy.llm:llm`",
    "other:tool": "not allowed: registry.get on `other:tool`",
}


@pytest.fixture(scope="module")
def overwriting(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    project = application(tmp_path_factory.mktemp("overwriting"))
    script = [create(name, TIME_SOURCE, ["time"], f"c{at}") for at, name in enumerate(REFUSED)]
    with scripted([*script, say("I was refused.")]) as model:
        ended = talk(project, "Overwrite everything.\n", "--yes", OPENAI_BASE_URL=model.base_url)
    return Runs(project, ended, model.requests)


@pytest.mark.parametrize(("at", "name"), [*enumerate(REFUSED)], ids=list(REFUSED))
def test_a_server_can_not_have_it_overwritten(overwriting: Runs, at: int, name: str) -> None:
    found = results(overwriting.requests[-1].body)[f"c{at}"]
    assert found["error"].startswith(REFUSED[name])
    assert tool_lines(overwriting.ended.stdout)[at] == ("create_tool", f"error: {found['error']}")


def test_a_refused_overwrite_changes_nothing(overwriting: Runs) -> None:
    assert overwriting.ended.code == 0
    assert written(overwriting.project) == []
    assert_complete(overwriting.project)


def test_the_rehearsal_is_refused_too_and_says_so(tmp_path: Path) -> None:
    asked = {
        "Overwrite your own prompt.": "policy denied: update on app:dev_assistant",
        "please replace doc_search": "policy denied: update on app.tools:doc_search",
        "overwrite app.tools:load_tool": "policy denied: update on app.tools:load_tool",
    }
    project = application(tmp_path)
    ended = talk(project, "".join(f"{line}\n" for line in asked), "--yes")
    assert ended.code == 0
    for denied in asked.values():
        assert f"[create_tool] error: {denied}\n" in ended.stdout
        assert f"was denied: {denied}." in ended.stdout
    assert written(project) == []


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_tool_calls_of_a_cut_answer_are_told_and_not_run(tmp_path: Path, finish: str) -> None:
    project = application(tmp_path)
    with scripted([call("registry_list", {}, finish=finish), say("Ok.")]) as model:
        ended = talk(project, "go\non\n", "--yes", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0
    assert "Error: the answer was cut short before its tool calls were complete; none of" in ended.stdout
    assert "no answer" not in ended.stdout
    assert called(ended.stdout) == []
    assert project.events("tool.requested") == []
    assert_complete(project)
