"""From a save to a change: wait until it is over, read the files, put them in force or say what is wrong.

Nothing that is found ends the watching. What can not be put in force leaves what is there, and the next save
gets its own chance.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from runtime.core.errors import Error, Internal, Invalid, Many, Place
from runtime.core.values import Value
from runtime.journal import types
from runtime.reload.look import Look, Places, take_look
from runtime.reload.watch import Watch

PATIENCE = 2.0  # seconds for an empty file to be filled, or for a file to be closed
UNQUIET = (
    5.0  # seconds after which a folder in which something happens all the time is looked at nevertheless
)
VANISHED = 0.25  # seconds for a file that is gone to come back
LOOK_AGAIN = 10.0  # seconds between looks while nothing is heard
POLL = 1.0  # the same, where the system does not watch
MAX_NAMED = 50

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Applied:
    """What a reload did: the version in force, the ids that it changed, and what to tell beside it."""

    version: int
    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def changes(self) -> int:
        """How many entries were changed."""
        return len(self.created) + len(self.updated) + len(self.deleted)


class Source(Protocol):
    """The project as the composition root opens it."""

    def places(self) -> Places:
        """Return where the files are, as far as they could be read last."""

    def read(self) -> Any:
        """Read all files, on a thread of its own; raise an Error with every fault."""

    def apply(self, read: Any) -> Applied:
        """Put in force what `read` returned, all or nothing; raise an Error."""


class Reloader:
    """Keeps what is in force as the files say; `run` is a task that only its cancellation ends.

    `settle` is how long nothing may happen before a save counts as over, in seconds. `record` writes an event
    (type, payload), `tell` says lines to the person. `seen` is the look from before the first reading.
    """

    def __init__(
        self,
        source: Source,
        *,
        settle: float,
        seen: Look,
        record: Callable[[str, dict[str, Value]], None],
        tell: Callable[[str], None],
        watch: Callable[[Callable[[], None]], Watch] = Watch,
    ) -> None:
        self._source = source
        self._settle = settle
        self._seen = seen
        self._record = record
        self._tell = tell
        self._make_watch = watch
        self._woken = asyncio.Event()
        self._in_force = seen
        self._refused = False
        self.following = asyncio.Event()
        """Set once every later change will be noticed."""

    async def run(self) -> None:
        """Follow the files until cancelled."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended: nobody waits any more
                loop.call_soon_threadsafe(self._woken.set)

        watch = self._make_watch(wake)
        said = False
        try:
            while True:
                try:
                    await asyncio.to_thread(watch.follow, self._source.places())
                    if watch.reason and not said:
                        said = True
                        self._tell(
                            f"files can not be watched ({watch.reason}): they are looked at every {POLL:g} s"
                        )
                    self.following.set()
                    await self._once(watch)
                    await self._quiet(POLL if watch.reason else LOOK_AGAIN)
                except Exception:
                    _log.exception("a reload failed inside the host; the watching goes on")
                    await asyncio.sleep(POLL)
        finally:
            watch.close()

    async def _quiet(self, seconds: float) -> bool:
        """Wait until something is heard, at most `seconds`; return whether nothing was."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return True
        return False

    async def _once(self, watch: Watch) -> None:
        """Look; where the state of the files is a new one, wait until it is settled and attempt it."""
        self._woken.clear()
        places = self._source.places()
        while (look := await self._settled(watch, places)) is not None:
            started = time.perf_counter()
            changed = look.changed_since(self._seen)
            try:
                read = await asyncio.to_thread(self._read, look, places)
                if (await asyncio.to_thread(take_look, places)).files != look.files:
                    continue  # it changed under the reader: what was read may be half of it
                applied = self._source.apply(read)
            except Error as error:
                self._reject(look, changed, error)
            except Exception as error:
                _log.exception("a reload failed")
                self._reject(look, changed, Internal(f"the reload failed: {type(error).__name__}: {error}"))
            else:
                moved = self._source.places() != places
                self._accept(
                    take_look(self._source.places()) if moved else look,
                    changed,
                    applied,
                    time.perf_counter() - started,
                )
            return

    def _read(self, look: Look, places: Places) -> Any:
        if emptied := look.emptied_since(self._in_force):
            raise Many([_cut_off(path.removeprefix(f"{places.root}/")) for path in emptied])
        return self._source.read()

    async def _settled(self, watch: Watch, places: Places) -> Look | None:
        """Return the next state of the files that seems whole, None where it is the one that was seen."""
        began = time.monotonic()
        before: Look | None = None
        while True:
            while not await self._quiet(self._settle) and time.monotonic() - began < UNQUIET:
                self._woken.clear()
            self._woken.clear()
            look = await asyncio.to_thread(take_look, places)
            if look.files == self._seen.files:
                return None
            waited = time.monotonic() - began
            saving = watch.unclosed(look.files) or look.emptied_since(self._in_force)
            gone = look.gone_since(self._in_force)
            moving = bool(watch.reason) and (before is None or look.files != before.files)
            before = look
            if (saving and waited < PATIENCE) or (gone and waited < VANISHED) or moving:
                continue
            watch.forget_unclosed()
            return look

    def _accept(self, look: Look, changed: list[str], applied: Applied, seconds: float) -> None:
        recovered, self._refused = self._refused, False
        self._seen = self._in_force = look
        for notice in applied.notices:
            self._tell(notice)
        if not applied.changes and not recovered:
            return
        self._record(
            types.RELOAD_APPLIED,
            {
                "version": applied.version,
                "files": self._named(changed),
                "created": list(applied.created[:MAX_NAMED]),
                "updated": list(applied.updated[:MAX_NAMED]),
                "deleted": list(applied.deleted[:MAX_NAMED]),
                "changes": applied.changes,
                "seconds": round(seconds, 4),
            },
        )
        self._tell(_summary(applied, seconds))

    def _reject(self, look: Look, changed: list[str], error: Error) -> None:
        self._seen, self._refused = look, True
        self._record(types.RELOAD_REJECTED, {"files": self._named(changed), "error": error.to_value()})
        faults = error.errors if isinstance(error, Many) else [error]
        self._tell("reload refused, what was in force stays in force")
        for fault in faults[:MAX_NAMED]:
            self._tell(f"  {fault}" + "".join(f"\n    {line}" for line in fault.frame))

    def _named(self, paths: list[str]) -> list[Value]:
        root = f"{self._source.places().root}/"
        return [path.removeprefix(root) for path in paths[:MAX_NAMED]]


def _cut_off(path: str) -> Error:
    return Invalid(
        "the file is empty, a save was cut off: save it again, or delete it to take its entries away",
        place=Place(path),
    )


def _summary(applied: Applied, seconds: float) -> str:
    counts = (("created", applied.created), ("updated", applied.updated), ("deleted", applied.deleted))
    parts = [f"{len(ids)} {what}" for what, ids in counts if ids]
    ids = [each for _, some in counts for each in some]
    named = f" ({', '.join(ids[:4])}{', ...' if len(ids) > 4 else ''})" if ids else ""
    what = ", ".join(parts) or "nothing changed"
    return f"reloaded: {what}{named}, v{applied.version}, {seconds * 1000:.0f} ms"
