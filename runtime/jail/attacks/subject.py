"""A child that runs native probes: the same walls and the same seal as the worker of calls, then hostile Python.

This is a program of its own. Nothing of a call reaches it, and the worker of calls runs nothing but Lua.
A probe is the body of a file of `native`; it says `won(text)` where it got what it wanted. What it may use is
loaded before the walls go up. With `bare` there are no nets: then every probe is expected to win.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from runtime.jail import nets, zygote_worker
from runtime.jail.attacks.numbers import numbers
from runtime.jail.protocol import Exit, Ready, Run
from runtime.jail.worker import Pipe, receive_setup
from runtime.lua.library import Library
from runtime.lua.machine import Machine

BARE = "bare"


class Won(Exception):
    """The probe got what it wanted; the text says what that was."""


def main() -> None:
    """Fork a child for each probe, inside the nets, or without any where an argument says so."""
    if BARE in sys.argv:
        sys.argv.remove(BARE)
        zygote_worker.main(_bare, walls=dict)
    zygote_worker.main(_sealed)


def _sealed(pipe: Pipe, _library: Library, _machine: Machine, state: nets.State) -> None:
    setup = receive_setup(pipe)
    _serve(pipe, {**state, **nets.seal(setup.limits)})


def _bare(pipe: Pipe, _library: Library, _machine: Machine, state: nets.State) -> None:
    receive_setup(pipe)
    _serve(pipe, state)


def _serve(pipe: Pipe, state: nets.State) -> None:
    pipe.send(Ready([net for net, why in state.items() if not why], {k: v for k, v in state.items() if v}))
    run = pipe.receive()
    assert isinstance(run, Run)
    source, facts = str(run.args[0]), run.args[1]
    pipe.send(Exit(_attempt(source, facts), None))
    os._exit(0)


def _attempt(source: str, facts: Any) -> dict[str, Any]:
    """Return {won, what} of a probe that lived to tell it."""
    try:
        exec(
            compile(source, "probe", "exec"),
            {"system": system, "won": won, "facts": facts, "os": os, "ctypes": ctypes},
        )
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

    def system(name: str, *args: object) -> int:
        """Make the system call `name`; raise OSError where it fails, LookupError where there is none here."""
        words = [ctypes.c_long(word) if isinstance(word, int) else word for word in args]
        result = int(call(ctypes.c_long(table[name]), *words))
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    return system


system = _caller()
