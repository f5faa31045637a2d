"""At a real pseudo-terminal: what streams is seen at once, Ctrl-C ends what it should, a paste is one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from e2e_parts import (
    AGENT,
    DIGEST,
    HASH,
    application,
    assert_complete,
    assert_works,
    payload,
)
from server_scripts import SPIN_SOURCE, create, load, results, scripted

from runtime.testing.project import ProjectFolder
from runtime.testing.scripted_model import Turn, call, say

PROMPT = r"(?<!\) )> $"
OFFLINE_PROMPT = r"\(offline\) > $"


def end(child: Any, said: str = "quit") -> int:
    """Leave the program and return its exit code."""
    child.sendline(said)
    child.expect("Bye!")
    return wait(child)


def wait(child: Any) -> int:
    """Return the exit code of a program that ends, negative for a signal."""
    import pexpect

    child.expect(pexpect.EOF)
    child.close()
    return -child.signalstatus if child.signalstatus else int(child.exitstatus)


def test_the_second_chunk_is_sent_after_the_first_was_seen(tmp_path: Path) -> None:
    project = application(tmp_path)
    seen = threading.Event()
    answer = Turn([{"content": "First this, "}, seen, {"content": "then that."}])
    with (
        scripted([answer]) as model,
        project.at_terminal(*AGENT, OPENAI_BASE_URL=model.base_url) as child,
    ):
        child.expect(rf"model gpt-5\.1 at 127\.0\.0\.1:{model.port}, no key")
        child.expect(PROMPT)
        child.sendline("hello")
        child.expect("First this, ")
        assert not seen.is_set()
        seen.set()
        child.expect("then that.")
        child.expect(PROMPT)
        assert end(child) == 0
    assert_complete(project)


def test_the_rehearsal_prompts_as_offline_and_the_head_is_said_at_the_end(tmp_path: Path) -> None:
    project = application(tmp_path)
    with project.at_terminal(*AGENT) as child:
        child.expect("scripted rehearsal answers, not an LLM")
        child.expect(OFFLINE_PROMPT)
        child.sendline("")
        child.expect(OFFLINE_PROMPT)
        child.sendline("exit")
        child.expect("Bye!")
        child.expect(r"journal head (sha256:[0-9a-f]{64})")
        head = child.match[1]
        assert wait(child) == 0
    verified = project.run("journal", "verify", "--head", head)
    assert verified.code == 0, verified


def test_the_end_of_input_at_the_prompt_says_bye(tmp_path: Path) -> None:
    project = application(tmp_path)
    with project.at_terminal(*AGENT) as child:
        child.expect(OFFLINE_PROMPT)
        child.sendeof()
        child.expect("Bye!")
        assert wait(child) == 0


def test_a_paste_is_one_message(tmp_path: Path) -> None:
    project = application(tmp_path)
    with (
        scripted([say("One message.")]) as model,
        project.at_terminal(*AGENT, OPENAI_BASE_URL=model.base_url) as child,
    ):
        child.expect(PROMPT)
        child.send("first line\nsecond line\n")
        child.expect("One message.")
        child.expect(PROMPT)
        assert end(child) == 0
    assert model.requests[0].body["messages"][-1]["content"] == "first line\nsecond line"


# -- Ctrl-C --------------------------------------------------------------------------------------------------


def test_ctrl_c_in_a_stream_ends_the_turn(tmp_path: Path) -> None:
    project = application(tmp_path)
    never = threading.Event()
    endless = Turn([{"content": "It goes on and on"}, never])
    with (
        scripted([endless, say("Here again.")]) as model,
        project.at_terminal(*AGENT, OPENAI_BASE_URL=model.base_url) as child,
    ):
        child.expect(PROMPT)
        child.sendline("tell me all")
        child.expect("It goes on and on")
        child.sendintr()
        child.expect(r"\(interrupted\)")
        child.expect(PROMPT)
        child.sendline("and now?")
        child.expect("Here again.")
        child.expect(PROMPT)
        assert end(child) == 0
        never.set()
    failed = payload(project.events("llm.failed")[0])
    assert (failed["error"]["kind"], failed["text"]) == ("Canceled", "It goes on and on")
    said = [(m["role"], m["content"]) for m in model.requests[1].body["messages"][1:]]
    assert said == [
        ("user", "tell me all"),
        ("assistant", "It goes on and on\n[interrupted]"),
        ("user", "and now?"),
    ]
    assert_complete(project)
    assert_works(project)


def test_ctrl_c_in_a_tool_ends_its_process_and_the_turn(tmp_path: Path) -> None:
    project = application(tmp_path)
    script = [
        create("spin", SPIN_SOURCE, ["time"], "c1"),
        load("spin", "c2"),
        call("spin", {}, "c3"),
        say("Here again."),
    ]
    with (
        scripted(script) as model,
        project.at_terminal(*AGENT, "--yes", "-v", OPENAI_BASE_URL=model.base_url) as child,
    ):
        child.expect(PROMPT)
        child.sendline("spin")
        child.expect("spinning")
        child.sendintr()
        child.expect(r"\[spin\] error: interrupted")
        child.expect(r"\(interrupted\)")
        child.expect(PROMPT)
        child.sendline("and now?")
        child.expect("Here again.")
        child.expect(PROMPT)
        assert end(child) == 0
    assert results(model.requests[-1].body)["c3"] == {"error": "interrupted"}
    assert [payload(event)["reason"] for event in project.events("jail.killed")] == ["canceled"]
    assert payload(project.events("tool.failed")[-1])["error"]["kind"] == "Canceled"
    assert_complete(project)
    assert_works(project)


def test_ctrl_c_twice_at_an_empty_prompt_ends_the_program(tmp_path: Path) -> None:
    project = application(tmp_path)
    with project.at_terminal(*AGENT) as child:
        child.expect(OFFLINE_PROMPT)
        child.sendintr()
        child.expect(r"\(Ctrl-C again or `quit` to leave\)")
        child.expect(OFFLINE_PROMPT)
        child.sendintr()
        assert wait(child) == 130
    assert payload(project.events("run.ended")[-1])["code"] == 130
    assert_works(project)


def test_ctrl_c_forgets_the_line_that_was_begun(tmp_path: Path) -> None:
    project = application(tmp_path)
    with (
        scripted([say("Understood.")]) as model,
        project.at_terminal(*AGENT, OPENAI_BASE_URL=model.base_url) as child,
    ):
        child.expect(PROMPT)
        child.send("not this ")
        child.sendintr()
        child.expect(PROMPT)
        child.sendline("but this")
        child.expect("Understood.")
        child.expect(PROMPT)
        assert end(child) == 0
    assert model.requests[0].body["messages"][-1]["content"] == "but this"


# -- consent -------------------------------------------------------------------------------------------------

QUESTION = r"Write it\? \[y/N\] $"


def test_consent_is_asked_with_the_whole_source_and_given_with_y(tmp_path: Path) -> None:
    project = application(tmp_path)
    with project.at_terminal(*AGENT) as child:
        child.expect(OFFLINE_PROMPT)
        child.sendline(HASH)
        child.expect(QUESTION)
        asked = child.before
        child.sendline("y")
        child.expect(DIGEST)
        child.expect(OFFLINE_PROMPT)
        assert end(child) == 0
    assert "Asked for: create `app.generated:hash_text`, kind function.lua, sha256:" in asked
    assert "modules: hash" in asked
    entry = payload(project.events("registry.applied")[-1])["ops"][0]["entry"]
    shown = [line.split(" | ", 1)[1] for line in asked.splitlines() if " | " in line]
    assert shown == entry["data"]["source"].rstrip("\n").split("\n")
    assert payload(project.events("proposal.approved")[0])["by"] == "terminal"
    assert_complete(project)


def test_consent_that_is_not_given_writes_nothing(tmp_path: Path) -> None:
    project = application(tmp_path)
    with project.at_terminal(*AGENT) as child:
        for answer in ("n", ""):
            child.expect(OFFLINE_PROMPT)
            child.sendline(HASH)
            child.expect(QUESTION)
            child.sendline(answer)
            child.expect("was not consented to|was denied")
        child.expect(OFFLINE_PROMPT)
        assert end(child) == 0
    assert [event.actor for event in project.events("registry.applied")] == ["loader"] * len(
        project.events("registry.applied")
    )
    assert len(project.events("proposal.rejected")) == 2
    assert_complete(project)
    assert_works(project)


def test_ctrl_c_at_the_question_writes_nothing_and_ends_the_turn(tmp_path: Path) -> None:
    project = application(tmp_path)
    with project.at_terminal(*AGENT) as child:
        child.expect(OFFLINE_PROMPT)
        child.sendline(HASH)
        child.expect(QUESTION)
        child.sendintr()
        child.expect(r"\(interrupted\)")
        child.expect(OFFLINE_PROMPT)
        child.sendline("y")  # no answer to a question that is over
        child.expect("scripted rehearsal of this runtime")
        child.expect(OFFLINE_PROMPT)
        assert end(child) == 0
    assert project.events("proposal.approved") == []
    assert_complete(project)
    assert_works(project)


LOOPING = {
    ".wippy.yaml": 'version: "1.0"\n',
    "src/_index.yaml": """namespace: app
entries:
  - {name: terminal, kind: terminal.host}
  - {name: may, kind: security.policy, policy: {actions: "funcs.call", resources: "*", effect: allow}}
  - {name: say, kind: function.lua, source: file://say.lua, method: run}
  - name: go
    kind: process.lua
    method: main
    modules: [io, funcs, time]
    meta: {command: {name: go, security: {actor: {id: me}, policies: [may]}}}
    source: |
      return { main = function()
        while true do
          io.print(funcs.call("app:say"))
          time.sleep("50ms")
        end
      end }
""",
    "src/say.lua": 'return { run = function() return "the old one" end }\n',
}


def test_a_command_that_reads_nothing_takes_edits_and_ends_at_the_first_ctrl_c(tmp_path: Path) -> None:
    project = ProjectFolder.write(tmp_path / "app", LOOPING)
    with project.at_terminal("run", "go") as child:
        child.expect("the old one")
        # The watch begins a moment after the start, and takes up what changed meanwhile.
        project.put("src/say.lua", 'return { run = function() return "the new one" end }\n')
        child.expect("reloaded")
        child.expect("the new one")
        child.sendintr()
        child.expect("Ctrl-C again ends it at once")
        assert wait(child) == 130
