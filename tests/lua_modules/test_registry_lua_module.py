"""The module `registry`: snapshots read at their version, changesets with their base."""

from __future__ import annotations

from typing import Any

from module_host import ModuleHost, deny, given, run

from runtime.core.errors import Conflict, Error, NotFound

ENTRY = {"id": "a:x", "kind": "registry.entry", "meta": {"type": "t"}, "data": {"n": 1}}


class Versions:
    """A registry of three versions."""

    def __init__(self) -> None:
        self.applied: list[Any] = []
        self.failure: Error | None = None

    def version(self, wanted: dict[str, Any]) -> Any:
        number = wanted.get("id") or 3
        if not 1 <= number <= 3:
            raise NotFound(f"version not found: {number}")
        return {
            "id": number,
            "previous": number - 1 if number > 1 else None,
            "next": number + 1 if number < 3 else None,
        }

    def apply(self, wanted: dict[str, Any]) -> Any:
        if self.failure:
            raise self.failure
        self.applied.append(wanted)
        return {"id": 4, "previous": 3, "next": None}

    def host(self) -> ModuleHost:
        return ModuleHost(
            {
                "registry.get": lambda wanted: ENTRY,
                "registry.find": lambda wanted: [ENTRY],
                "registry.entries": lambda wanted: [ENTRY],
                "registry.namespace": lambda wanted: [],
                "registry.version": self.version,
                "registry.versions": lambda: [self.version({"id": number}) for number in (1, 2, 3)],
                "registry.apply": self.apply,
                "registry.apply_version": deny,
                "registry.delta": lambda wanted: [{"kind": "entry.create", "entry": wanted["to"][0]}],
            }
        )


def test_the_registry_is_read_at_the_version_of_a_snapshot() -> None:
    host = Versions().host()
    body = """
    local snap = registry.snapshot_at(2)
    snap:get("a:x") snap:find({ [".kind"] = "x*" }) snap:entries() snap:namespace("a")
    registry.get("a:x") registry.find({})
    return { tostring(snap), snap:version():string(), registry.parse_id("a.b:c:d"),
      registry.parse_id("bare") }
    """
    assert run(body, "registry", host) == [
        "registry.Snapshot{version=2}",
        "v2",
        {"ns": "a.b", "name": "c:d"},
        {"ns": "", "name": "bare"},
    ]
    assert given(host)[1:] == [
        ("registry.get", [{"id": "a:x", "version": 2}]),
        ("registry.find", [{"filter": {".kind": "x*"}, "version": 2}]),
        ("registry.entries", [{"version": 2}]),
        ("registry.namespace", [{"namespace": "a", "version": 2}]),
        ("registry.get", [{"id": "a:x"}]),
        ("registry.find", [{"filter": {}}]),
    ]


def test_versions_know_their_neighbours() -> None:
    body = """
    local version = registry.current_version()
    local history = registry.history()
    local _, missing = registry.snapshot_at(9)
    local _, wrong = registry.snapshot_at(0)
    local _, odd = history:snapshot_at(2)
    return { version:id(), version:next() == nil, version:previous():id(),
      version:previous():next() == version, #registry.versions(),
      history:get_version(1):previous() == nil, history:snapshot_at(version):version():id(),
      tostring(version), tostring(history), missing:kind(), wrong:kind(), odd:kind() }
    """
    assert run(body, "registry", Versions().host()) == [
        *(3, True, 2, True, 3, True, 3, "registry.Version{v3}", "registry.History{}"),
        *("NotFound", "Invalid", "Invalid"),
    ]


def test_a_changeset_is_given_as_one_command_with_its_base() -> None:
    versions = Versions()
    body = """
    local changes = registry.snapshot():changes()
    local same = changes:create({ id = { ns = "a", name = "new" }, kind = "k", data = { list = {} } })
    changes:update({ id = "a:x", kind = "k", meta = { t = 1 } }):delete({ ns = "a", name = "old" })
    local ops = changes:ops()
    ops[1].entry.id = "changed"
    local version = changes:apply()
    local _, again = changes:apply()
    return { same == changes, #ops, ops[3].kind, tostring(changes), version:id(), again:message() }
    """
    found = run(body, "registry", versions.host())
    assert found == [True, 3, "entry.delete", "registry.Changes{ops=0}", 4, "no changes to apply"]
    assert versions.applied == [
        {
            "base_version": 3,
            "ops": [
                {"kind": "create", "entry": {"id": "a:new", "kind": "k", "meta": {}, "data": {"list": {}}}},
                {"kind": "update", "entry": {"id": "a:x", "kind": "k", "meta": {"t": 1}, "data": {}}},
                {"kind": "delete", "entry": {"id": "a:old"}},
            ],
        }
    ]


def test_changes_that_are_none_are_refused_and_a_failed_apply_keeps_them() -> None:
    versions = Versions()
    versions.failure = Conflict("registry changed during apply", retryable=True)
    body = """
    local changes = registry.snapshot():changes()
    local function why(_, err) return err:message() end
    local found = { why(changes:create({ kind = "k" })), why(changes:update({ id = "a:b" })),
      why(changes:create("x")), why(changes:delete(5)), why(changes:apply()) }
    changes:delete("a:x")
    local _, err = changes:apply()
    found[#found + 1] = err:kind() .. tostring(err:retryable()) .. #changes:ops()
    return found
    """
    assert run(body, "registry", versions.host()) == [
        "entry must have valid id field",
        "entry must have kind field",
        "entry must be a table, got string",
        "invalid ID format",
        "no changes to apply",
        "Conflicttrue1",
    ]


def test_empty_sides_of_a_delta_arrive_as_arrays() -> None:
    host = Versions().host()
    body = 'return #registry.build_delta({}, { { id = "a:b" } })'
    assert run(body, "registry", host) == 1
    assert host.commands[-1].args == [{"from": [], "to": [{"id": "a:b"}]}]
