"""The schemas of the kinds: complete, strict where they own a field, and kind to what was written."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from runtime.core.errors import Invalid, Many, Place
from runtime.registry import kinds
from runtime.registry.assemble import Tree, assemble
from runtime.registry.entry import Entry, Origin
from runtime.registry.inert import INERT, REFUSED

IMPLEMENTED = {
    *("registry.entry", "ns.definition", "ns.requirement", "ns.dependency", "env.storage.os", "env.variable"),
    *("process.host", "terminal.host", "process.lua", "process.service", "function.lua", "library.lua"),
    *("security.policy", "security.policy.expr", "contract.definition", "contract.binding"),
    *("security.token_store", "store.memory"),
}
GOOD: dict[str, dict[str, object]] = {
    "registry.entry": {"anything": [1, {"goes": None}]},
    "ns.definition": {"readme": "# Hello", "wiki": {"GUIDE.md": "text"}},
    "ns.requirement": {"default": "", "targets": [{"entry": "other:x", "path": ".meta.list +="}]},
    "ns.dependency": {"component": "wippy/llm", "version": "*", "parameters": [{"name": "a:b", "value": 1}]},
    "env.storage.os": {},
    "env.variable": {"variable": "PORT", "storage": "os_env", "default": "8080", "readonly": True},
    "process.host": {"host": {"workers": 4}, "lifecycle": {"auto_start": True, "start_timeout": "1m30s"}},
    "terminal.host": {"hide_logs": True, "lifecycle": {"requires": ["app:x"]}},
    "process.lua": {"source": "return {}", "modules": ["io"], "imports": {"prompt": "wippy.llm:prompt"}},
    "process.service": {
        "process": "p",
        "host": "app:h",
        "input": [1],
        "lifecycle": {"restart": {"jitter": 0.1}},
    },
    "function.lua": {"source": "return {}", "method": "run", "pool": {"type": "static", "size": 2}},
    "library.lua": {"source": "return {}", "imports": {"r": ":registry", "json2": "json"}},
    "contract.definition": {"methods": [{"name": "greet", "description": "Says hello"}]},
    "contract.binding": {"contracts": [{"contract": "app:greeter", "methods": {"greet": "app:say"}}]},
    "security.policy": {
        "policy": {
            "actions": ["a", "b.*"],
            "resources": "*",
            "effect": "deny",
            "conditions": [{"field": "actor.id", "operator": "eq", "value_from": "meta.owner"}],
        },
        "groups": ["g", "other:g"],
    },
    "security.token_store": {
        "store": "shelf",
        "token_length": 32,
        "default_expiration": "24h",
        "token_key": "${env:KEY}",
    },
    "store.memory": {"max_size": 10, "cleanup_interval": "5m"},
    "security.policy.expr": {
        "policy": {"actions": "*", "resources": ["a"], "effect": "allow", "expression": "meta.a == 1"},
        "groups": ["g"],
    },
}


def test_exactly_these_kinds_are_implemented() -> None:
    assert set(kinds.implemented()) == IMPLEMENTED == set(GOOD)
    assert not INERT & IMPLEMENTED
    assert not REFUSED.keys() & (INERT | IMPLEMENTED)


@pytest.mark.parametrize("kind", sorted(IMPLEMENTED))
def test_each_kind_takes_its_documented_fields(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(kinds.schema(kind))
    entry = Entry("app:x", kind, {"type": "t", "free": {"form": [1]}}, GOOD[kind])
    assert kinds.check(entry) == []
    assert kinds.conform(entry) is entry


@pytest.mark.parametrize("kind", sorted(IMPLEMENTED - {"registry.entry"}))
def test_each_kind_refuses_a_field_that_it_does_not_know(kind: str) -> None:
    (error,) = kinds.check(Entry("app:x", kind, {}, {**GOOD[kind], "qqq": 1}))
    assert error.message.startswith(f"`app:x`: field `qqq` is unknown to kind `{kind}`; ")
    assert error.details == {"id": "app:x", "kind": kind, "field": "qqq"}


@pytest.mark.parametrize("kind", sorted(INERT))
def test_the_peers_other_kinds_load_as_they_are(kind: str) -> None:
    assert kinds.is_inert(kind)
    assert kinds.check(Entry("app:x", kind, {}, {"whatever": [1]})) == []


def test_schema_of_a_kind_that_is_none_is_an_error() -> None:
    with pytest.raises(Invalid, match=r"did you mean `env\.variable`"):
        kinds.schema("env.variables")


def test_what_the_schema_calls_text_is_kept_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "namespace: a\nentries:\n"
        "  - {name: d, kind: ns.dependency, component: wippy/llm, version: 1.10}\n"
        "  - {name: v, kind: env.variable, storage: os, default: 0x1F}\n"
        "  - {name: w, kind: env.variable, storage: os, default: true}\n"
        "  - {name: s, kind: process.service, process: p, host: h, lifecycle: {requires: [1e3]}}\n"
    )
    entries = {entry.name: entry.fields for entry in assemble([Tree(tmp_path, tmp_path)])}
    assert entries["d"]["version"] == "1.10"
    assert (entries["v"]["default"], entries["w"]["default"]) == ("0x1F", "true")
    assert entries["s"]["lifecycle"] == {"requires": ["1e3"]}


def test_without_a_text_another_type_is_an_error() -> None:
    entry = Entry("app:d", "ns.dependency", {}, {"component": "wippy/llm", "version": 1.1})
    with pytest.raises(Invalid, match=r"field `version` must be a string, got the number `1.1`"):
        kinds.conform(entry)


def test_all_faults_of_an_entry_are_told() -> None:
    with pytest.raises(Many) as refused:
        kinds.conform(
            Entry("a:x", "function.lua", {}, {"modules": "json"}, Origin.FILE, Place("a.yaml", 1, 1))
        )
    assert len(refused.value.errors) == 3


def test_a_key_of_tokens_that_stands_in_the_entry_is_refused() -> None:
    entry = Entry("app:x", "security.token_store", {}, {"store": "s", "token_key": "hunter2hunter2"})
    (error,) = kinds.check(entry)
    assert "${env:NAME}" in error.message and "hunter2" not in error.message
