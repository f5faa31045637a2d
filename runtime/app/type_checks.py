"""Types are checked when an entry is loaded or registered, where `lua.type_system.enabled` says so.

With `lua.type_system.strict` an entry with a type error is refused; without, each error is said once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.core.errors import Error, Invalid, Many
from runtime.lua.library import Library
from runtime.lua.syntax import framed
from runtime.registry.entry import Entry
from runtime.registry.settings import Settings
from runtime.registry.snapshot import Snapshot

if TYPE_CHECKING:
    from runtime.lua.lint.finding import Finding

Check = Callable[[Entry, Snapshot], None]


def type_check(library: Library, settings: Settings, tell: Callable[[str], None]) -> Check:
    """Return the check of types that `settings` ask for; `tell` hears what is wrong and does not refuse."""
    if not settings.get("lua.type_system.enabled", False):
        return lambda _entry, _view: None
    from runtime.lua.checker.entries import EntryChecker

    checker = EntryChecker(library)
    strict = bool(settings.get("lua.type_system.strict", False))
    said: set[Finding] = set()

    def check(entry: Entry, view: Snapshot) -> None:
        if not entry.kind.endswith(".lua"):
            return
        findings = checker.findings(entry, view.get)
        if findings and strict:
            _refuse(findings, entry)
        for finding in findings:
            if finding not in said:
                said.add(finding)
                tell(f"warning: {finding.place}: {_text(finding)}")

    return check


def _refuse(findings: tuple[Finding, ...], entry: Entry) -> None:
    source, start = str(entry.fields.get("source")), entry.source_place
    errors: list[Error] = [
        framed(Invalid(_text(finding), place=finding.place, details={"code": finding.code}), source, start)
        for finding in findings
    ]
    raise errors[0] if len(errors) == 1 else Many(errors)


def _text(finding: Finding) -> str:
    return f"Lua types: {finding.message} ({finding.code})"
