"""A host of real parts in which one Lua body runs under any scope: for the walk over the guarded actions."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from runtime.app.loading import load_project
from runtime.app.opening import Place, open_host
from runtime.app.options import Options
from runtime.app.outcome import Outcome
from runtime.app.parts import Parts, build
from runtime.app.session import Session
from runtime.app.wording import Wording
from runtime.evolution.consent import Approve
from runtime.journal import types
from runtime.process.task import Start
from runtime.registry.registry import Registry
from runtime.security.actions import ACTIONS
from runtime.security.actor import Actor, Context, Scope
from runtime.services.terminal import Terminal

BODIES = {
    path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parent / "actions").glob("*.lua"))
}
HOST = "shop:pool"
KEY = "canary-of-the-token-key-8812"
DEADLINE = 60.0

_INDEX = """
namespace: shop
entries:
  - {name: pool, kind: process.host}
  - {name: terminal, kind: terminal.host}
  - {name: os_env, kind: env.storage.os}
  - {name: colour, kind: env.variable, storage: os_env, variable: SHOP_COLOUR}
  - {name: key, kind: env.variable, storage: os_env, variable: SHOP_KEY}
  - {name: shelf, kind: store.memory, max_size: 100}
  - {name: tokens, kind: security.token_store, store: shelf}
  - {name: signed, kind: security.token_store, store: shelf, token_key: "${env:SHOP_KEY}"}
  - {name: note, kind: registry.entry}
  - {name: hello, kind: function.lua, source: "return { run = function() return 1 end }", method: run}
  - name: listener
    kind: function.lua
    source: "return { run = function() process.listen('never'):receive() end }"
    method: run
  - {name: worker, kind: process.lua, source: "return { main = function() process.inbox():receive() end }"}
  - {name: quick, kind: process.lua, source: "return { main = function() return 1 end }"}
  - {name: greeter, kind: contract.definition, methods: [{name: greet}]}
  - {name: greets, kind: contract.binding, contracts: [{contract: greeter, methods: {greet: hello}}]}
  - {name: __dep.llm, kind: ns.dependency, component: wippy/llm, version: "*"}
  - name: shop-model
    kind: registry.entry
    meta: {name: shop-model, type: llm.model, capabilities: [generate]}
    max_tokens: 1000
    output_tokens: 100
    providers: [{id: "wippy.llm.openai:provider", provider_model: x}]
"""
_CASE = """
  - name: case.{action}
    kind: function.lua
    method: run
    modules: [registry, funcs, env, http_client, security, events, contract, store, system, time, hash]
    imports: {{llm: "wippy.llm:llm"}}
    source: |
      local llm = require("llm")
      local function body(given)
{body}
      end
      return {{ run = function(given)
        local ok, value, err = pcall(body, given)
        if not ok then
          err = value
        end
        if given.keep then
          return {{ value = ok and value or tostring(err) }}
        end
        if err == nil then
          return {{ done = value ~= nil and value ~= false }}
        end
        return {{ kind = err:kind(), message = err:message(), details = err:details() }}
      end }}
"""
_POLICY = """
  - name: {action}
    kind: security.policy
    groups: [all]
    policy: {{actions: {action}, resources: "*", effect: allow}}
"""


def project(folder: Path, bodies: Mapping[str, str]) -> Path:
    """Write a project with one policy for each guarded action and one function for each body."""
    text = _INDEX + "".join(_POLICY.format(action=action) for action in ACTIONS)
    for action, body in bodies.items():
        text += _CASE.format(action=action, body="".join(f"        {line}\n" for line in body.splitlines()))
    (folder / "src").mkdir(parents=True)
    (folder / ".wippy.yaml").write_text('version: "1.0"\n', "utf-8")
    (folder / "src/_index.yaml").write_text(text, "utf-8")
    return folder


def allowing(actions: Any) -> Context:
    """Return a context whose scope allows exactly `actions`."""
    return Context(Actor("shop:clerk"), Scope(f"shop:{action}" for action in actions))


class Walk:
    """Runs bodies and remembers the denials that the journal holds."""

    def __init__(self, parts: Parts, opened: Any, url: str) -> None:
        self.parts = parts
        self._opened = opened
        self._url = url
        self._count = 0

    @property
    def registry(self) -> Registry:
        """The registry of the host."""
        registry: Registry = self._opened.registry
        return registry

    def everything(self) -> str:
        """Return all that the journal holds."""
        return "".join(str(event.to_value()) for event in self._opened.journal.read())

    async def run(
        self, action: str, context: Context, *, keep: bool = False
    ) -> tuple[dict[str, Any], list[Any]]:
        """Return how the body of `action` ended under `context`, and the denials that it caused.

        With `keep` what it returned is the `value`.
        """
        tasks, current = self.parts.tasks, self._opened.registry.current
        before = len(list(self._opened.journal.read(types=[types.POLICY_DENIED])))
        listener = tasks.spawn(self.parts.programs.get(current.require("shop:listener")), (), host=HOST)
        self._count += 1
        given = {"pid": listener.id, "url": self._url, "keep": keep, "unique": f"f{self._count}"}
        program = self.parts.programs.get(current.require(f"shop:case.{action}"))
        task = tasks.spawn(program, (given,), host=HOST, start=Start(context, session="session:walk"))
        value = await tasks.wait(task)
        denied = list(self._opened.journal.read(types=[types.POLICY_DENIED]))[before:]
        return value, [event.payload for event in denied]


async def walk(folder: Path, url: str, visit: Any, bodies: Mapping[str, str] = BODIES) -> None:
    """Open the project in `folder` as a host and await `visit(walk)`."""
    options = Options(
        environment={"SHOP_COLOUR": "blue", "SHOP_KEY": KEY, "XDG_CONFIG_HOME": str(folder / "home")},
        approve=Approve.UNATTENDED,
        prompt=None,
    )
    with ExitStack() as stack:
        opened = open_host(stack, Place(project(folder, bodies)), options.environment, ephemeral=True)
        silent = os.open(os.devnull, os.O_RDWR)
        stack.callback(os.close, silent)
        terminal, session = Terminal(silent, silent, silent), Session(opened.journal)
        wording = Wording(lambda _: "", lambda _: False, lambda _: "")
        parts = build(opened, options, terminal, wording, Outcome(), session)
        snapshot = load_project(opened.registry, opened.project)
        parts.guard.engine.rebuild(snapshot.entries())
        parts.tasks.open_host(HOST)
        try:
            async with asyncio.timeout(DEADLINE):
                await visit(Walk(parts, opened, url))
        finally:
            await parts.close()


class _Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def loopback() -> Iterator[str]:
    """Serve on loopback and yield the URL."""
    server = HTTPServer(("127.0.0.1", 0), _Hello)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
