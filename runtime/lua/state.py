"""One Lua state with its kernel loaded: bytes in, bytes out, and the one door by which Lua calls back.

Nothing but `_answer` is ever handed to Lua; it takes bytes, gives bytes and never raises, so no Python object
and no exception reaches a script. lupa ends the process when a value is pushed near the hard memory limit, so
room is made before anything is pushed.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import lupa.lua54 as lupa

from runtime.core.clock import Clock
from runtime.core.errors import Error, Internal
from runtime.core.wire import pack, unpack
from runtime.lua.typed.validators import matches

# The files of the kernel in the order in which they build on each other.
KERNEL = (
    *("objects", "errors", "encode", "decode", "copy", "limits", "timers", "coroutines", "scheduler"),
    *("channels", "subscriptions", "cost", "matcher", "patterns", "strings", "tables"),
    *("host", "sandbox", "types", "type_checks", "type_order", "type_values", "modules", "programs", "step"),
)

_FOLDER = Path(__file__).parent / "kernel"

_FAULT = pack([False, Internal("a function of the runtime failed")])


@dataclass(frozen=True, slots=True)
class MachineLimits:
    """Limits of one Lua state.

    `memory_bytes` is the soft limit of its heap, which fails the task that runs; twice that is the hard one.
    `hooks` is False only where something outside (a jail's wall clock) stops a task that runs on.
    """

    memory_bytes: int = 64 * 1024 * 1024
    hooks: bool = True


class StateFailed(Exception):
    """The Lua state as a whole can not go on; the text says why."""


def _deny(_object: object, _name: object, _setting: bool) -> object:
    raise AttributeError("not available in the sandbox")


def new_lua(max_memory: int) -> Any:
    """Return a bare Lua 5.4 that knows nothing of Python and whose strings are bytes here."""
    return lupa.LuaRuntime(
        encoding=None,
        register_eval=False,
        register_builtins=False,
        unpack_returned_tuples=False,
        attribute_filter=_deny,
        max_memory=max_memory,
    )


@cache
def _compiler() -> Any:
    return new_lua(0).eval(b"function(s, n) return string.dump(assert(load(s, n, 't'))) end")


@cache
def _compiled(name: str) -> bytes:
    """Return a file of the kernel as bytecode: loading it costs a fifth of parsing it for each state."""
    source = _FOLDER.joinpath(f"{name}.lua").read_bytes()
    # The matching of patterns is the one part that the hook may stop, so it has another name.
    place = "patterns" if name in ("matcher", "patterns") else "kernel"
    return bytes(_compiler()(source, f"=[{place}]/{name}.lua".encode()))


class State:
    """A Lua state and its kernel. `interrupt`, `kill` and `heartbeat` may be called from any thread."""

    def __init__(
        self, find: Callable[[str, str], Callable[..., Any] | None], limits: MachineLimits, clock: Clock
    ) -> None:
        """`find(module, function)` gives the Python function that a module calls, or None."""
        self.epoch = 0
        """How often policies changed; Lua sees it with its next look at the clock."""
        self._find = find
        self._clock = clock
        self._interrupts: set[bytes] = set()
        self._kills: set[bytes] = set()
        self._beat: float | None = None
        self._failure: BaseException | None = None
        self._hard = limits.memory_bytes * 2
        self._lua = new_lua(self._hard)
        kernel = self._lua.table()
        self._run("base", kernel, self._answer)
        doors: Any = None
        for name in KERNEL:
            doors = self._run(name, kernel)
        self._step, set_limits, self._set_names, self._collect = doors
        set_limits(limits.hooks, limits.memory_bytes)

    def _run(self, name: str, *args: Any) -> Any:
        return self._lua.execute(_compiled(name), *args, mode=b"b")

    def reseed(self, first: int, second: int) -> None:
        """Start the random numbers anew: a process that was forked would repeat those of its siblings."""
        self._lua.execute(b"math.randomseed(...)", first, second)

    def set_module_names(self, names: list[str]) -> None:
        """Tell the kernel which modules the library has, for its messages."""
        self._set_names(pack(names))

    def step(self, inputs: bytes) -> tuple[float, bytes]:
        """Run the kernel once; return when to come back (negative: no timer) and the packed outputs.

        Raises StateFailed; after that the state is of no use.
        """
        self._beat = time.monotonic()
        try:
            self._make_room(len(inputs))
            answer: bytes = self._step(inputs)
        except (lupa.LuaError, MemoryError) as error:
            raise StateFailed(_reason(error)) from None
        finally:
            self._beat = None
        if self._failure is not None:  # KeyboardInterrupt and its like pass the Lua state by
            failure, self._failure = self._failure, None
            raise failure
        return struct.unpack_from("<d", answer)[0], answer[8:]

    def interrupt(self, task: str) -> None:
        """Raise Canceled in what `task` computes, at its next look at the clock."""
        self._interrupts.add(task.encode())

    def kill(self, task: str) -> None:
        """End `task` where it computes, at its next look at the clock; it can not catch that."""
        self._kills.add(task.encode())

    def forget(self, task: str) -> None:
        """Drop an interrupt or a kill that came too late."""
        self._interrupts.discard(task.encode())
        self._kills.discard(task.encode())

    def heartbeat(self) -> float | None:
        """Return the seconds since Lua last gave a sign of life, None when it is not running."""
        beat = self._beat
        return None if beat is None else time.monotonic() - beat

    def _make_room(self, size: int) -> None:
        if self._lua.get_memory_used() + 3 * size > self._hard:
            self._collect()
            if self._lua.get_memory_used() + 3 * size > self._hard:
                raise MemoryError

    def _answer(self, name: bytes, packed: bytes) -> bytes:
        try:
            self._beat = time.monotonic()
            if name == b"clock":
                wish = 2 if packed in self._kills else 1 if packed in self._interrupts else 0
                self._interrupts.discard(packed)
                return struct.pack("<dBI", self._clock.monotonic(), wish, self.epoch)
            if name == b"wall":
                now = self._clock.now()
                return struct.pack(
                    "<qqd", int(now.timestamp() // 1), now.microsecond * 1000, self._clock.monotonic()
                )
            return self._call(name.decode(), packed)
        except Exception:
            return _FAULT
        except BaseException as error:
            self._failure = error
            return _FAULT

    def _call(self, name: str, packed: bytes) -> bytes:
        module, _, function = name.rpartition(".")
        try:
            call = matches if name == "kernel.pattern" else self._find(module, function)
            if call is None:
                raise Internal(f"module `{module}` has no function `{function}`")
            args = unpack(packed)
            answer = pack([True, call(*args)])  # type: ignore[misc]
        except Error as error:
            answer = pack([False, error])
        if self._lua.get_memory_used() + 3 * len(answer) > self._hard:
            return pack(
                [False, Internal(f"the answer of `{name}` does not fit into the memory of the Lua state")]
            )
        return answer


def _reason(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "its memory is used up"
    text = error.args[0] if error.args else type(error).__name__
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return text.partition("\nstack traceback:")[0]
