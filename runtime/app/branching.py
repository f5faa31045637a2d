"""Branches of a project's journal for those who ask at the command line: list, fork, compare, bring over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runtime.app.opening import Place, open_journal_to_read
from runtime.app.owner import ask
from runtime.journal import types
from runtime.journal.events import MAIN, Event
from runtime.registry.branching import Difference, differences

CONVERSATION = (types.MESSAGE_ADDED, types.TOOL_REQUESTED, types.TOOL_RESPONDED, types.TOOL_FAILED)
DECISIONS = (
    types.POLICY_DENIED,
    types.PROPOSAL_APPROVED,
    types.PROPOSAL_REJECTED,
    types.PROMOTE_APPLIED,
    types.CAPABILITY_DISABLED,
    types.CAPABILITY_ROLLED_BACK,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two branches behind their common past: entries, and what each alone said and decided."""

    cut: int | None
    entries: list[Difference]
    left: list[Event]
    right: list[Event]


def branches(place: Place) -> list[dict[str, Any]]:
    """Return every branch with its parent and where it begins, `main` first."""
    with open_journal_to_read(place) as journal:
        forks = sorted(journal.forks().by_name.values(), key=lambda each: each.seq)
        rows: list[dict[str, Any]] = [
            {"branch": MAIN, "parent": None, "at": None, "streams": None, "time": None}
        ]
        return rows + [each.to_value() for each in forks]


def fork(place: Place, at: int, name: str | None, streams: tuple[str, ...]) -> dict[str, Any]:
    """Begin a branch behind the event `at` and return it; see `Journal.fork` for what is raised."""
    with open_journal_to_read(place):  # who has no journal has nothing to fork
        pass
    return ask(place, "fork", {"at": at, "branch": name, "streams": list(streams)})


def compare(place: Place, left: str, right: str) -> Comparison:
    """Return how two branches differ; raise NotFound for one that is not there."""
    with open_journal_to_read(place) as journal:
        entries = differences(journal, left, right)
        cut = journal.forks().common(left, right)
        if cut is None:
            return Comparison(None, entries, [], [])
        wanted = (*CONVERSATION, *DECISIONS)
        only = [list(journal.on(each).read(after=cut, types=wanted)) for each in (left, right)]
        return Comparison(cut, entries, only[0], only[1])


def bring_over(place: Place, branch: str, *, dry_run: bool) -> dict[str, Any]:
    """Bring the net change of `branch` into its parent, or say what would be done; see `promote`.

    Returns `changes`, the ids that files declare (`declared`), and `conflicts`: why, by id.
    """
    return ask(place, "promote", {"branch": branch, "dry_run": dry_run}, branch=_parent(place, branch))


def _parent(place: Place, branch: str) -> str:
    with open_journal_to_read(place) as journal:
        forks = journal.forks()
        forks.check(branch)
        return forks.by_name[branch].parent if branch in forks.by_name else MAIN
