"""What an entry must pass before it is in force, whoever wrote it: it links, it parses, and policies are
understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from runtime.core.errors import Error, Invalid, NotFound
from runtime.core.nearest import did_you_mean
from runtime.llm.schema import check_tool_schema
from runtime.lua.library import Library
from runtime.lua.program import check_syntax, link
from runtime.registry.entry import Change, Entry
from runtime.registry.snapshot import Snapshot
from runtime.security.engine import Engine
from runtime.security.policy import is_policy, read_policy

LUA_KINDS = ("function.lua", "library.lua", "process.lua")


def program_check(library: Library) -> Callable[[Entry, Snapshot], None]:
    """Return the check of Lua entries: they link, their source parses, a tool's schema is sound."""

    def check(entry: Entry, snapshot: Snapshot) -> None:
        if entry.kind not in LUA_KINDS:
            return
        source = entry.fields.get("source")
        if isinstance(source, str):
            check_syntax(source, entry.source_place)
        try:
            if entry.kind == "library.lua":
                _check_library(entry, snapshot, library)
            else:
                program = link(entry, snapshot.get, library)
                _check_method(entry, program.method)
        except NotFound as error:
            wanted = error.details.get("import")
            if isinstance(wanted, str):
                error.message += did_you_mean(wanted, [each.id for each in snapshot.kind("library.lua")])
            raise
        if entry.meta.get("type") == "tool":
            _check_schema(entry)

    return check


def policy_check(entry: Entry, _snapshot: Snapshot) -> None:
    """Raise Invalid where a policy can not be understood: it never loads."""
    if is_policy(entry.kind):
        read_policy(entry)


def keep_policies(engine: Engine) -> Callable[[Change], None]:
    """Return the listener that puts changed policies in force with the change that brought them."""

    def listen(change: Change) -> None:
        removed = [op.entry.id for op in change.ops]
        changed = [
            entry for op in change.ops if op.kind != "delete" and (entry := change.after.get(op.entry.id))
        ]
        gone = [
            each for each in removed if (now := change.after.get(each)) is None or not is_policy(now.kind)
        ]
        policies = [entry for entry in changed if is_policy(entry.kind)]
        if policies or any((old := change.before.get(each)) and is_policy(old.kind) for each in gone):
            engine.update(policies, gone)

    return listen


def _check_method(entry: Entry, method: str) -> None:
    """Raise Invalid where the source surely has no such method; what is unclear is left to the call."""
    from runtime.lua.typed.exports import missing_method

    source = entry.fields.get("source")
    said = missing_method(source, entry.source_name, method) if isinstance(source, str) else None
    if said is not None:
        raise Invalid(
            f'method "{method}" not found in module: the source of `{entry.id}` does not give it, {said}',
            place=entry.place_of("data", "method") or entry.place,
            details={"id": entry.id, "method": method},
        )


def _check_library(entry: Entry, snapshot: Snapshot, library: Library) -> None:
    # A library has no method of its own; a function that imports nothing else than it has the same closure.
    probe = Entry(
        f"{entry.namespace}:{entry.name}.check",
        "function.lua",
        {},
        {"source": "return nil", "method": "check", "imports": {"checked": entry.id}},
        entry.origin,
        entry.place,
    )
    link(probe, snapshot.get, library)


def _check_schema(entry: Entry) -> None:
    schema = entry.meta.get("input_schema")
    if schema is None or isinstance(schema, str):
        return
    # Without properties it takes anything; they are put in when the tool is offered to a model.
    problems = check_tool_schema({"properties": {}, **schema} if isinstance(schema, Mapping) else schema)
    if problems:
        error: Error = Invalid(
            f"input_schema of `{entry.id}`: {'; '.join(problems)}",
            place=entry.place_of("meta", "input_schema"),
        )
        raise error
