"""The application without a key: the scripted rehearsal works for its answers and says what it is."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from e2e_parts import (
    BOTH,
    DIGEST,
    TIME,
    application,
    assert_complete,
    called,
    edit_entries,
    name_documentation,
    pages,
    payload,
    talk,
    written,
)

from runtime.testing.project import Ended, ProjectFolder

MADE = ["registry_list", "doc_search", "create_tool", "load_tool"]
CURRENT_TIME, HASH_TEXT = "app.generated:current_time", "app.generated:hash_text"


@dataclass(frozen=True)
class Runs:
    """The same two questions three times, on one state."""

    project: ProjectFolder
    days: set[str]
    first: Ended
    files: set[str]
    listed: Ended
    as_json: Ended
    second: Ended
    third: Ended


def today() -> str:
    return datetime.now(UTC).date().isoformat()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    project = application(tmp_path_factory.mktemp("offline"))
    days = {today()}
    first = talk(project, BOTH, "--yes")
    files = project.state_files()
    days.add(today())
    listed = project.run("registry", "list", "--ns", "app.generated")
    as_json = project.run("registry", "list", "--ns", "app.generated", "--format", "json")
    second = talk(project, BOTH, "--yes")
    for name in project.state_files() - {"journal.db"}:
        (project.state / name).unlink()
    third = talk(project, BOTH, "--yes")
    return Runs(project, days, first, files, listed, as_json, second, third)


def test_the_two_questions_are_answered_with_what_the_tools_returned(runs: Runs) -> None:
    assert runs.first.code == 0
    assert any(f"It is {day}T" in runs.first.stdout for day in runs.days)
    assert f"The SHA-256 of `hello` is {DIGEST}." in runs.first.stdout
    assert runs.first.stdout.endswith("Bye!\n")
    results = {
        payload(event)["id"]: payload(event)["result"] for event in runs.project.events("tool.responded")
    }
    assert results[HASH_TEXT]["hex"] == DIGEST
    assert results[CURRENT_TIME]["date"] in runs.days


def test_a_missing_tool_is_looked_for_read_about_written_loaded_and_called(runs: Runs) -> None:
    assert called(runs.first.stdout) == [*MADE, "current_time", *MADE, "hash_text"]
    assert runs.first.stdout.count(f"  [+] {CURRENT_TIME}\n") == 1
    assert runs.first.stdout.count(f"  [+] {HASH_TEXT}\n") == 1


def test_the_registry_lists_what_was_written(runs: Runs) -> None:
    assert (runs.listed.code, runs.as_json.code) == (0, 0)
    lines = runs.listed.stdout.splitlines()[1:]
    assert [line.split()[:3] for line in lines] == [
        [CURRENT_TIME, "function.lua", "runtime"],
        [HASH_TEXT, "function.lua", "runtime"],
    ]
    rows = [json.loads(line) for line in runs.as_json.stdout.splitlines()]
    assert [row["id"] for row in rows] == [CURRENT_TIME, HASH_TEXT]
    assert {row["schema"] for row in rows} == {"entry.row/1"}


def test_the_next_run_finds_and_loads_what_is_there(runs: Runs) -> None:
    assert runs.second.code == 0
    reused = ["registry_list", "load_tool"]
    assert called(runs.second.stdout) == [*reused, "current_time", *reused, "hash_text"]
    assert DIGEST in runs.second.stdout
    assert written(runs.project) == [CURRENT_TIME, HASH_TEXT]


def test_the_journal_is_all_that_a_run_needs_of_an_earlier_one(runs: Runs) -> None:
    assert runs.third.code == 0
    assert without_times(runs.third.stdout) == without_times(runs.second.stdout)


def without_times(text: str) -> str:
    return re.sub(r"\d{2}:\d{2}:\d{2}", "", re.sub(r"\d{4}-\d{2}-\d{2}", "", text))


def test_the_state_folder_holds_nothing_else(runs: Runs) -> None:
    assert runs.files == {"journal.db", "host.lock", ".gitignore"}
    modes = {file.name: file.stat().st_mode & 0o777 for file in runs.project.state.iterdir()}
    assert modes["journal.db"] == 0o600
    assert runs.project.state.stat().st_mode & 0o777 == 0o700


def test_the_journal_tells_all_of_it_and_marks_the_rehearsal(runs: Runs) -> None:
    assert_complete(runs.project)
    assert all(payload(event)["scripted"] for event in runs.project.events("llm.requested"))
    answers = runs.project.events("llm.responded")
    assert all(payload(event)["metadata"]["scripted"] for event in answers)
    assert [payload(event)["code"] for event in runs.project.events("run.ended")] == [0, 0, 0]


def test_the_rehearsal_is_announced_and_never_said_to_be_a_model(runs: Runs) -> None:
    assert "an embedded scripted rehearsal answers, not an LLM" in runs.first.stderr
    assert "OPENAI_API_KEY" in runs.first.stderr


# -- other words, other inputs -------------------------------------------------------------------------------


def test_other_words_and_inputs_get_other_answers(tmp_path: Path) -> None:
    project = application(tmp_path)
    asked = {
        "Could you tell me the current time in Madrid, please?": r"It is \d{4}-\d\d-\d\dT[\d:]+\+0[12]:00",
        "compute the SHA-256 checksum of 'Grüße, Welt!'": hashlib.sha256("Grüße, Welt!".encode()).hexdigest(),
        "md5 of tomato": hashlib.md5(b"tomato").hexdigest(),
        "base64 encode the text run time": re.escape(base64.b64encode(b"run time").decode()),
        "make 3 UUIDs": r"made 3 UUIDs: (?:[0-9a-f-]{36}(?:, |\.)){3}",
        "which tools are in the registry?": r"app\.tools:create_tool",
        "who was the first on the moon?": r"scripted rehearsal.*OPENAI_API_KEY",
    }
    ended = talk(project, "".join(f"{question}\n" for question in asked), "--yes")
    assert ended.code == 0
    at = 0
    for question, answer in asked.items():  # in the order in which they were asked
        found = re.search(answer, ended.stdout[at:])
        assert found, question
        at += found.end()


@pytest.mark.parametrize("way", ["it is not given", "it is not there"])
def test_what_the_agent_was_not_given_it_does_not_use(tmp_path: Path, way: str) -> None:
    project = application(tmp_path)
    if way == "it is not there":
        project.replace("src/tools/_index.yaml", "name: create_tool\n", "name: another_tool\n")
        project.replace("src/tools/_index.yaml", "llm_alias: create_tool\n", "llm_alias: another_tool\n")
    else:

        def give_less(entries: dict[str, dict[str, Any]]) -> None:
            given = ["doc_search", "registry_list", "registry_read", "load_tool"]
            entries["dev_assistant"]["tools"] = [f"app.tools:{name}" for name in given]

        edit_entries(project, give_less)
    ended = talk(project, f"{TIME}\n", "--yes")
    assert "`create_tool` is not among the tools that I was given" in ended.stdout
    assert called(ended.stdout) == ["registry_list"]
    assert written(project) == []


CHANGED_PAGE = """\
# Time

## A tool

Tells a time that no clock shows.

Modules: time

```lua
local time = require("time")

local function handler(input)
  return { time = "1815-12-10T12:00:00Z", zone = input.zone or "noon" }
end

return { handler = handler }
```
"""


def test_another_page_makes_another_tool(tmp_path: Path) -> None:
    project = application(tmp_path)
    with pages({"lua/core/time": CHANGED_PAGE}) as base:
        name_documentation(project, base)
        ended = talk(project, f"{TIME}\n", "--yes")
    assert ended.code == 0
    assert "It is 1815-12-10T12:00:00Z" in ended.stdout
    created = payload(project.events("registry.applied")[-1])["ops"][0]["entry"]
    assert created["data"]["source"] in CHANGED_PAGE
    assert created["meta"]["comment"] == "Tells a time that no clock shows."


def test_a_page_without_a_tool_gives_none(tmp_path: Path) -> None:
    project = application(tmp_path)
    with pages({"lua/core/time": CHANGED_PAGE.replace("## A tool", "## A tale")}) as base:
        name_documentation(project, base)
        ended = talk(project, f"{TIME}\n", "--yes")
    assert ended.code == 0
    assert "has no section `A tool`, so I have nothing to write a tool from" in ended.stdout
    assert written(project) == []
