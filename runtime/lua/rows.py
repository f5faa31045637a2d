"""The inputs of the kernel as bytes: one packed row each, joined to one packed list (see kernel/step.lua).

What an input carries of a script's data is packed for itself and crosses as bytes: a row is read in one go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgpack

from runtime.core.errors import Error, Invalid
from runtime.core.wire import pack
from runtime.lua.guard import guarded
from runtime.lua.module import Module
from runtime.lua.program import Program

_SPAWN, _REPLY, _MESSAGE, _KILL, _PROGRAM, _MODULE, _FORGET, _INTERRUPT = range(8)
_BECOME, _RETIRE, _WITHHOLD, _DROP = range(8, 12)
_NO_ARGS, _NO_VALUES = pack([]), pack({})


def join(rows: Sequence[bytes]) -> bytes:
    """Return the packed list of `rows`."""
    return b"\xdd" + len(rows).to_bytes(4, "big") + b"".join(rows)


def spawn(
    task: str,
    key: str,
    args: Sequence[Any],
    values: Mapping[str, Any],
    info: Mapping[str, Any],
    *,
    running_seconds: float,
    total_seconds: float | None,
    memory_bytes: int,
    kept_as: str = "",
) -> bytes:
    """Return the row that starts `task`, which runs the program that was sent as `key`."""
    packed = (
        pack(list(args)) if args else _NO_ARGS,
        pack(dict(values)) if values else _NO_VALUES,
        pack(dict(info)),
    )
    total = None if total_seconds is None else float(total_seconds)
    return _row(_SPAWN, task, key, *packed, float(running_seconds), total, memory_bytes, kept_as or None)


def drop(kept_as: str) -> bytes:
    """Return the row that forgets a kept environment."""
    return _row(_DROP, kept_as)


def reply(task: str, call: int, values: Sequence[Any], error: Error | None) -> bytes:
    """Return the row that answers a command: with `values`, or with `error` where there is one."""
    if error is None:
        return _row(_REPLY, task, call, True, pack(list(values)))
    return _row(_REPLY, task, call, False, pack(error))


def message(task: str, topic: str, sender: str, payloads: Sequence[Any]) -> bytes:
    """Return the row of a message."""
    return _row(_MESSAGE, task, topic, sender, pack(list(payloads)))


def kill(task: str, error: Error) -> bytes:
    """Return the row that ends a task."""
    return _row(_KILL, task, pack(error))


def retire(task: str, topic: str, event: Any, error: Error, *, patient: bool) -> bytes:
    """Return the row that asks a task to end."""
    return _row(_RETIRE, task, topic, pack(event), pack(error), patient)


def interrupt(task: str) -> bytes:
    """Return the row that raises Canceled in what a task computes."""
    return _row(_INTERRUPT, task)


def withhold(task: str) -> bytes:
    """Return the row that makes a task ask for everything again."""
    return _row(_WITHHOLD, task)


def become(task: str, program: Program, args: Sequence[Any]) -> bytes:
    """Return the row by which a task runs a known program in the place of its own."""
    return _row(_BECOME, task, program.key, program.entry, pack(list(args)))


def module(part: Module, *, ambient: bool = False, looks: bool = False) -> bytes:
    """Return the row that loads a module; with `looks` its source looks at the bell of the state."""
    return _row(_MODULE, part.name, guarded(part.lua) if looks else part.lua, ambient)


def modules(parts: Iterable[Module]) -> bytes:
    """Return the joined rows that load `parts`: ambient ones first, since others build on them."""
    ordered = sorted(parts, key=lambda part: (not part.ambient, part.name))
    return join([module(part, ambient=part.ambient) for part in ordered])


def program(known: Program, key: str, *, looks: bool = False, number: int = 0) -> bytes:
    """Return the row by which the kernel knows a program as `key`; `looks` as for a module.

    `number` is what the mark of the state shows while it runs (see `mark`).
    """
    if looks:
        chunks = tuple(
            replace(chunk, source=guarded(chunk.source)) for chunk in (*known.libraries, known.main)
        )
        known = replace(known, libraries=chunks[:-1], main=chunks[-1])
    value = known.to_value()
    return _row(_PROGRAM, key, value["libraries"], value["main"], value["aliases"], number)


def forget(key: str) -> bytes:
    """Return the row that forgets a program."""
    return _row(_FORGET, key)


def arguments(inputs: bytes) -> list[Any]:
    """Return the arguments of the task that joined `inputs` start last."""
    rows: Iterable[list[Any]] = msgpack.unpackb(inputs, raw=False, strict_map_key=False)
    packed = next(row[3] for row in reversed(list(rows)) if row[0] == _SPAWN)
    return list(msgpack.unpackb(packed, raw=False, strict_map_key=False))


def _row(*fields: Any) -> bytes:
    try:
        return bytes(msgpack.packb(fields, use_bin_type=True))
    except (UnicodeEncodeError, TypeError, OverflowError) as error:
        raise Invalid(f"an input can not cross to Lua: {error}") from error
