"""A recorded session asked anew: the same words to the same command, with new calls, on a branch of its own.

The branch begins before the session did, so the run-time entries are those of then; what files declare is
what they declare now. The session that was recorded stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runtime.app.branching import fork
from runtime.app.opening import Place, open_journal_to_read
from runtime.app.replaying import find_session
from runtime.app.tape import said
from runtime.core.errors import Invalid
from runtime.journal import types
from runtime.journal.events import Event, Journal

_STEP = 256  # events looked at together, backwards


@dataclass(frozen=True, slots=True)
class Rerun:
    """What is asked anew: the command, its arguments and what was said, on the new branch `branch`."""

    session: str
    branch: str
    parent: str
    command: str
    arguments: tuple[str, ...]
    approve: str
    compat: str | None
    lines: tuple[str, ...]


def prepare_rerun(place: Place, wanted: str) -> Rerun:
    """Begin the branch for a rerun of the session `wanted`, see `find_session`; raises what `fork` raises."""
    with open_journal_to_read(place) as journal:
        view, stream = find_session(journal, wanted)
        events = list(view.read(stream))
        started = next(event for event in events if event.type == types.SESSION_STARTED)
        cut = _before(view, started)
        taken = set(journal.forks().by_name)
    payload: Any = started.payload
    if not isinstance(payload, dict):
        raise Invalid(f"event {started.seq} was redacted: nobody knows any more what was run")
    session = stream.removeprefix("session:")
    stem = f"rerun-{session[-8:]}"  # the end of an id is random, its beginning is the time
    names = (stem if number == 1 else f"{stem}.{number}" for number in range(1, len(taken) + 2))
    name = next(name for name in names if name not in taken)
    made = fork(place, cut.seq, name, ())
    return Rerun(
        session,
        name,
        str(made["parent"]),
        str(payload["command"]),
        tuple(str(each) for each in payload.get("arguments") or ()),
        str(payload.get("approve", "ask")),
        str(payload["compat"]) if payload.get("compat") else None,
        tuple(said(events)),
    )


def _before(view: Journal, started: Event) -> Event:
    """Return the last event that the branch had when the session began."""
    upto = started.seq
    while upto > 0:
        after = max(0, upto - 1 - _STEP)
        found = [event for event in view.read(after=after, limit=_STEP) if event.seq < started.seq]
        if found:
            return found[-1]
        upto = after
    raise Invalid("nothing happened before this session: there is no event to begin a branch behind")
