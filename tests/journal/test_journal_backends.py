"""Both journals keep the contract; what the set of types is, is what the interface says."""

from __future__ import annotations

from pathlib import Path

import pytest
from journal_contract import JournalContract, SteppingClock, message

from runtime.core.redact import Redactor
from runtime.journal import types
from runtime.journal.events import Journal
from runtime.journal.memory import MemoryJournal
from runtime.journal.sqlite import SqliteJournal


class TestMemoryJournal(JournalContract):
    def make(self, clock: SteppingClock, redactor: Redactor) -> Journal:
        return MemoryJournal(clock=clock, redactor=redactor)


class TestSqliteJournal(JournalContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "journal.db"

    def make(self, clock: SteppingClock, redactor: Redactor) -> Journal:
        return SqliteJournal(self.path, clock=clock, redactor=redactor)


def test_the_two_journals_give_the_same_hashes_for_the_same_events(tmp_path: Path) -> None:
    contract = TestMemoryJournal(), TestSqliteJournal()
    contract[1].path = tmp_path / "journal.db"
    heads = set()
    for backend in contract:
        journal = backend.make(SteppingClock(), Redactor())
        journal.append("a", [message("x"), message("y")])
        journal.append("b", [message("z")])
        heads.add(journal.head())
        journal.close()
    assert len(heads) == 1


def test_the_types_are_those_of_the_interface() -> None:
    page = (Path(__file__).parents[2] / "docs" / "interface.md").read_text(encoding="utf-8")
    section = page.partition("## Journal events")[2]
    listed = {word for line in section.splitlines() if line.startswith("    ") for word in line.split()}
    assert listed == types.TYPES
