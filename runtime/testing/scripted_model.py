"""A model server for tests: real HTTP on loopback that speaks Chat Completions with streaming, from a script.

The script is a list of turns, one for each request, or a function that gets the request's body and returns
its turn. What was asked is kept in `requests`.

    with ScriptedModel([call("current_time", {}), say("It is ", "noon.")]) as model:
        ...  # run with OPENAI_BASE_URL=model.base_url and no key
    assert model.requests[0].body["model"] == "gpt-5.1"
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

DEADLINE = 30.0  # seconds that a turn waits for an event of its own

Delta: TypeAlias = dict[str, Any]
Step: TypeAlias = "Delta | str | threading.Event | Callable[[], None]"


@dataclass(slots=True)
class Turn:
    """One answer. `steps` are sent in order, each at once:

    a dict is the delta of a chunk (with the key `choices`, `error` or `usage` a whole chunk); a string is
    sent as it is, so that a test can break the format; an event is waited for, at most DEADLINE; a function
    is called. `finish` is the finish reason, None for none; `done` whether the end marker follows; `cut` ends
    the connection without ending the body. With a `body` or another `status` the answer is that JSON, whole.
    """

    steps: Sequence[Step] = ()
    finish: str | None = "stop"
    done: bool = True
    cut: bool = False
    usage: dict[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    )
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it came: path, headers in lower case, and the JSON of its body."""

    path: str
    headers: dict[str, str]
    body: Any


Script: TypeAlias = "Sequence[Turn] | Callable[[dict[str, Any]], Turn]"


def say(*pieces: str, **options: Any) -> Turn:
    """Return a turn that says `pieces`, one chunk each; `options` are fields of `Turn`."""
    return Turn([{"content": piece} for piece in pieces], **options)


def call(name: str, arguments: dict[str, Any] | str, call_id: str = "call_1", **options: Any) -> Turn:
    """Return a turn that asks for one tool call; its arguments come in two pieces."""
    return calls((name, arguments, call_id), **options)


def calls(*wanted: tuple[str, dict[str, Any] | str, str], text: str = "", **options: Any) -> Turn:
    """Return a turn that asks for several calls (name, arguments, id), after `text` if there is one."""
    steps: list[Step] = [{"content": text}] if text else []
    for index, (name, arguments, call_id) in enumerate(wanted):
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        middle = len(written) // 2
        function = {"name": name, "arguments": written[:middle]}
        steps.append(
            {"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]}
        )
        steps.append({"tool_calls": [{"index": index, "function": {"arguments": written[middle:]}}]})
    return Turn(steps, **{"finish": "tool_calls", **options})


def refuse(status: int, message: str = "refused", code: str = "", **headers: str) -> Turn:
    """Return an error answer; underscores in the names of `headers` stand for hyphens."""
    body = {"error": {"message": message, "type": code or "error", "code": code or None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Turn(status=status, body=body, headers=named)


class ScriptedModel:
    """The server; use it as a context manager. A request past the end of the script gets status 500."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self.requests: list[Recorded] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._serve, name="scripted-model", daemon=True)

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop answering and free the port; calling it again does nothing."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join(DEADLINE)
        self._server.server_close()

    def _serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def turn_for(self, request: Recorded) -> Turn:
        """Record `request` and return its turn."""
        with self._lock:
            self.requests.append(request)
            if callable(self._script):
                return self._script(request.body)
            number = len(self.requests)
            if number <= len(self._script):
                return self._script[number - 1]
        return refuse(500, f"the script has no turn {number}", x_should_retry="false")


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        scripted = model

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    scripted: ScriptedModel

    def log_message(self, *_args: Any) -> None:
        return  # standard error belongs to the test

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        turn = self.scripted.turn_for(Recorded(self.path, headers, json.loads(data)))
        try:
            if turn.status == 200 and turn.body is None:
                self._stream(turn)
            else:
                self._whole(turn)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # who asked has gone: nothing to do for it

    def _whole(self, turn: Turn) -> None:
        data = json.dumps(turn.body).encode()
        self.send_response(turn.status)
        for name, value in {"content-type": "application/json", **turn.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, turn: Turn) -> None:
        self.send_response(200)
        for name, value in {"content-type": "text/event-stream", **turn.headers}.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for step in turn.steps:
            self._step(step)
        if turn.cut:
            self.close_connection = True
            return
        if turn.finish is not None:
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish}]})
        if turn.usage is not None:
            self._event({"choices": [], "usage": turn.usage})
        if turn.done:
            self._send("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _step(self, step: Step) -> None:
        if isinstance(step, threading.Event):
            step.wait(DEADLINE)
        elif isinstance(step, str):
            self._send(step)
        elif isinstance(step, dict):
            whole = any(key in step for key in ("choices", "error", "usage"))
            self._event(step if whole else {"choices": [{"index": 0, "delta": step, "finish_reason": None}]})
        else:
            step()

    def _event(self, chunk: dict[str, Any]) -> None:
        head = {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "scripted-model"}
        self._send(f"data: {json.dumps({**head, **chunk})}\n\n")

    def _send(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()
