"""Any sequence of changes leaves the registry, and every view that was ever taken, as plain dicts say."""

from __future__ import annotations

import threading
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from runtime.core.clock import SystemClock
from runtime.core.errors import Error, Invalid
from runtime.journal.memory import MemoryJournal
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.find import Query
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot

IDS = st.sampled_from([f"{namespace}:{name}" for namespace in ("a", "a.b") for name in "xyz"])
KINDS = st.sampled_from(["registry.entry", "env.storage.memory", "ns.definition"])
META = st.sampled_from([{}, {"type": "t"}, {"type": "u", "n": 1}])
OP = st.tuples(st.sampled_from(["create", "update", "delete"]), IDS, KINDS, META)
FILES = st.dictionaries(IDS, st.tuples(KINDS, META, st.booleans()), max_size=4)

Model = dict[str, Entry]


def is_refused(entry: Entry) -> bool:
    return entry.name == "z" and entry.meta.get("type") == "u"


def check(entry: Entry, _view: Snapshot) -> None:
    if is_refused(entry):
        raise Invalid("no z of type u")


class RegistryAgainstDicts(RuleBasedStateMachine):
    """`model` is what must be in force, `views` every snapshot with what it must show for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.journal = MemoryJournal()
        self.registry = self.opened()
        self.model: Model = {}
        self.views: list[tuple[Snapshot, Model]] = [(self.registry.current, {})]

    def opened(self) -> Registry:
        registry = Registry(self.journal, SystemClock())
        registry.check_with(check)
        return registry

    @rule(asked=st.lists(OP, min_size=1, max_size=4), stale=st.booleans())
    def apply(self, asked: list[tuple[Any, str, str, Any]], stale: bool) -> None:
        ops = [Op(kind, Entry(entry_id, entry_kind, meta)) for kind, entry_id, entry_kind, meta in asked]
        wanted = None if stale else self.after(ops)
        version = self.registry.current.version
        base = version - 1 if stale else version
        try:
            view = self.registry.apply(ops, actor="a", origin=Origin.RUNTIME, base=base)
        except Error:
            assert wanted is None
            assert self.registry.current.version == version
        else:
            assert wanted is not None
            self.model = wanted
            self.views.append((view, wanted))

    def after(self, ops: list[Op]) -> Model | None:
        model = dict(self.model)
        for op in ops:
            entry = op.entry
            have = model.get(entry.id)
            if (op.kind == "create") == (have is not None):
                return None
            if op.kind == "update" and have and have.kind != entry.kind:
                return None
            model.pop(entry.id, None)
            if op.kind != "delete":
                model[entry.id] = entry
        touched = {op.entry.id for op in ops}
        return None if any(is_refused(one) for key, one in model.items() if key in touched) else model

    @rule(files=FILES)
    def load(self, files: dict[str, tuple[str, Any, bool]]) -> None:
        declared = {
            entry_id: Entry(entry_id, kind, meta, {}, Origin.MODULE if module else Origin.FILE)
            for entry_id, (kind, meta, module) in files.items()
        }
        refused = any(is_refused(one) for one in declared.values())
        try:
            view = self.registry.load(list(declared.values()))
        except Error:
            assert refused
        else:
            assert not refused
            born = {key: one for key, one in self.model.items() if one.origin is Origin.RUNTIME}
            self.model = born | declared
            self.views.append((view, self.model))

    @rule()
    def restart(self) -> None:
        self.registry = self.opened()

    @invariant()
    def the_current_view_is_the_model(self) -> None:
        assert shown(self.registry.current) == self.model

    @invariant()
    def every_view_still_shows_what_it_showed(self) -> None:
        for view, model in self.views[-8:]:
            assert shown(view) == model
            assert shown(self.registry.at(view.version)) == model

    @invariant()
    def indexes_find_what_a_search_of_everything_finds(self) -> None:
        for criteria in (
            {".kind": "ns.*"},
            {".ns": "a"},
            {"meta.type": "u"},
            {".ns": "a.*", "meta.type": "t"},
        ):
            query = Query(criteria)
            for view, model in self.views[-3:]:
                expected = sorted(one.id for one in model.values() if query.matches(one))
                assert [one.id for one in view.find(criteria)] == expected


def shown(view: Snapshot) -> Model:
    entries = {entry.id: entry for entry in view.entries()}
    assert entries == {key: view.get(key) for key in entries}
    return entries


RegistryAgainstDicts.TestCase.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
TestRegistryAgainstDicts = RegistryAgainstDicts.TestCase


def test_readers_in_other_threads_always_see_one_whole_version() -> None:
    registry = Registry(MemoryJournal(), SystemClock())
    names = [f"app:e{index}" for index in range(10)]

    def entries(version: int) -> list[Entry]:
        return [Entry(name, "registry.entry", {"type": "t", "v": version}, {}) for name in names]

    registry.apply([Op("create", one) for one in entries(1)], actor="w", origin=Origin.RUNTIME)
    done = threading.Event()
    faults: list[str] = []
    read = [0, 0]

    def reader(index: int) -> None:
        while not done.is_set() or not read[index]:
            view = registry.current
            found = {one.meta["v"] for one in view.find({"meta.type": "t"})}
            whole = {one.meta["v"] for one in view.entries() if one.id in names}
            if found != whole or len(whole) != 1:
                faults.append(f"v{view.version}: {found} {whole}")
            read[index] += 1

    threads = [threading.Thread(target=reader, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for version in range(2, 40):
        extra = Op("create", Entry(f"app:extra{version}", "registry.entry", {"type": "other"}))
        ops = [*(Op("update", one) for one in entries(version)), extra]
        registry.apply(ops, actor="w", origin=Origin.RUNTIME)
    done.set()
    for thread in threads:
        thread.join(timeout=30)
    assert faults == []
    assert min(read) > 0


def test_changes_from_many_threads_are_serialised() -> None:
    registry = Registry(MemoryJournal(), SystemClock())
    heard: list[int] = []
    registry.subscribe(lambda change: heard.append(change.version))

    def writer(name: str) -> None:
        for index in range(20):
            op = Op("create", Entry(f"app:{name}{index}", "registry.entry"))
            registry.apply([op], actor=name, origin=Origin.RUNTIME)

    threads = [threading.Thread(target=writer, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(registry.current) == 80
    assert heard == list(range(1, 81))
