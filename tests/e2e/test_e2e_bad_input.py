"""Bad input of every kind: a clear message, the right exit code, nothing half-written, no lasting harm."""

from __future__ import annotations

import re
import socket
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
from runtime.testing.scripted_model import Turn, call, refuse, say

KEY = "canary-0b5e1d77aa41"


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
        r"3:5",
    ),
    "a double key": ("src/extra/_index.yaml", "namespace: app.extra\nnamespace: b\nentries: []\n", r"2:1"),
    "a Lua syntax error": ("src/agent.lua", "local function main(\nreturn { main = main }\n", r"\d"),
    "a Lua syntax error in a tool": ("src/tools/load_tool.lua", "\n\nreturn return\n", r"3"),
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
    assert "`app` has no command `agnet`; commands: `agent`" in ended.stderr


def test_an_option_that_is_not_there_is_a_fault_of_usage(tmp_path: Path) -> None:
    assert application(tmp_path).run(*AGENT, "--no-such-thing").code == 2


# -- the provider --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (("-p", "hello"), {}),
        (("--model", "gpt-5.1"), {}),
        (("--locked",), {}),
        (("--frozen",), {}),
        ((), {"CI": "true"}),
        ((), {"OPENAI_BASE_URL": "http://models.invalid/v1", "CI": "1"}),
    ],
    ids=["-p", "--model", "--locked", "--frozen", "CI", "a server that wants a key"],
)
def test_without_credentials_a_run_that_wants_a_real_model_ends(
    tmp_path: Path, options: tuple[str, ...], environment: dict[str, str]
) -> None:
    project = application(tmp_path)
    ended = project.run(*AGENT, *options, stdin="hello\n", **environment)
    assert (ended.code, ended.stdout) == (7, ""), ended
    assert "OPENAI_API_KEY" in ended.stderr
    assert "scripted model does not stand in" in ended.stderr


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (401, "invalid_api_key", "refused the key in OPENAI_API_KEY (status 401)"),
        (403, "forbidden", "refused the key in OPENAI_API_KEY (status 403)"),
        (429, "insufficient_quota", "has no quota left for the key in OPENAI_API_KEY (status 429)"),
    ],
)
def test_a_refused_key_ends_the_run_and_is_not_shown(
    tmp_path: Path, status: int, code: str, said: str
) -> None:
    project = application(tmp_path)
    refusal = refuse(status, f"Incorrect API key provided: {KEY}.", code, x_should_retry="false")
    with scripted([refusal, say("never")]) as model:
        environment = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": KEY}
        ended = talk(project, "hello\nare you there?\n", **environment)
    assert ended.code == 7
    assert said in ended.stdout
    assert len(model.requests) == 1
    assert "scripted" not in ended.stderr
    assert KEY not in ended.stdout + ended.stderr
    assert project.holds(KEY) == []
    assert payload(project.events("run.ended")[-1])["whose"] == "provider"
    assert_complete(project)
    if status == 401:
        assert_works(project)


def test_a_server_that_is_too_busy_is_asked_again(tmp_path: Path) -> None:
    project = application(tmp_path)
    busy = refuse(429, "slow down", "rate_limit_exceeded", retry_after_ms="1")
    with scripted([busy, say("Here.")]) as model:
        ended = talk(project, "hello\n", OPENAI_BASE_URL=model.base_url)
    assert (ended.code, ended.stdout) == (0, "Here.\nBye!\n")
    assert_complete(project)


def closed_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return int(unused.getsockname()[1])


def test_no_network_is_said_and_is_the_exit_code(tmp_path: Path) -> None:
    project = application(tmp_path)
    base = f"http://127.0.0.1:{closed_port()}/v1"
    ended = talk(project, "", "-p", "hello", OPENAI_BASE_URL=base)
    assert ended.code == 7
    assert re.search(r"Error: `127\.0\.0\.1:\d+` can not be reached", ended.stdout)
    assert "check the network or OPENAI_BASE_URL" in ended.stdout
    assert_complete(project)
    assert_works(project)


def test_offline_nothing_but_loopback_is_reached(tmp_path: Path) -> None:
    project = application(tmp_path)
    environment = {"OPENAI_BASE_URL": "http://192.0.2.1/v1", "OPENAI_API_KEY": KEY}
    ended = talk(project, "hello\n", "--offline", "-p", "hello", **environment)
    assert ended.code == 7
    assert "this run is offline" in ended.stderr


def test_a_stream_that_the_server_cuts_fails_the_turn_and_the_next_one_works(tmp_path: Path) -> None:
    project = application(tmp_path)
    cut = Turn([{"content": "Half an ans"}], cut=True)
    with scripted([cut, say("A whole one.")]) as model:
        ended = talk(project, "one\ntwo\n", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 7
    assert ended.stdout.startswith("Half an ans\nError: ")
    assert "broke off in the middle of an answer" in ended.stdout
    assert ended.stdout.endswith("A whole one.\nBye!\n")
    assert payload(project.events("llm.failed")[0])["text"] == "Half an ans"
    assert_complete(project)
    assert_works(project)


def test_a_cut_tool_call_is_not_run(tmp_path: Path) -> None:
    project = application(tmp_path)
    half = call("registry_list", '{"type": "to')
    half.cut = True
    with scripted([half]) as model:
        ended = talk(project, "one\n", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 7
    assert project.events("tool.requested") == []
    assert_complete(project)


# -- the input -----------------------------------------------------------------------------------------------


def test_an_empty_line_asks_nothing(tmp_path: Path) -> None:
    project = application(tmp_path)
    with scripted([say("Hi.")]) as model:
        ended = talk(project, "\n   \n\t\nhello\n\n", OPENAI_BASE_URL=model.base_url)
    assert (ended.code, ended.stdout, len(model.requests)) == (0, "Hi.\nBye!\n", 1)


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
        assert process.stdin is not None
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
