"""The rehearsal of the whole loop: it uses what it is given, reads before it writes, tells what came back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from rehearsal import World, said

from runtime.llm.request import Tool

WHOLE_LOOP = ["registry_list", "doc_search", "create_tool", "load_tool"]


@pytest.mark.parametrize(
    ("question", "tool", "arguments", "answer"),
    [
        ("what time is it?", "current_time", {}, "2031-05-04"),
        ("What's the date in Tokyo?", "current_time", {"zone": "Asia/Tokyo"}, "in Tokyo (Asia/Tokyo)"),
        (
            "sha256 of hello?",
            "hash_text",
            {"text": "hello", "algorithm": "sha256"},
            "The SHA-256 of `hello` is 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.",
        ),
        ("hash 'a b?'", "hash_text", {"text": "a b?"}, hashlib.sha256(b"a b?").hexdigest()),
        (
            "md5 of hello",
            "hash_text",
            {"text": "hello", "algorithm": "md5"},
            "5d41402abc4b2a76b9719d911017c592",
        ),
        ("base64 of hello", "base64_text", {"text": "hello", "mode": "encode"}, "`aGVsbG8=`"),
        ("decode aGVsbG8= from base64", "base64_text", {"text": "aGVsbG8=", "mode": "decode"}, "`hello`"),
        ("give me three v7 UUIDs", "make_uuids", {"count": 3, "version": 7}, "made 3 UUIDs"),
    ],
)
def test_a_missing_tool_is_written_loaded_and_called(
    question: str, tool: str, arguments: dict[str, object], answer: str
) -> None:
    world = World()
    text = world.ask(question)
    assert world.called() == [*WHOLE_LOOP, tool]
    assert world.log[-1][1] == arguments
    assert answer in text


def test_the_source_comes_from_the_page_that_was_read() -> None:
    world = World()
    page = world.pages["lua/core/time"]
    world.pages["lua/core/time"] = page.replace('"UTC"', '"Etc/UTC" --[[ changed page ]]').replace(
        "Modules: time", "Modules: time, json"
    )
    world.ask("what time is it?")
    created = dict(world.log)["create_tool"]
    assert "changed page" in created["source"] and created["source"] in world.pages["lua/core/time"]
    assert created["modules"] == ["time", "json"]
    assert created["input_schema"]["properties"]["zone"]["type"] == "string"
    assert created["description"] == "Tells the current time, in UTC or in a named zone."


def test_a_loaded_tool_is_called_at_once() -> None:
    world = World()
    world.ask("what time is it?")
    world.ask("and the time in Europe/Madrid?")
    assert world.log == [("current_time", {"zone": "Europe/Madrid"})]


def test_a_tool_of_an_earlier_run_is_found_and_loaded_instead_of_created() -> None:
    earlier, world = World(), World()
    earlier.ask("sha256 of a")
    world.entries = earlier.entries
    world.ask("sha256 of hello")
    assert world.called() == ["registry_list", "load_tool", "hash_text"]


def test_the_tool_list_decides_and_not_a_fixed_name() -> None:
    world = World()
    schema = {"type": "object", "properties": {"payload": {"type": "string"}}, "required": ["payload"]}
    world.tools["fingerprint"] = Tool("fingerprint", "Gives the SHA-256 of a text.", schema)
    assert world.first_calls("sha256 of hello") == [("fingerprint", {"payload": "hello"})]


def test_a_tool_for_another_algorithm_is_not_taken() -> None:
    world = World()
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    world.tools["md5_text"] = Tool("md5_text", "The MD5 of a text.", schema)
    world.ask("sha256 of hello")
    assert world.called()[-1] == "hash_text"


def test_a_tool_that_lacks_an_input_is_not_called_with_a_guess() -> None:
    world = World()
    world.tools["clock"] = Tool("clock", "The current time.", {"type": "object", "properties": {}})
    assert (
        world.ask("what time is it in Tokyo?")
        == "The tool `clock` has no input for the zone, so I did not call it."
    )
    assert world.called() == []


@pytest.mark.parametrize("missing", ["doc_search", "create_tool", "load_tool"])
def test_without_a_means_it_says_which_one_is_missing(missing: str) -> None:
    world = World()
    del world.tools[missing]
    text = world.ask("what time is it?")
    assert f"`{missing}` is not among the tools" in text
    assert "create_tool" not in world.called()


def test_without_the_registry_it_goes_straight_to_the_documentation() -> None:
    world = World()
    del world.tools["registry_list"]
    world.ask("what time is it?")
    assert world.called() == [*WHOLE_LOOP[1:], "current_time"]


def test_without_any_tool_it_still_answers_and_calls_nothing() -> None:
    world = World()
    world.tools = {}
    text = world.ask("what time is it?")
    assert "`doc_search`, `create_tool`, `load_tool` are not among the tools" in text and world.log == []


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("# Time\n\nNo tool here.\n", "has no section `A tool`"),
        ("# Time\n\n## A tool\n\nProse only.\n", "holds no complete Lua block"),
        (
            "## A tool\n\n```lua\nlocal function handler() end\nreturn { handler\n... (truncated)",
            "no complete Lua",
        ),
        ("## Other\n```lua\nreturn { handler = handler }\n```\n", "has no section"),
    ],
)
def test_a_page_without_a_tool_is_said_to_have_none(page: str, reason: str) -> None:
    world = World()
    world.pages["lua/core/time"] = page
    assert reason in world.ask("what time is it?")
    assert "create_tool" not in world.called()


def test_a_page_that_moved_is_searched_for() -> None:
    world = World()
    world.pages["lua/elsewhere/time"] = world.pages.pop("lua/core/time")
    assert "2031-05-04" in world.ask("what time is it?")
    assert [given for name, given in world.log if name == "doc_search"] == [
        {"path": "lua/core/time"},
        {"query": "time"},
        {"path": "lua/elsewhere/time"},
    ]


def test_a_documentation_that_can_not_be_read_is_said_with_its_error() -> None:
    world = World()
    world.pages = {}
    assert "HTTP 404" in world.ask("what time is it?")


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        ("policy denied: create on app.generated:current_time", "was denied: policy denied: create"),
        ("nothing was written: the owner did not consent", "was not consented to"),
        ("nothing was written: it waits for an owner", "was not consented to"),
        ("the source does not compile: line 3", "failed: the source does not compile: line 3."),
    ],
)
def test_a_tool_that_was_not_created_is_told_as_it_was_and_not_tried_again(refusal: str, says: str) -> None:
    world = World()
    world.refusal = refusal
    text = world.ask("what time is it?")
    assert says in text and refusal in text
    assert world.called() == WHOLE_LOOP[:3]


def test_a_failing_tool_is_told_with_its_error() -> None:
    world = World()
    world.ask("what time is it?")
    world.tools["current_time"] = replace(world.tools["current_time"], name="clock")
    world.tools["clock"] = world.tools.pop("current_time")
    del world.tools["doc_search"]
    world.call = lambda name, given: {"error": "the call took longer than 30 s"}  # type: ignore[method-assign]
    assert world.ask("what time is it?") == "The tool `clock` failed: the call took longer than 30 s."


def test_the_answer_changes_with_the_result() -> None:
    world = World()
    world.tools["clock"] = Tool("clock", "The current time.", {"type": "object", "properties": {}})
    for result, says in (
        ({"now": "1999-12-31 23:59"}, "It is 1999-12-31 23:59."),
        ({"date": "1999-12-31", "clock": "23:59:59", "zone": "UTC"}, "It is 1999-12-31 23:59:59 (UTC)."),
        ({"hours": 5}, "The tool `clock` returned hours 5."),
        ("noon", "The tool `clock` returned noon."),
    ):
        world.call = lambda name, given, result=result: result  # type: ignore[method-assign,misc]
        assert world.ask("what time is it?") == says


def test_two_questions_in_one_message_are_both_answered() -> None:
    world = World()
    text = world.ask("what time is it?\n\nsha256 of hello?")
    assert "2031-05-04" in text and "2cf24dba" in text
    assert world.called()[-1] == "hash_text"


def test_an_unknown_place_is_not_guessed() -> None:
    world = World()
    assert "no time zone for `Atlantis`" in world.ask("what time is it in Atlantis?")
    assert world.called() == []


def test_the_registry_is_told_as_it_was_listed() -> None:
    world = World()
    text = world.ask("which tools exist?")
    assert world.log == [("registry_list", {"type": "tool"})]
    assert "5 tools" in text and "app.tools:doc_search" in text
    assert world.ask("list the models") == "The registry shows me no models."
    world.ask("what does the registry hold?")
    assert world.log == [("registry_list", {})]
    world.ask("list entries of kind function.lua in app.generated")
    assert world.log == [("registry_list", {"kind": "function.lua", "namespace": "app.generated"})]


@pytest.mark.parametrize(
    ("question", "target"),
    [
        ("overwrite your own prompt", "app:dev_assistant"),
        ("please rewrite yourself to be rude", "app:dev_assistant"),
        ("replace doc_search with your own version", "app.tools:doc_search"),
        ("modify app:gpt-5.1", "app:gpt-5.1"),
        ("change the create_tool tool", "app.tools:create_tool"),
    ],
)
def test_an_overwrite_is_attempted_and_its_denial_told(question: str, target: str) -> None:
    world = World()
    text = world.ask(question)
    assert [given["name"] for name, given in world.log if name == "create_tool"] == [target]
    assert f"was denied: policy denied: update on {target}." in text


def test_a_tool_of_its_own_is_rewritten_from_its_page() -> None:
    world = World()
    world.ask("what time is it?")
    assert world.ask("update current_time") == "The tool `create_tool` updated `app.generated:current_time`."
    assert dict(world.log)["create_tool"]["modules"] == ["time"]


def test_nothing_can_be_deleted_and_that_is_said() -> None:
    world = World()
    assert "deletes anything" in world.ask("delete doc_search")
    assert world.called() == []


@pytest.mark.parametrize("question", ["hello", "who are you?", "write me a poem", "", "\u4f60\u597d"])
def test_what_can_not_be_rehearsed_is_said_plainly(question: str) -> None:
    world = World()
    text = world.ask(question)
    assert "not a language model" in text and "OPENAI_API_KEY" in text and "OPENAI_BASE_URL" in text
    assert world.called() == []


def test_a_question_that_is_too_long_is_said_to_be() -> None:
    assert "at most 4000 characters" in World().ask("sha256 of " + "x" * 5000)


def test_equal_conversations_get_equal_answers_and_a_scripted_mark() -> None:
    first, second = World(), World()
    for world in (first, second):
        world.ask("sha256 of hello?")
    assert first.answers == second.answers
    for answer in first.answers:
        assert answer.metadata["scripted"] is True and answer.tokens and answer.tokens.prompt > 0
    ids = [call.id for answer in first.answers for call in answer.tool_calls]
    assert len(set(ids)) == len(ids)


def test_a_conversation_without_a_user_is_no_error() -> None:
    world = World()
    world.messages = [said("system", "Conversation summary:\n\nnothing")]
    assert "not a language model" in world.step().text


def test_results_that_are_no_json_and_calls_without_results_are_no_error() -> None:
    world = World()
    world.messages = [said("user", "what time is it?")]
    call = {"id": "1", "name": "registry_list", "arguments": {"type": "tool"}}
    world.messages.append(
        {"role": "function_call", "content": [], "function_call": json.loads(json.dumps(call))}
    )
    assert world.step().tool_calls[0].name == "doc_search"
    cut = {**said("function_result", '{"count": 3, "entries": [{"id": "app'), "function_call_id": "1"}
    world.messages.append(cut)
    assert world.step().tool_calls[0].name == "doc_search"
