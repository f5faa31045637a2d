"""The command `agent` from its first prompt to its exit code; only the model is a script."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lua_host import Consenting, LuaHost, Model, project_entries

from runtime.core.errors import Canceled, Invalid, PermissionDenied, Unavailable

SOURCE = "return { handler = function() return { answer = 42 } end }"


def call(name: str, call_id: str = "c1", /, **arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "name": name, "arguments": arguments}


def calls(*wanted: dict[str, Any], text: str = "", **more: Any) -> dict[str, Any]:
    return {"result": text, "finish_reason": "tool_call", "tool_calls": list(wanted), **more}


def say(text: str, prompt_tokens: int | None = None) -> dict[str, Any]:
    answer: dict[str, Any] = {"result": text}
    if prompt_tokens is not None:
        answer["tokens"] = {"prompt_tokens": prompt_tokens, "completion_tokens": 1, "total_tokens": 1}
    return answer


def talk(*lines: Any, answers: list[Any] | None = None, **options: Any) -> tuple[LuaHost, Model, Any]:
    model = Model(*(answers or []))
    host = LuaHost(project_entries(), model, lines=lines, **options)
    return host, model, host.run("app:agent")


def roles(request: Any) -> list[str]:
    return [message["role"] for message in request["messages"] if message["role"] != "cache_marker"]


def results(request: Any) -> dict[str, Any]:
    """Return the result of every call in the history by its id; each must be answered exactly once."""
    asked = [m["function_call"]["id"] for m in request["messages"] if m["role"] == "function_call"]
    answered = [m["function_call_id"] for m in request["messages"] if m["role"] == "function_result"]
    assert asked == answered
    assert len(set(asked)) == len(asked)
    return {
        m["function_call_id"]: json.loads(m["content"][0]["text"])
        for m in request["messages"]
        if m["role"] == "function_result"
    }


def test_a_line_is_answered_and_the_end_of_input_says_bye() -> None:
    host, model, code = talk("hello", "", "again", answers=[say("Hi."), say("Yes.")])
    assert (host.written, code) == ("Hi.\nYes.\nBye!\n", 0)
    assert roles(model.requests[1]) == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("word", ["quit", "exit", " quit "])
def test_a_word_to_leave_leaves(word: str) -> None:
    host, model, code = talk(word, "hello")
    assert (host.written, code, model.requests) == ("Bye!\n", 0, [])


@pytest.mark.parametrize(("scripted", "prompt"), [(True, "(offline) > "), (False, "> ")])
def test_a_prompt_is_written_at_a_terminal_only(scripted: bool, prompt: str) -> None:
    model = Model()
    model.scripted = scripted
    host = LuaHost(project_entries(), model, lines=["quit"], terminal=True)
    host.run("app:agent")
    assert host.written == prompt + "Bye!\n"


def test_a_tool_is_written_loaded_and_called_in_one_turn() -> None:
    host, model, code = talk(
        "what is the answer?",
        answers=[
            calls(call("doc_search", "1", path="lua/core/time")),
            calls(call("create_tool", "2", name="answer", description="The answer.", source=SOURCE)),
            calls(call("load_tool", "3", id="app.generated:answer")),
            calls(call("answer", "4")),
            say("It is 42."),
        ],
    )
    assert code == 0
    assert {request["model"] for request in model.requests} == {"app:gpt-5.1"}
    assert list(results(model.requests[-1])) == ["1", "2", "3", "4"]
    assert host.written == (
        "[doc_search] done\n[create_tool] done\n[load_tool] done\n  [+] app.generated:answer\n"
        "[answer] done\nIt is 42.\nBye!\n"
    )
    offered = [tool["name"] for tool in model.requests[3]["tools"]]
    assert "answer" in offered
    assert "answer" not in [tool["name"] for tool in model.requests[2]["tools"]]
    last = model.requests[-1]["messages"][-1]
    assert json.loads(last["content"][0]["text"]) == {"answer": 42}
    assert model.requests[-1]["messages"][0] == model.requests[0]["messages"][0]
    assert host.called[-1] == "app.generated:answer"


def test_every_call_is_answered_once_whatever_becomes_of_it() -> None:
    host, model, _ = talk(
        "go",
        answers=[
            calls(
                call("registry_list", "a", namespace="app.tools", type="tool"),
                {"id": "b", "name": "registry_list", "arguments": {}, "arguments_error": "not JSON"},
                call("nothing_such", "c"),
                call("registry_read", "d", id="app:os_env"),
                call("create_tool", "e", name="app:dev_assistant", description="x", source=SOURCE),
                text="Let me look.",
            ),
            say("Done."),
        ],
    )
    found = results(model.requests[1])
    assert found["a"]["count"] == 5
    assert found["b"]["error"] == "invalid arguments: not JSON"
    assert found["c"]["error"] == "there is no tool `nothing_such`"
    assert "not allowed: registry.get" in found["d"]["error"]
    assert found["e"]["error"] == "policy denied: update on app:dev_assistant"
    assert "[create_tool] error: policy denied: update on app:dev_assistant\n" in host.written
    assert host.written.startswith("Let me look.\n[registry_list] done\n")
    assert roles(model.requests[1])[:3] == ["system", "user", "assistant"]
    history = [m["function_call"]["arguments"] for m in model.requests[1]["messages"] if "function_call" in m]
    assert history[1] == "{}"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a\n[b] done\nc", "a [b] done c"), ("a\x1b[31m\tb", "a [31m b"), ("n" * 999, "n" * 200 + "...")],
)
def test_what_a_model_calls_a_tool_stays_on_the_line_of_its_call(name: str, shown: str) -> None:
    host, _, _ = talk("go", answers=[calls(call(name)), say("Done.")])
    first, last = host.written.splitlines()[:2]
    assert first.startswith(f"[{shown}] error: there is no tool `")
    assert last == "Done."


@pytest.mark.parametrize("policy", ["app:agent_calls_tools", "app:agent_reads_tools"])
def test_without_an_allow_a_tool_is_not_run(policy: str) -> None:
    model = Model(calls(call("registry_list")), say("Sorry."))
    host = LuaHost(project_entries(), model, lines=["go"])
    host.context = host.agent_context(without=policy)
    assert host.run("app:agent") == 0
    assert "error" in results(model.requests[1])["c1"]
    assert host.called == []


def test_an_interrupted_tool_ends_the_turn_with_every_call_answered() -> None:
    model = Model(
        calls(call("registry_list", "a"), call("doc_search", "b", path="x"), call("registry_list", "c")),
        say("Fine."),
    )
    host = LuaHost(project_entries(), model, lines=["go", "and now?"])
    host.failing["app.tools:doc_search"] = Canceled("interrupted")
    assert host.run("app:agent") == 0
    found = results(model.requests[1])
    assert found["b"] == found["c"] == {"error": "interrupted"}
    assert found["a"]["count"] > 0
    assert host.called == ["app.tools:registry_list", "app.tools:doc_search"]
    assert "(interrupted)\nFine.\nBye!\n" in host.written
    assert roles(model.requests[1])[-2:] == ["assistant", "user"]


def test_an_interrupted_answer_ends_the_turn() -> None:
    host, model, code = talk("go", "again", answers=[Canceled("interrupted"), say("Here.")])
    assert (host.written, code) == ("(interrupted)\nHere.\nBye!\n", 0)
    assert roles(model.requests[1]) == ["system", "user", "assistant", "user"]


def test_a_failed_answer_is_told_and_its_question_taken_back() -> None:
    host, model, code = talk("one", "two", answers=[Unavailable("the server is down"), say("Two.")])
    assert (host.written, code) == ("Error: the server is down\nTwo.\nBye!\n", 7)
    assert [m["content"][0]["text"] for m in model.requests[1]["messages"] if m["role"] == "user"] == ["two"]


@pytest.mark.parametrize(("terminal", "code"), [(False, 1), (True, 0)])
def test_a_failed_turn_is_in_the_exit_code_where_nobody_saw_it(terminal: bool, code: int) -> None:
    assert talk("one", answers=[Invalid("no such thing")], terminal=terminal)[2] == code


def test_a_failure_after_tools_keeps_what_they_returned() -> None:
    _, model, _ = talk("one", "two", answers=[calls(call("registry_list")), Unavailable("down"), say("Two.")])
    assert results(model.requests[2])["c1"]["count"] > 0
    assert roles(model.requests[2])[-2:] == ["assistant", "user"]


def test_a_refused_key_ends_the_run() -> None:
    refusal = PermissionDenied("the provider refused the key", details={"fatal": True})
    host, _, code = talk("one", "two", answers=[refusal, say("never")])
    assert (host.written, code) == ("Error: the provider refused the key\n", 7)


def test_ctrl_c_twice_at_an_empty_prompt_leaves() -> None:
    stop = Canceled("interrupted")
    host, _, code = talk(stop, stop, terminal=True)
    assert code == 130
    assert host.written.count("Ctrl-C again") == 1
    host, _, code = talk(stop, "", stop, "quit", terminal=True)
    assert code == 0
    assert host.written.count("Ctrl-C again") == 2


def test_ctrl_c_without_a_terminal_leaves_at_once() -> None:
    assert talk(Canceled("interrupted"), "never")[2] == 130


def test_a_cut_answer_runs_no_tool() -> None:
    cut = {**calls(call("registry_list"), text="I will"), "finish_reason": "length"}
    host, model, _ = talk("go", "on", answers=[cut, say("Ok.")])
    assert host.called == []
    assert "I will\nError: the answer was cut short" in host.written
    assert results(model.requests[1]) == {}


def test_an_answer_of_nothing_is_said() -> None:
    assert "(the model gave no answer)" in talk("go", answers=[say("")])[0].written


def test_a_turn_has_a_bound_on_its_steps() -> None:
    answers = [calls(call("registry_list", f"c{number}")) for number in range(41)]
    host, model, code = talk("go", answers=[*answers[:40], say("never in this turn")])
    assert len(model.requests) == 40
    assert "[stopped after 40 steps; say `go on` to continue]\nBye!\n" in host.written
    assert code == 0


def test_consent_that_is_not_given_is_told_to_the_model() -> None:
    model = Model(calls(call("create_tool", name="t", description="x", source=SOURCE)), say("It waits."))
    gate = Consenting(Unavailable("it needs the consent of the owner"))
    host = LuaHost(project_entries(), model, lines=["go"], gate=gate)
    assert host.run("app:agent") == 0
    assert results(model.requests[1])["c1"] == {
        "error": "nothing was written: it needs the consent of the owner"
    }


def test_reported_usage_past_the_share_of_the_window_compresses() -> None:
    long = "word " * 2000
    host, model, _ = talk(
        long,
        "next",
        answers=[say("First.", 300_001), say("The user said word often."), say("Second.", 10)],
    )
    assert host.written == "First.\n[compression] done\nSecond.\nBye!\n"
    compressing, after = model.requests[1], model.requests[2]
    assert (compressing["model"], compressing["purpose"]) == ("app:gpt-4.1-nano", "compress")
    assert "user: word word" in compressing["messages"][1]["content"][0]["text"]
    assert [m["content"][0]["text"] for m in after["messages"] if m["role"] in ("system", "user")][1:] == [
        "Conversation summary:\n\nThe user said word often.",
        "next",
    ]


@pytest.mark.parametrize("tokens", [None, 300_000])
def test_nothing_else_compresses(tokens: int | None) -> None:
    _, model, _ = talk("word " * 100_000, answers=[say("First.", tokens)])
    assert len(model.requests) == 1


def test_compression_within_a_turn_keeps_groups_whole_and_the_question() -> None:
    answers = [
        calls(call("registry_list", "a"), call("registry_list", "b"), tokens={"prompt_tokens": 350_000}),
        say("Both lists were read."),
        say("Done."),
    ]
    _, model, _ = talk("look " * 1000, answers=answers)
    text = model.requests[1]["messages"][1]["content"][0]["text"]
    assert text.count("call of registry_list") == text.count("result of registry_list") == 2
    assert roles(model.requests[2]) == ["system", "system", "user"]
    assert model.requests[2]["messages"][-1]["content"][0]["text"] == "look " * 1000


def test_a_failed_compression_changes_nothing() -> None:
    host, model, _ = talk("x" * 5000, "y", answers=[say("First.", 300_001), Unavailable("down"), say("Ok.")])
    assert "[compression] error: down\n" in host.written
    assert roles(model.requests[2]) == ["system", "user", "assistant", "user"]


def test_an_agent_that_can_not_be_loaded_ends_with_a_message() -> None:
    model = Model()
    host = LuaHost(project_entries(), model, lines=["go"])
    host.context = host.agent_context(without="app:agent_policy")
    assert host.run("app:agent") == 1
    assert host.errors.startswith("Error: not allowed: registry.get on `app:dev_assistant`")
