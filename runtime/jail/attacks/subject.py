"""A child that runs native probes: walls and seal of the worker of calls, and then hostile Python.

This is a program of its own. Nothing of a call reaches it, and the worker of calls runs nothing but Lua.
A probe is the body of a file of `native`; it says `won(text)` where it got what it wanted. What it may use is
loaded before the walls go up. With `bare` there are no nets: then every probe is expected to win.
"""

from __future__ import annotations

import _thread
import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from runtime.jail import nets, zygote_worker
from runtime.jail.attacks.numbers import numbers
from runtime.jail.frames import RUN, ready
from runtime.jail.protocol import Exit, encode
from runtime.jail.worker import Pipe
from runtime.lua import rows
from runtime.lua.state import State

LOADED = (_thread, fcntl, mmap, resource, signal, socket)
"""What probes import: it must be there before the walls are."""


class Won(Exception):
    """The probe got what it wanted; the text says what that was."""


def main(*, bare: bool = False) -> None:
    """Fork a child for each probe, inside the nets, or `bare` of any."""
    if bare:
        zygote_worker.main(_bare, walls=dict)
    else:
        zygote_worker.main(_sealed)


def _sealed(pipe: Pipe, _state: State, limits: Mapping[str, Any], walls: nets.State) -> None:
    _serve(pipe, {**walls, **nets.seal(limits)})


def _bare(pipe: Pipe, _state: State, _limits: Mapping[str, Any], walls: nets.State) -> None:
    _serve(pipe, walls)


def _serve(pipe: Pipe, state: nets.State) -> None:
    pipe.send(ready(state))
    source, facts = rows.arguments(pipe.receive(RUN))
    pipe.send(encode(Exit(_attempt(str(source), facts), None)))
    os._exit(0)


def _attempt(source: str, facts: Any) -> dict[str, Any]:
    """Return {won, what} of a probe that lived to tell it."""
    given = {"system": system, "won": won, "facts": facts, "os": os, "ctypes": ctypes}
    try:
        exec(compile(source, "probe", "exec"), given)
    except Won as prize:
        return {"won": True, "what": str(prize)}
    except BaseException as error:
        return {"won": False, "what": f"{type(error).__name__}: {error}"}
    return {"won": False, "what": "nothing came of it"}


def won(what: object) -> NoReturn:
    """Say that the probe got what it wanted."""
    raise Won(str(what))


def _caller() -> Callable[..., int]:
    library, table = ctypes.CDLL(None, use_errno=True), numbers()
    call = library.syscall
    call.restype = ctypes.c_long

    def system(name: str | int, *args: object) -> int:
        """Make the system call `name`; raise OSError where it fails, LookupError where there is none here."""
        number = table[name] if isinstance(name, str) else name
        words = [ctypes.c_long(word) if isinstance(word, int) else word for word in args]
        result = int(call(ctypes.c_long(number), *words))
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    return system


system = _caller()
