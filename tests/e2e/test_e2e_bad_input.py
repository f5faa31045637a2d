"""Bad input of every kind: a clear message, the right exit code, nothing half-written, no lasting harm."""

from __future__ import annotations

import io
import re
import threading
from pathlib import Path

import pytest
from e2e_parts import (
    AGENT,
    HASH,
    INDEX,
    application,
    assert_complete,
    assert_works,
    payload,
    talk,
    written,
)
from server_scripts import FETCH_SOURCE, create, scripted

from runtime.testing.project import ProjectFolder
from runtime.testing.scripted_model import Turn, say

# -- the project ---------------------------------------------------------------------------------------------


def test_an_empty_folder_says_what_makes_a_project(tmp_path: Path) -> None:
    project = ProjectFolder.write(tmp_path, {})
    ended = talk(project, f"{HASH}\n")
    assert (ended.code, ended.stdout) == (3, "")
    assert ended.stderr.startswith("error: no project here; create `.wippy.yaml`")
    assert "src/_index.yaml" in ended.stderr
    assert list(project.root.iterdir()) == []


def test_a_missing_lock_is_written_and_said(tmp_path: Path) -> None:
    project = application(tmp_path)
    lock = project.root / "wippy.lock"
    before = lock.read_text()
    lock.unlink()
    refused = talk(project, "quit\n", "--locked")
    assert (refused.code, lock.exists()) == (3, False)
    assert "`wippy.lock` is missing" in refused.stderr
    ended = talk(project, "quit\n")
    assert ended.code == 0
    assert "notice: wrote wippy.lock, which was missing\n" in ended.stderr
    assert lock.read_text() == before
    assert "wippy.lock" not in talk(project, "quit\n").stderr


EXTRA = "namespace: app.extra\nentries:\n  - name: a\n    kind: "

