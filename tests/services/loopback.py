"""A real HTTP server on loopback whose answers a test gives, and a guard with the policies of a test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from runtime.registry.entry import Entry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Denial, Guard

Answer = tuple[int, Mapping[str, str], bytes]


@contextmanager
def serving(answer: Callable[[BaseHTTPRequestHandler], Answer]) -> Iterator[int]:
    """Yield the port of a server that answers every request with `answer(request)`."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            status, headers, body = answer(self)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = handle_any

        def log_message(self, *_arguments: Any) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def guard_of(rules: list[tuple[str, str, str]], denials: list[Denial] | None = None) -> tuple[Guard, Context]:
    """Return a guard and a context under one policy for each (effect, action, resource)."""
    entries = [
        Entry(
            f"test:p{number}",
            "security.policy",
            {},
            {"policy": {"actions": action, "resources": resource, "effect": effect}},
        )
        for number, (effect, action, resource) in enumerate(rules)
    ]
    engine = Engine()
    engine.rebuild(entries)
    hear = denials.append if denials is not None else None
    return Guard(engine, True, hear), Context(Actor("test:actor"), Scope(entry.id for entry in entries))
