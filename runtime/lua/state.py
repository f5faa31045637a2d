"""One Lua state with its kernel loaded: bytes in, bytes out, and the one door by which Lua calls back.

Nothing but `_answer` is ever handed to Lua; it takes bytes, gives bytes and never raises, so no Python object
and no exception reaches a script. lupa ends the process when a value is pushed near the hard memory limit, so
room is made before anything is pushed. This file imports next to nothing: a jailed child starts with it.
"""

from __future__ import annotations

import struct
import time

import lupa.lua54 as lupa

TYPE_CHECKING = False  # without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from runtime.lua.bell import Watch

    class Calls(Protocol):
        """What Lua calls: `call` may raise anything, and is then answered with `fault`."""

        @property
        def fault(self) -> bytes: ...
        @property
        def no_room(self) -> bytes: ...
        def call(self, name: str, packed: bytes) -> bytes: ...


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


def system_wall() -> tuple[int, int]:
    """Return the machine's time: seconds since 1970, and nanoseconds."""
    return divmod(time.time_ns(), 1_000_000_000)


class State:
    """A Lua state and its kernel. `interrupt`, `kill` and `heartbeat` may be called from any thread."""

    def __init__(
        self,
        kernel: Sequence[bytes],
        calls: Calls,
        *,
        memory_bytes: int,
        hooks: bool,
        watch: Watch | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], tuple[int, int]] = system_wall,
    ) -> None:
        """`kernel` is its compiled files, `memory_bytes` the soft limit: the hard one is twice that.

        With `hooks` what runs on is stopped; with less effort where `watch` finds a bell in it.
        """
        self.epoch = 0
        """How often policies changed; Lua sees it with its next look at the clock."""
        self.calls = calls
        self.say: Callable[[bytes], None] | None = None
        """Where there are no hooks: takes what is put out while Lua runs, up to the last cast."""
        self._hooks = hooks
        self._monotonic = monotonic
        self._wall = wall
        self._interrupts: set[bytes] = set()
        self._kills: set[bytes] = set()
        self._beat: float | None = None
        self._failure: BaseException | None = None
        self._hard = memory_bytes * 2
        self._lua = new_lua(self._hard)
        table = self._lua.table()
        base, *rest = kernel
        self._lua.execute(base, table, self._answer, mode=b"b")
        doors: Any = None
        for code in rest:
            doors = self._lua.execute(code, table, mode=b"b")
        self._step, self._set_limits, self._set_names, self._collect, bell, mark = doors
        self._watch = watch
        self._bell = watch.find(self._lua, bell) if hooks and watch else None
        self._mark = watch.find_mark(self._lua, mark) if watch else None
        self._place = (0, "")  # of the program with that number, when somebody looked last
        self._calling = ""
        self._set_limits(hooks, memory_bytes, self._bell is not None)
        self._reseed = self._lua.eval(b"math.randomseed")

    def reseed(self, first: int, second: int) -> None:
        """Start the random numbers anew: a process that was forked would repeat those of its siblings."""
        self._reseed(first, second)

    def set_memory(self, memory_bytes: int) -> None:
        """Change the limits of a state that runs nothing."""
        self._hard = memory_bytes * 2
        self._lua.set_max_memory(self._hard)
        self._set_limits(self._hooks, memory_bytes, self._bell is not None)

    def set_module_names(self, packed: bytes) -> None:
        """Tell the kernel which modules the library has (a packed list), for its messages."""
        self._set_names(packed)

    def step(self, inputs: bytes) -> tuple[float, bytes]:
        """Run the kernel once; return when to come back (negative: no timer) and the packed outputs.

        Raises StateFailed; after that the state is of no use.
        """
        self._beat = time.monotonic()
        if self._watch is not None and self._bell is not None:
            self._watch.enter(self._bell)
        try:
            self._make_room(len(inputs))
            answer: bytes = self._step(inputs)
        except (lupa.LuaError, MemoryError) as error:
            raise StateFailed(_reason(error)) from None
        finally:
            self._beat = None
            if self._watch is not None and self._bell is not None:
                self._watch.leave(self._bell)
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

    @property
    def looks(self) -> bool:
        """Whether it wants sources with looks at its bell (see `guard`)."""
        return self._bell is not None

    def heartbeat(self) -> float | None:
        """Return the seconds since Lua last gave a sign of life, None when it is not running."""
        beat = self._beat
        return None if beat is None else time.monotonic() - beat

    def running(self) -> tuple[int, str]:
        """From any thread: return the number of the program that runs, and where it was seen last.

        0 where none runs or nobody can tell; the text is empty where nothing is known.
        """
        number = self._mark.read() if self._mark is not None else 0
        if self._calling:
            return number, f"the host's function `{self._calling}`"
        seen, place = self._place
        return number, place if seen == number else ""

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
                return struct.pack("<dBI", self._monotonic(), wish, self.epoch)
            if name == b"wall":
                return struct.pack("<qqd", *self._wall(), self._monotonic())
            if name == b"say" and self.say is not None:
                self.say(packed)
                return b""
            if name == b"place":
                self._place = self._mark.read() if self._mark else 0, packed.decode("utf-8", "replace")
                return b""
            self._calling = name.decode()
            answer = self.calls.call(self._calling, packed)
            self._calling = ""
            room = self._lua.get_memory_used() + 3 * len(answer) <= self._hard
            return answer if room else self.calls.no_room
        except Exception:
            self._calling = ""
            return self.calls.fault
        except BaseException as error:
            self._calling, self._failure = "", error
            return self.calls.fault


def _reason(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "its memory is used up"
    text = error.args[0] if error.args else type(error).__name__
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return text.partition("\nstack traceback:")[0]
