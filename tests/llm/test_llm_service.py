"""The commands as Lua code gets them: checked by policy, recorded whole, streamed, closed exactly once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from runtime.core.canonical import value_digest
from runtime.core.clock import SystemClock
from runtime.core.errors import Error, Invalid, NotFound, PermissionDenied, Unavailable
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.journal.events import Event
from runtime.journal.memory import MemoryJournal
from runtime.llm.recorder import Recorder
from runtime.llm.selection import Selector, Wishes
from runtime.llm.service import LlmService, Ways
from runtime.lua.dispatch import Caller
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Guard
from runtime.testing.scripted_model import ScriptedModel, Turn, call, refuse, say

MODEL_TEXT = (Path(__file__).parents[2] / "runtime" / "security" / "policies.conf").read_text("utf-8")
SESSION = "0192-session"
USER = {"role": "user", "content": [{"type": "text", "text": "what time is it?"}]}
SYSTEM = {"role": "system", "content": [{"type": "text", "text": "You are careful."}]}
PROVIDER = {"id": "wippy.llm.openai:provider", "provider_model": "gpt-5.1"}


def entries() -> list[Entry]:
    meta = {"type": "llm.model", "name": "gpt-5.1"}
    policy = {"actions": "llm.generate", "resources": "app:gpt", "effect": "allow"}
    return [
        Entry("app:gpt", "registry.entry", meta, {"providers": [PROVIDER], "max_tokens": 9}, Origin.FILE),
        Entry("app:dear", "registry.entry", {**meta, "name": "dear"}, {"providers": [PROVIDER]}, Origin.FILE),
        Entry("app:may_ask", "security.policy", {}, {"policy": policy}, Origin.FILE),
    ]


class Host:
    """The parts around the service, all real: journal, registry, guard, selector and recorder."""

    def __init__(self, base_url: str = "", journal: MemoryJournal | None = None) -> None:
        self.redactor = Redactor()
        self.journal = journal or MemoryJournal(redactor=self.redactor)
        self.registry = Registry(self.journal, SystemClock())
        self.registry.load(entries())
        engine = Engine(MODEL_TEXT)
        engine.rebuild(self.registry.current.entries())
        self.sent: list[tuple[str, str, Value]] = []
        self.fatal: list[Error] = []
        self.gone = False
        self.received = asyncio.Event()
        environment = {"OPENAI_BASE_URL": base_url} if base_url else {}
        self.service = LlmService(
            Selector(environment, Wishes(), self.redactor.learn),
            Recorder(self.journal, self.redactor),
            Guard(engine),
            Ways(lambda: self.registry.current, self._send, lambda caller: caller.task, self.fatal.append),
        )

    def _send(self, _caller: Caller, pid: str, topic: str, payloads: list[Value]) -> None:
        if self.gone:
            raise NotFound(f"could not resolve `{pid}`")
        self.sent += [(pid, topic, payload) for payload in payloads]
        self.received.set()

    def ask(self, **table: Any) -> dict[str, Any]:
        """Ask once and close the connections."""
        return self.run(self.generate(**table))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        async def closing() -> Any:
            try:
                return await work
            finally:
                await self.service.close()

        return asyncio.run(closing())

    async def generate(self, **table: Any) -> dict[str, Any]:
        request = {"model": "gpt-5.1", "messages": [SYSTEM, USER], **table}
        return await self.service.generate(caller(), [request])

    def events(self, *types: str) -> list[Event]:
        return list(self.journal.read(SESSION, types=types))


def caller() -> Caller:
    context = Context(Actor("app:agent"), Scope(["app:may_ask"]))
    return Caller("pid-1", "app:agent", context=context, session=SESSION, cause=None)


@pytest.fixture
def serve() -> Any:
    servers: list[ScriptedModel] = []

    def start(script: list[Turn] | Callable[[dict[str, Any]], Turn]) -> ScriptedModel:
        servers.append(ScriptedModel(script).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def test_a_request_is_answered_recorded_and_closed_once(serve: Any) -> None:
    host = Host(serve([say("It is ", "noon.")]).base_url)
    answer = host.ask(options={"max_tokens": 5})
    assert answer["result"] == "It is noon." and answer["finish_reason"] == "stop"
    assert answer["tokens"]["prompt_tokens"] == 11
    types = [event.type for event in host.events()]
    assert types == ["model.selected", "message.added", "message.added", "llm.requested", "llm.responded"]
    *_, requested, responded = host.events()
    assert responded.cause == requested.seq
    assert responded.payload["result"] == "It is noon."
    assert requested.payload["options"] == {"max_tokens": 5}
    assert requested.payload["scripted"] is False and requested.payload["model"] == "gpt-5.1"
    assert all(event.actor == "app:agent" for event in host.events())
    assert host.journal.open_requests() == []


def test_requests_refer_to_messages_by_a_digest_that_can_be_checked(serve: Any) -> None:
    host = Host(serve([say("a"), say("b")]).base_url)
    host.ask()
    host.ask(messages=[SYSTEM, USER, {"role": "assistant", "content": "a"}, USER])
    added = [event.payload for event in host.events("message.added")]
    assert [message["role"] for message in added] == ["system", "user", "assistant"]
    for message in added:
        assert value_digest({k: v for k, v in message.items() if k != "digest"}) == message["digest"]
    second = host.events("llm.requested")[1].payload
    first, user, said = (message["digest"] for message in added)
    assert second["messages"] == [first, user, said, user]


def test_a_session_of_an_earlier_run_is_not_told_twice(serve: Any) -> None:
    model = serve([say("a"), say("b")])
    host = Host(model.base_url)
    host.ask()
    again = Host(model.base_url, host.journal)
    again.ask()
    assert len(again.events("message.added")) == 2
    assert len(again.events("model.selected")) == 1
    assert len(again.events("llm.requested")) == 2


def test_a_secret_in_a_message_reaches_neither_the_journal_nor_its_digest(serve: Any) -> None:
    host = Host(serve([say("a")]).base_url)
    secret = "sk-proj-0123456789abcdefghijklmnopqrstuv"
    host.ask(messages=[{"role": "user", "content": f"my key is {secret}"}])
    message = host.events("message.added")[0].payload
    assert secret not in str([event.payload for event in host.events()])
    assert value_digest({k: v for k, v in message.items() if k != "digest"}) == message["digest"]


def test_chunks_go_to_the_caller_in_order(serve: Any) -> None:
    host = Host(serve([say("It ", "is ", "noon.")]).base_url)
    host.ask(stream={"reply_to": "pid-1", "topic": "answer"})
    assert host.sent == [
        ("pid-1", "answer", {"type": "chunk", "content": c}) for c in ("It ", "is ", "noon.")
    ]


def test_another_process_is_streamed_to_only_by_policy(serve: Any) -> None:
    model = serve([say("a")])
    host = Host(model.base_url)
    with pytest.raises(PermissionDenied, match=r"process\.send"):
        host.ask(stream={"reply_to": "pid-2", "topic": "answer"})
    with pytest.raises(Invalid, match="topic of the host"):
        host.ask(stream={"reply_to": "pid-1", "topic": "@cancel"})
    assert model.requests == [] and host.events() == []


def test_a_receiver_that_is_gone_does_not_fail_the_request(serve: Any) -> None:
    host = Host(serve([say("It ", "is")]).base_url)
    host.gone = True
    assert host.ask(stream={"reply_to": "pid-1", "topic": "answer"})["result"] == "It is"


def test_a_model_without_an_allow_is_refused_before_anything_is_sent(serve: Any) -> None:
    model = serve([say("a")])
    host = Host(model.base_url)
    with pytest.raises(PermissionDenied, match=r"llm\.generate on `app:dear`"):
        host.ask(model="dear")
    with pytest.raises(PermissionDenied):
        host.run(host.service.select(caller(), [{"model": "dear"}]))
    assert model.requests == [] and host.events() == []


def test_tool_calls_come_back_under_their_own_names(serve: Any) -> None:
    host = Host(serve(lambda body: call(body["tools"][0]["function"]["name"], {"zone": "UTC"})).base_url)
    tool = {"name": "app.tools:clock", "description": "d", "schema": {"type": "object", "properties": {}}}
    answer = host.ask(tools=[tool])
    assert answer["tool_calls"] == [{"id": "call_1", "name": "app.tools:clock", "arguments": {"zone": "UTC"}}]
    assert answer["finish_reason"] == "tool_call"
    assert host.events("llm.responded")[0].payload["tool_calls"] == answer["tool_calls"]


def test_a_tool_with_a_bad_schema_is_left_out_and_said(serve: Any) -> None:
    model = serve([say("a")])
    host = Host(model.base_url)
    good = {"name": "good", "schema": {"type": "object", "properties": {}}}
    bad = {"name": "bad", "schema": {"type": "object", "properties": {"a": {"type": "array"}}}}
    answer = host.ask(tools=[bad, good])
    assert [tool["function"]["name"] for tool in model.requests[0].body["tools"]] == ["good"]
    assert "without `items`" in answer["metadata"]["dropped_tools"]["bad"]
    assert "bad" in host.events("llm.requested")[0].payload["dropped_tools"]


def test_a_tool_born_at_run_time_is_told_when_it_is_first_offered(serve: Any) -> None:
    host = Host(serve([say("a"), say("b")]).base_url)
    born = Entry(
        "app.generated:clock", "function.lua", {"type": "tool"}, {"source": "return {}", "method": "x"}
    )
    host.registry.apply([Op("create", born)], actor="app:agent", origin=Origin.RUNTIME)
    tool = {"name": "clock", "schema": {"type": "object", "properties": {}}, "registry_id": born.id}
    host.ask(tools=[tool])
    host.ask(tools=[tool])
    assert [event.payload for event in host.events("tool.loaded")] == [{"id": born.id, "name": "clock"}]


def test_a_failed_request_is_closed_with_the_error_and_the_text_that_had_come(serve: Any) -> None:
    host = Host(serve([Turn([{"content": "It is "}], cut=True)]).base_url)
    with pytest.raises(Unavailable):
        host.ask()
    failed = host.events("llm.failed")[0]
    assert failed.cause == host.events("llm.requested")[0].seq
    assert failed.payload["text"] == "It is "
    assert failed.payload["error"]["kind"] == "Unavailable" and failed.payload["error"]["retryable"]
    assert host.events("llm.responded") == [] and host.fatal == []


def test_a_refused_key_is_told_to_the_run_and_ends_the_scripted_way_too(serve: Any) -> None:
    host = Host(serve([refuse(401)]).base_url)
    with pytest.raises(PermissionDenied):
        host.ask()
    assert [error.details["status"] for error in host.fatal] == [401]
    assert host.events("llm.failed")[0].payload["error"]["details"]["fatal"] is True


def test_an_interrupted_request_is_closed_as_canceled_with_its_text(serve: Any) -> None:
    never = threading.Event()
    host = Host(serve([Turn([{"content": "It is "}, never])]).base_url)

    async def interrupt() -> None:
        task = asyncio.create_task(host.generate(stream={"reply_to": "pid-1", "topic": "answer"}))
        await asyncio.wait_for(host.received.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    host.run(interrupt())
    never.set()
    failed = host.events("llm.failed")[0]
    assert failed.payload["error"]["kind"] == "Canceled" and failed.payload["text"] == "It is "
    assert host.journal.open_requests() == []


def test_a_compression_is_also_told_as_such(serve: Any) -> None:
    host = Host(serve([say("short")]).base_url)
    host.ask(messages=[{"role": "user", "content": "a long text"}], purpose="compress")
    event = host.events("context.compressed")[0]
    assert event.payload["characters_before"] == 11 and event.payload["characters_after"] == 5
    assert host.events("llm.requested")[0].payload["purpose"] == "compress"
    assert event.cause == host.events("llm.responded")[0].seq


def test_without_a_provider_the_scripted_model_answers_and_every_record_says_so() -> None:
    host = Host()
    selected = host.run(host.service.select(caller(), [{"model": "gpt-5.1"}]))
    answer = host.ask(stream={"reply_to": "pid-1", "topic": "answer"})
    assert selected["scripted"] is True and answer["metadata"]["scripted"] is True
    assert host.events("model.selected")[0].payload["scripted"] is True
    assert host.events("llm.requested")[0].payload["scripted"] is True
    assert host.events("llm.responded")[0].payload["metadata"]["scripted"] is True
    assert "".join(payload["content"] for _, _, payload in host.sent) == answer["result"]
    assert len(host.sent) > 3


def test_requests_outside_a_session_are_told_in_the_stream_of_the_host() -> None:
    host = Host()
    outside = Caller("pid-1", "app:agent", context=caller().context)
    host.run(host.service.generate(outside, [{"model": "app:gpt", "messages": [USER]}]))
    assert [event.type for event in host.journal.read("host")][-1] == "llm.responded"


def test_select_names_what_it_wants() -> None:
    host = Host()
    for table in (None, {}, {"model": ""}, {"model": 5}, "gpt"):
        with pytest.raises(Invalid, match="`model`"):
            host.run(host.service.select(caller(), [table]))
