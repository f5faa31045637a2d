"""Whatever a child sends as the arguments of a command, the answer is a value or an Error, never a fault."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import Error
from runtime.core.redact import Redactor
from runtime.journal.memory import MemoryJournal
from runtime.lua.dispatch import Caller, Handler
from runtime.registry.gate import Proposed
from runtime.registry.registry import Registry
from runtime.services.documentation import Documentation
from runtime.services.environment import EnvironmentCommands
from runtime.services.http import HttpService
from runtime.services.log import LogCommands
from runtime.services.registry_commands import RegistryCommands
from runtime.services.security_commands import SecurityCommands
from runtime.services.terminal import Terminal
from runtime.services.terminal_commands import TerminalCommands
from tests.services.loopback import guard_of

EVERYTHING = ["http_client.request", "registry.*", "security.*", "env.*"]
ODD: list[Any] = [
    *(None, True, 0, -1, 2**63, 10**30, 0.5, float("nan"), float("inf"), float("-inf")),
    *("", "x", "²", "١", "\0", "a:b", b"", b"\xff", [], {}, [None], [[]], [1], {"": 1}, {"a": {}}),
]
FIELDS = (
    *("id", "filter", "version", "namespace", "ops", "base_version", "from", "to", "how", "ids", "actor"),
    *("policies", "action", "resource", "meta", "stream", "text", "message", "fields", "level", "name"),
    *("method", "url", "options"),
)
OPTIONS = ("headers", "body", "query", "form", "cookies", "auth", "timeout", "max_response_body")
GOOD = {"method": "GET", "url": "http://runtime.internal/", "action": "a", "resource": "r", "how": "custom"}


class Shut:
    """A gate that lets nothing pass."""

    async def admit(self, _proposed: Proposed) -> None:
        raise Error("nothing passes")


def commands(read: int, write: int) -> tuple[dict[str, Handler], Caller]:
    guard, context = guard_of([("allow", action, "*") for action in EVERYTHING])
    registry = Registry(MemoryJournal(), SystemClock())
    redactor = Redactor()
    tables: list[Mapping[str, Handler]] = [
        RegistryCommands(registry, guard, Shut()).handlers(),
        SecurityCommands(guard).handlers(),
        EnvironmentCommands(guard, lambda: registry.current, {}, redactor).handlers(),
        LogCommands(redactor).handlers(),
        HttpService(guard, Documentation({}), offline=True).handlers(),
        TerminalCommands(Terminal(read, write, write), "app:terminal").handlers(),
    ]
    caller = Caller("t", "app:test", context=context, host="app:terminal")
    return {name: handler for each in tables for name, handler in each.items()}, caller


def odd_arguments() -> Iterator[list[Any]]:
    yield []
    for value in ODD:
        yield [value]
        yield ["a", value]
        yield ["a", "b", value]
        for field in FIELDS:
            yield [{**GOOD, field: value}]
        for option in OPTIONS:
            yield [{**GOOD, "options": {option: value}}]
            yield [{**GOOD, "options": {option: {"a": value}}}]
    for kind, value in itertools.product(("create", "update", "delete"), ODD):
        yield [{"ops": [{"kind": kind, "entry": value}]}]
        yield [{"ops": [{"kind": kind, "entry": {"id": value, "kind": value, "meta": value, "data": value}}]}]
        yield [{"ops": [{"kind": kind, "entry": {"id": "a:b", "kind": "registry.entry", "meta": value}}]}]


def names() -> list[str]:
    read, write = os.pipe()
    os.close(read)
    os.close(write)
    return sorted(commands(read, write)[0])


@pytest.mark.parametrize("name", names())
def test_odd_arguments_give_a_value_or_an_error(name: str) -> None:
    read, write = os.pipe()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.close(write)  # the end of input: nobody waits for a line

    async def main() -> None:
        table, caller = commands(read, nowhere)
        for args in odd_arguments():
            try:
                await table[name](caller, args)
            except Error as error:
                assert "b'" not in error.message, args
                assert "Traceback" not in error.message, args

    try:
        asyncio.run(main())
    finally:
        os.close(read)
        os.close(nowhere)
