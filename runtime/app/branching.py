"""Branches of a project's journal for those who ask at the command line: list, fork, compare, bring over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from runtime.app.opening import Place, find_project, open_journal_to_read, open_journal_to_write
from runtime.app.writing import OWNER, writing
from runtime.journal import types
from runtime.journal.branches import Fork
from runtime.journal.events import MAIN, Event, Journal
from runtime.registry.branching import Difference, Promotion, check_cut, differences, promote, promotion

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


def fork(place: Place, at: int, name: str | None, streams: tuple[str, ...]) -> Fork:
    """Begin a branch behind the event `at` and return it; see `Journal.fork` for what is raised."""
    with _journal(place) as journal:
        check_cut(journal, at)
        return journal.fork(name or _free_name(journal, at), at, streams=streams or None, actor=OWNER)


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


def bring_over(place: Place, branch: str, *, dry_run: bool) -> Promotion:
    """Bring the net change of `branch` into its parent, or say what would be done; see `promote`."""
    with writing(place, branch=_parent(place, branch)) as opened:
        if dry_run:
            return promotion(opened.registry, opened.journal, branch)
        return promote(opened.registry, opened.journal, branch, actor=OWNER)


def _parent(place: Place, branch: str) -> str:
    with open_journal_to_read(place) as journal:
        forks = journal.forks()
        forks.check(branch)
        return forks.by_name[branch].parent if branch in forks.by_name else MAIN


@contextmanager
def _journal(place: Place) -> Iterator[Journal]:
    project = find_project(place, os.environ)
    with open_journal_to_read(place), ExitStack() as stack:  # who has no journal has nothing to fork
        yield open_journal_to_write(stack, project)


def _free_name(journal: Journal, at: int) -> str:
    taken = journal.forks().by_name
    names = (f"at-{at}" if number == 1 else f"at-{at}.{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)
