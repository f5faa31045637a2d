"""A provider that refuses, is not there or breaks off: said once, in the exit code, and no key is shown."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from e2e_parts import AGENT, application, assert_complete, assert_works, payload, talk
from server_scripts import scripted

from runtime.testing.scripted_model import Turn, call, refuse, say

KEY = "canary-0b5e1d77aa41"


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


@pytest.mark.parametrize(
    ("finish", "notice"), [("length", "limit"), ("content_filter", "filter"), ("stop", "")]
)
def test_an_answer_that_stops_early_says_so(tmp_path: Path, finish: str, notice: str) -> None:
    project = application(tmp_path)
    with scripted([say("Once upon a ", finish=finish)]) as model:
        ended = talk(project, "tell me\n", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0, ended
    noticed = [line for line in ended.stdout.splitlines() if line.startswith("(")]
    assert [notice in line for line in noticed] == ([True] if notice else [])


def test_a_cut_tool_call_is_not_run(tmp_path: Path) -> None:
    project = application(tmp_path)
    half = call("registry_list", '{"type": "to')
    half.cut = True
    with scripted([half]) as model:
        ended = talk(project, "one\n", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 7
    assert project.events("tool.requested") == []
    assert_complete(project)
