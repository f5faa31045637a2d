"""Changesets: all or nothing, by the documented rules, recorded either way."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import Conflict, Error, Internal, Invalid, Kind, Many, NotFound, Unavailable
from runtime.core.redact import Redactor
from runtime.journal.memory import MemoryJournal
from runtime.registry.entry import Change, Entry, Op, Origin
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot


def entry(name: str, kind: str = "registry.entry", **data: Any) -> Entry:
    return Entry(f"app:{name}", kind, {}, data)


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
def registry(journal: MemoryJournal) -> Registry:
    made = Registry(journal, SystemClock())
    apply(made, [Op("create", entry("a", v=1)), Op("create", entry("b", v=1))])
    return made


def apply(registry: Registry, ops: Iterable[Op], **options: Any) -> Snapshot:
    return registry.apply(list(ops), actor="tester", origin=Origin.RUNTIME, **options)


def test_a_new_registry_is_empty_at_version_zero() -> None:
    registry = Registry(MemoryJournal(), SystemClock())
    assert (registry.current.version, registry.current.entries(), registry.versions()) == (0, [], [])
    assert registry.at(0) is registry.current


def test_a_changeset_makes_one_version_and_old_views_stay(registry: Registry) -> None:
    before = registry.current
    after = apply(
        registry,
        [Op("update", entry("a", v=2)), Op.delete("app:b"), Op("create", entry("c"))],
        base=1,
        cause=1,
    )
    assert after is registry.current
    assert after.version == 2
    assert [one.id for one in after.entries()] == ["app:a", "app:c"]
    assert after.require("app:a").data == {"v": 2}
    assert [one.data for one in before.entries()] == [{"v": 1}, {"v": 1}]
    assert registry.at(1).entries() == before.entries()
    assert [(one.id, one.previous, one.actor, one.origin) for one in registry.versions()] == [
        (1, 0, "tester", Origin.RUNTIME),
        (2, 1, "tester", Origin.RUNTIME),
    ]


def test_what_is_not_there_is_none_or_not_found(registry: Registry) -> None:
    assert registry.current.get("app:nobody") is None
    with pytest.raises(NotFound, match=r"^entry not found: app:nobody$"):
        registry.current.require("app:nobody")
    with pytest.raises(NotFound, match="version not found: v7"):
        registry.at(7)


REFUSED: list[tuple[list[Op], Kind, str]] = [
    ([Op("create", entry("a"))], Kind.CONFLICT, "entry already exists: {ns: app, name: a}"),
    ([Op("update", entry("x"))], Kind.NOT_FOUND, "entry does not exist: {ns: app, name: x}"),
    ([Op.delete("app:x")], Kind.NOT_FOUND, "cannot delete non-existent entry: {ns: app, name: x}"),
    (
        [Op("update", entry("a", "env.storage.os"))],
        Kind.INVALID,
        "cannot change entry kind from registry.entry to env.storage.os for {ns: app, name: a}",
    ),
    ([Op("create", entry("x", ""))], Kind.INVALID, "entry must have kind field"),
    ([Op("create", entry("x", "no.kind"))], Kind.INVALID, "kind `no.kind` is unknown"),
    ([Op("create", entry("x", "library.lua"))], Kind.INVALID, "field `source` is missing"),
    ([Op("create", Entry("nocolon", "registry.entry"))], Kind.INVALID, "invalid id `nocolon`"),
    ([Op("create", Entry("app:a/../b", "registry.entry"))], Kind.INVALID, "invalid id"),
    ([Op("create", entry("c")), Op("create", entry("c"))], Kind.CONFLICT, "entry already exists"),
    ([Op.delete("app:a"), Op("update", entry("a"))], Kind.NOT_FOUND, "entry does not exist"),
    ([Op("create", entry("c")), Op("update", entry("d"))], Kind.NOT_FOUND, "entry does not exist"),
    ([Op("create", entry("c", raw=b"\xff"))], Kind.INVALID, "bytes"),
    ([Op("create", entry("c", n=float("nan")))], Kind.INVALID, ""),
    (
        [Op("create", entry("c", key="sk-ant-REDACTED-looking-1234567890abcd"))],
        Kind.INVALID,
        "looks like a secret",
    ),
]


@pytest.mark.parametrize(("ops", "kind", "text"), REFUSED, ids=[text or "nan" for _, _, text in REFUSED])
def test_a_refused_changeset_changes_nothing_and_is_recorded(
    registry: Registry, journal: MemoryJournal, ops: list[Op], kind: Kind, text: str
) -> None:
    heard: list[Change] = []
    registry.subscribe(heard.append)
    before, entries = registry.current, registry.current.entries()
    with pytest.raises(Error) as refused:
        apply(registry, ops, cause=1)
    assert refused.value.kind is kind
    assert text in refused.value.message
    assert registry.current is before
    assert registry.current.entries() == entries
    assert heard == []
    last = list(journal.read("registry"))[-1]
    assert (last.type, last.actor, last.cause) == ("registry.rejected", "tester", 1)
    assert last.payload["ops"] == [{"kind": op.kind, "id": op.entry.id} for op in ops]  # type: ignore[index,call-overload]
    assert "sk-ant" not in str(last.payload)
    assert apply(registry, [Op("create", entry("fresh"))]).version == 2


def test_no_changes_are_refused_without_a_record(registry: Registry, journal: MemoryJournal) -> None:
    with pytest.raises(Invalid, match=r"^no changes to apply$"):
        apply(registry, [])
    assert len(list(journal.read())) == 1


def test_operations_count_in_their_order(registry: Registry) -> None:
    ops = [
        Op("create", entry("c", v=1)),
        Op("update", entry("c", v=2)),
        Op("create", entry("d")),
        Op.delete("app:d"),
    ]
    heard: list[Change] = []
    registry.subscribe(heard.append)
    after = apply(registry, ops)
    assert after.require("app:c").data == {"v": 2}
    assert "app:d" not in after
    assert [(op.kind, op.entry.id) for op in heard[0].ops] == [("create", "app:c")]


def test_deleted_and_created_again_an_entry_may_have_another_kind(registry: Registry) -> None:
    heard: list[Change] = []
    registry.subscribe(heard.append)
    after = apply(registry, [Op.delete("app:a"), Op("create", entry("a", "env.storage.os"))])
    assert after.require("app:a").kind == "env.storage.os"
    assert [(op.kind, op.entry.kind) for op in heard[0].ops] == [
        ("delete", "registry.entry"),
        ("create", "env.storage.os"),
    ]
    assert after.find({".kind": "registry.entry"}) == [entry("b", v=1)]


def test_what_cancels_out_makes_no_version(registry: Registry) -> None:
    assert apply(registry, [Op("create", entry("c")), Op.delete("app:c")]).version == 1


def test_a_stale_base_is_a_conflict_that_may_be_retried(registry: Registry) -> None:
    apply(registry, [Op("create", entry("c"))], base=1)
    with pytest.raises(Conflict, match="registry changed during apply") as refused:
        apply(registry, [Op("create", entry("d"))], base=1)
    assert refused.value.retryable is True
    assert apply(registry, [Op("create", entry("d"))], base=2).version == 3


def test_a_second_writer_is_noticed_and_stays_noticed(registry: Registry, journal: MemoryJournal) -> None:
    other = Registry(journal, SystemClock())
    apply(other, [Op("create", entry("theirs"))])
    for _ in range(2):
        with pytest.raises(Conflict, match="registry changed during apply"):
            apply(registry, [Op("create", entry("ours"))])
    assert [one.id for one in Registry(journal, SystemClock()).current.entries()] == [
        "app:a",
        "app:b",
        "app:theirs",
    ]


def test_a_journal_that_can_not_be_written_leaves_everything(
    registry: Registry, journal: MemoryJournal
) -> None:
    journal.close()
    with pytest.raises(Unavailable):
        apply(registry, [Op.delete("app:a")])
    assert len(registry.current) == 2


def test_the_one_who_asks_decides_the_origin_not_the_entry(registry: Registry) -> None:
    forged = Entry("app:c", "registry.entry", {}, {}, Origin.MODULE)
    assert apply(registry, [Op("create", forged)]).require("app:c").origin is Origin.RUNTIME


def test_a_learned_secret_is_refused_too(journal: MemoryJournal) -> None:
    redactor = Redactor()
    redactor.learn("correct horse battery staple")
    registry = Registry(journal, SystemClock(), redactor=redactor)
    with pytest.raises(Invalid, match="looks like a secret"):
        apply(registry, [Op("create", entry("c", text="say correct horse battery staple"))])


# ---- checks


def test_a_check_sees_the_registry_as_it_would_be(registry: Registry) -> None:
    seen: list[tuple[str, int, bool, bool]] = []

    def check(one: Entry, view: Snapshot) -> None:
        seen.append((one.id, view.version, "app:d" in view, "app:a" in view))

    registry.check_with(check)
    apply(registry, [Op("create", entry("c")), Op("create", entry("d")), Op.delete("app:a")])
    assert sorted(seen) == [("app:c", 2, True, False), ("app:d", 2, True, False)]


def test_every_fault_that_checks_find_is_told_and_nothing_is_applied(registry: Registry) -> None:
    def check(one: Entry, _view: Snapshot) -> None:
        if one.name.startswith("bad"):
            raise Invalid(f"`{one.id}` is bad")

    registry.check_with(check)
    leaked: list[Snapshot] = []
    registry.check_with(lambda _one, view: leaked.append(view))
    with pytest.raises(Many, match="`app:bad1` is bad\n`app:bad2` is bad"):
        apply(registry, [Op("create", entry(name)) for name in ("bad1", "bad2", "good")])
    assert "app:good" not in registry.current
    apply(registry, [Op("create", entry("good", v=9))])
    assert all("app:good" not in view for view in leaked[:1])


def test_a_check_that_breaks_refuses(registry: Registry, caplog: pytest.LogCaptureFixture) -> None:
    empty: list[None] = []
    registry.check_with(lambda _one, _view: empty.pop())
    with pytest.raises(Internal, match="check of `app:c` failed: IndexError"):
        apply(registry, [Op("create", entry("c"))])
    assert "check of `app:c` failed" in caplog.text
    assert "app:c" not in registry.current


def test_a_check_can_not_change_the_registry(registry: Registry) -> None:
    registry.check_with(lambda _one, _view: (apply(registry, [Op.delete("app:a")]), None)[1])
    with pytest.raises(Internal, match="a check can not change the registry"):
        apply(registry, [Op("create", entry("c"))])
    assert len(registry.current) == 2


# ---- listeners


def test_listeners_hear_each_change_in_order_after_it_is_in_force(registry: Registry) -> None:
    heard: list[tuple[int, int, int, Origin, str]] = []

    def listen(change: Change) -> None:
        assert registry.current is change.after
        heard.append((change.version, change.before.version, len(change.ops), change.origin, change.actor))

    registry.subscribe(listen)
    apply(registry, [Op("create", entry("c"))])
    apply(registry, [Op.delete("app:c")])
    assert heard == [(2, 1, 1, Origin.RUNTIME, "tester"), (3, 2, 1, Origin.RUNTIME, "tester")]


def test_a_listener_that_raises_is_contained_and_reported(
    registry: Registry, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []
    registry.subscribe(lambda change: (_ for _ in ()).throw(RuntimeError("boom")).__next__())
    registry.subscribe(lambda change: heard.append(change.version))
    with caplog.at_level(logging.ERROR):
        assert apply(registry, [Op("create", entry("c"))]).version == 2
    assert heard == [2]
    assert "a listener failed on version 2 of the registry" in caplog.text


def test_a_change_by_a_listener_is_delivered_to_all_after_the_one_that_caused_it(registry: Registry) -> None:
    heard: list[tuple[str, int]] = []

    def first(change: Change) -> None:
        heard.append(("first", change.version))
        if change.version == 2:
            apply(registry, [Op("create", entry("d"))])

    registry.subscribe(first)
    registry.subscribe(lambda change: heard.append(("second", change.version)))
    assert apply(registry, [Op("create", entry("c"))]).version == 2
    assert registry.current.version == 3
    assert heard == [("first", 2), ("second", 2), ("first", 3), ("second", 3)]


def test_a_deleted_entry_is_handed_over_whole(registry: Registry) -> None:
    heard: list[Change] = []
    registry.subscribe(heard.append)
    apply(registry, [Op.delete("app:a")])
    assert heard[0].ops[0].entry.data == {"v": 1}


# ---- entries from plain data


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "must be a map"),
        ({"kind": "k"}, "entry must have valid id field"),
        ({"id": {"ns": "a"}, "kind": "k"}, "invalid id `a:`"),
        ({"id": "a:b"}, "entry must have kind field"),
        ({"id": "a:b", "kind": "k", "meta": "x"}, "`meta` of `a:b` must be a map"),
        ({"id": "a:b", "kind": "k", "data": {1: 2}}, "is not a string"),
    ],
)
def test_plain_data_that_is_no_entry_is_refused(value: Any, text: str) -> None:
    with pytest.raises(Invalid, match=text):
        Entry.from_value(value)


def test_an_entry_crosses_as_plain_data_and_back() -> None:
    one = Entry("a:b.c", "k", {"m": [1]}, {"d": {"e": None}})
    assert Entry.from_value(one.to_value()) == one
    assert (
        Entry.from_value({"id": {"ns": "a", "name": "b.c"}, "kind": "k", "meta": [], "data": None}).data == {}
    )
    assert (one.namespace, one.name) == ("a", "b.c")
    assert one.digest == Entry("a:b.c", "k", {"m": [1]}, {"d": {"e": None}}, Origin.FILE).digest
    assert one.digest != Entry("a:b.c", "k", {"m": [1.0]}, {"d": {"e": None}}).digest
    assert len({one, Entry.from_value(one.to_value())}) == 1