BROKEN = {
    "a YAML error": ("src/extra/_index.yaml", "namespace: app.extra\nentries: [\n", r"2:\d+|3:\d+"),
    "an unknown kind": (
        "src/extra/_index.yaml",
        EXTRA + "function.lau\n    source: return\n",
        r"4:5",
    ),
    "an unknown module": (
        "src/extra/_index.yaml",
        EXTRA + "function.lua\n    method: main\n    modules: [tmie]\n    source: return {}\n",
        r"6:15",
    ),
    "a double key": ("src/extra/_index.yaml", "namespace: app.extra\nnamespace: b\nentries: []\n", r"2:1"),
    "a Lua syntax error": ("src/agent.lua", "local function main(\nreturn { main = main }\n", r"2:1"),
    "a Lua syntax error in a tool": ("src/tools/load_tool.lua", "\n\nreturn return\n", r"3:8"),
    "a policy with a misspelt effect": (
        "src/extra/_index.yaml",
        EXTRA + "security.policy\n    policy:\n      actions: x\n      resources: y\n      effect: alow\n",
        r"8:7",
    ),
    "a setting of the wrong type": (
        ".wippy.yaml", 'version: "1.0"\nsecurity:\n  strict_mode: sometimes\n', r"3:3"
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_in_a_file_names_its_place(tmp_path: Path, fault: str) -> None:
    path, text, at = BROKEN[fault]
    project = application(tmp_path)
    project.put(path, text)
    ended = talk(project, f"{HASH}\n", "--yes")
    assert (ended.code, ended.stdout) == (2, ""), ended
    assert re.match(rf"error: {re.escape(path)}:({at}): ", ended.stderr), ended.stderr
    assert "Traceback" not in ended.stderr


def test_once_the_fault_is_mended_the_next_run_works(tmp_path: Path) -> None:
    project = application(tmp_path)
    path, text, _ = BROKEN["a Lua syntax error"]
    whole = (project.root / path).read_text(encoding="utf-8")
    project.put(path, text)
    assert talk(project, f"{HASH}\n", "--yes").code == 2
    project.put(path, whole)
    assert_works(project)


def test_every_fault_of_every_file_is_said_at_once(tmp_path: Path) -> None:
    project = application(tmp_path)
    for name in ("a", "b"):
        project.put(f"src/{name}/_index.yaml", f"namespace: app.{name}\nentries: [\n")
    ended = talk(project, f"{HASH}\n")
    assert ended.code == 2
    assert [line.split(":")[1].strip() for line in ended.stderr.splitlines()] == [
        "src/a/_index.yaml",
        "src/b/_index.yaml",
    ]


def test_a_component_that_is_not_there_is_named(tmp_path: Path) -> None:
    project = application(tmp_path)
    project.replace(INDEX, "component: wippy/security", "component: wippy/scurity")
    ended = talk(project, f"{HASH}\n")
    assert ended.code == 2
    assert re.match(rf"error: {INDEX}:\d+:\d+: component `wippy/scurity` is not here", ended.stderr)


def test_a_command_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    project = application(tmp_path)
    ended = project.run("run", "app", "agnet")
    assert ended.code == 3
    assert "`app` has no command `agnet`; did you mean `agent`? commands: `agent`" in ended.stderr


def test_an_option_that_is_not_there_is_a_fault_of_usage(tmp_path: Path) -> None:
    assert application(tmp_path).run(*AGENT, "--no-such-thing").code == 2


# -- the input -----------------------------------------------------------------------------------------------


def test_an_empty_line_asks_nothing(tmp_path: Path) -> None:
    project = application(tmp_path)
    with scripted([say("Hi.")]) as model:
        ended = talk(project, "\n   \n\t\nhello\n\n", OPENAI_BASE_URL=model.base_url)
    assert (ended.code, ended.stdout, len(model.requests)) == (0, "Hi.\nBye!\n", 1)


def test_one_prompt_is_one_turn_and_the_input_is_read_only_where_it_is_asked_for(tmp_path: Path) -> None:
    project = application(tmp_path)
    with scripted([say("One."), say("Two.")]) as model:
        given = talk(project, "not read\n", "-p", "hello", OPENAI_BASE_URL=model.base_url)
        asked = talk(project, "line one\nline two\n", "-p", "-", OPENAI_BASE_URL=model.base_url)
    assert [given.code, given.stdout, asked.code, asked.stdout] == [0, "One.\nBye!\n", 0, "Two.\nBye!\n"]
    said = [request.body["messages"][-1]["content"] for request in model.requests]
    assert said == ["hello", "line one\nline two"]


def test_no_input_at_all_says_bye(tmp_path: Path) -> None:
    project = application(tmp_path)
    ended = talk(project, "")
    assert (ended.code, ended.stdout) == (0, "Bye!\n")
    assert project.events("llm.requested") == []
    assert_works(project)


def test_the_end_of_input_in_the_middle_of_a_turn_lets_the_turn_end(tmp_path: Path) -> None:
    project = application(tmp_path)
    asked, closed = threading.Event(), threading.Event()
    answer = Turn([asked.set, {"content": "Slowly "}, closed, {"content": "but whole."}])
    with (
        scripted([answer]) as model,
        project.start(*AGENT, OPENAI_BASE_URL=model.base_url) as process,
    ):
        assert process.stdin is not None
        process.stdin.write("hello")  # without the end of a line
        process.stdin.close()
        assert asked.wait(30)
        closed.set()
        assert process.stdout is not None
        assert process.stdout.read() == "Slowly but whole.\nBye!\n"
        assert process.wait(30) == 0
    assert_complete(project)
    assert_works(project)


def test_bytes_that_are_no_text_and_a_long_line_do_no_harm(tmp_path: Path) -> None:
    project = application(tmp_path)
    with (
        scripted([say("Read."), say("Read too.")]) as model,
        project.start(*AGENT, OPENAI_BASE_URL=model.base_url) as process,
    ):
        assert isinstance(process.stdin, io.TextIOWrapper)
        process.stdin.buffer.write(b"\xff\xfe\x00odd\n" + b"x" * 300_000 + b"\n")
        process.stdin.close()
        assert process.stdout is not None
        assert process.stdout.read() == "Read.\nRead too.\nBye!\n"
        assert process.wait(30) == 0
    assert_complete(project)


# -- the state -----------------------------------------------------------------------------------------------


def test_a_second_host_of_the_project_is_refused_with_the_ways_out(tmp_path: Path) -> None:
    project = application(tmp_path)
    asked, go = threading.Event(), threading.Event()
    answer = Turn([asked.set, go, {"content": "Done."}])
    with (
        scripted([answer]) as model,
        project.start(*AGENT, OPENAI_BASE_URL=model.base_url) as process,
    ):
        assert process.stdin is not None
        process.stdin.write("hello\n")
        process.stdin.close()
        assert asked.wait(30)
        second = talk(project, f"{HASH}\n", "--yes")
        assert (second.code, second.stdout) == (5, "")
        for part in (str(process.pid), "--state DIR", "--ephemeral"):
            assert part in second.stderr
        aside = talk(project, "quit\n", "--ephemeral")
        assert aside.code == 0
        listed = project.run("registry", "list")
        assert listed.code == 0
        go.set()
        assert process.wait(30) == 0
    assert_complete(project)
    assert_works(project)


def test_a_state_folder_that_holds_other_things_is_left_alone(tmp_path: Path) -> None:
    project = application(tmp_path)
    project.put("mine/notes.txt", "mine")
    ended = talk(project, "quit\n", "--state", str(project.root / "mine"))
    assert ended.code == 2
    assert [file.name for file in (project.root / "mine").iterdir()] == ["notes.txt"]


def test_a_damaged_journal_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    project = application(tmp_path)
    assert talk(project, "quit\n").code == 0
    journal = project.state / "journal.db"
    journal.write_bytes(b"this is no database" + journal.read_bytes()[19:])
    before = journal.read_bytes()
    ended = talk(project, f"{HASH}\n", "--yes")
    assert (ended.code, ended.stdout) == (6, "")
    assert "journal.db" in ended.stderr
    assert journal.read_bytes() == before


# -- the output ----------------------------------------------------------------------------------------------


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    project = application(tmp_path)
    with project.start(*AGENT, "--yes") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(f"{HASH}\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("None of my tools")
        process.stdout.close()
        process.stdin.write("what time is it?\n" * 3)
        process.stdin.close()
        assert process.wait(30) == 0
        said = process.stderr.read()
    assert "Traceback" not in said
    assert "error" not in said.lower()
    assert_complete(project)
    assert_works(project)


# -- consent -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--approve", "never")])
def test_without_anybody_to_ask_nothing_is_written(tmp_path: Path, options: tuple[str, ...]) -> None:
    project = application(tmp_path)
    ended = talk(project, f"{HASH}\n", *options)
    assert ended.code == 8
    assert "needs the consent of the owner" in ended.stdout
    assert "waits for its owner: `app.generated:hash_text` was not written" in ended.stderr
    assert written(project) == []
    assert [payload(event)["id"] for event in project.events("proposal.suspended")] == [
        "app.generated:hash_text"
    ]
    assert_complete(project)
    assert_works(project)


def test_yes_does_not_cover_the_network(tmp_path: Path) -> None:
    project = application(tmp_path)
    script = [create("fetch", FETCH_SOURCE, ["http_client"]), say("It waits.")]
    with scripted(script) as model:
        ended = talk(project, "fetch it\n", "--yes", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 8
    assert "it uses `http_client`" in ended.stdout
    assert written(project) == []
    assert "nothing was written" in model.requests[-1].body["messages"][-1]["content"]
    assert_complete(project)
    assert_works(project)
