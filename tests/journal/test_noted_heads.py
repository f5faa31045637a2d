"""A head that was noted is found where it was, and no other is."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

from runtime.core.canonical import digest
from runtime.journal import types
from runtime.journal.events import Draft, Journal
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal


def write(journal: Journal) -> dict[int, str]:
    """Append to some streams and a branch in turns, and return the head after each event by seq."""
    heads: dict[int, str] = {}
    chance = random.Random(7)
    for number in range(40):
        if number == 20:
            fork = journal.fork("trial", 11)
            heads[fork.seq] = journal.head()
            continue
        on = journal.on("trial") if number > 20 and chance.random() < 0.4 else journal
        (event,) = on.append(chance.choice(("b", "a", "session:1")), [Draft(types.RUN_ENDED)])
        heads[event.seq] = journal.head()
    return heads


def check(journal: Journal) -> None:
    heads = write(journal)
    assert len(set(heads.values())) == len(heads) == 40
    for seq, head in heads.items():
        found = journal.verify(noted=head)
        assert (found.ok, found.noted_at) == (True, seq)
    assert journal.verify(noted=digest(b"another")).noted_at is None
    assert journal.verify().noted_at is None


def test_every_head_that_a_journal_had_is_found_where_it_was(tmp_path: Path) -> None:
    with closing(SqliteJournal(tmp_path / "journal.db")) as journal:
        check(journal)
    check(MemoryJournal())
