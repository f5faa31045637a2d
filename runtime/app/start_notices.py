"""What a run says at its start: what loading did beside its task, and what is written and changes nothing."""

from __future__ import annotations

from runtime.app.opening import Opened
from runtime.evolution.consent import Approve
from runtime.registry import kinds
from runtime.registry.entry import Entry, Origin
from runtime.registry.snapshot import Snapshot
from runtime.services.terminal import Terminal

SHOWN_FAULTS = 10  # of those that a lenient loader passed over
SHOWN_FILES = 5
IDLE_LIMITS = ("workers", "queue_size", "local_queue_size")  # of a process.host
IDLE_POOL = ("buffer", "warm_start")  # of a function: callers wait, and code is compiled at its first call


def say_what_happened(opened: Opened, terminal: Terminal, consent: Approve) -> None:
    """Say what loading did beside its task, and how loose the run is, one line each."""
    project, report = opened.project, opened.registry.report
    lines = list(project.settings.notices)
    if project.settings.idle:
        names = ", ".join(f"`{key}`" for key in sorted(set(project.settings.idle)))
        lines.append(f"these settings are not in force in this version: {names}")
    if project.lock_written:
        lines.append("wrote wippy.lock, which was missing")
    if not project.settings.get("security.strict_mode", True):
        lines.append("strict mode is off: what has no actor or scope may do everything")
    if consent is Approve.DIRECT:
        lines.append("changes of the registry are written directly: nobody is asked for consent")
    if project.settings.get("loader.lenient", False):
        lines.append(f"the loader is lenient: {len(report.left_out)} faults were passed over")
        lines += [f"passed over: {error}" for error in report.left_out[:SHOWN_FAULTS]]
        if (more := len(report.left_out) - SHOWN_FAULTS) > 0:
            lines.append(f"and {more} more; run without `loader.lenient` to see them all")
    if report.passed:
        lines.append(passed_by(report.passed))
    lines += opened.lost
    lines += [
        f"`{each}` is declared by a file now; the run-time entry is out of force" for each in report.replaced
    ]
    lines += [f"run-time entry `{each}` is kept aside: {error}" for each, error in report.aside.items()]
    idle = {entry.kind for entry in opened.registry.current.entries() if _is_idle(entry)}
    if idle:
        lines.append(f"entries of these kinds are loaded and nothing runs them: {', '.join(sorted(idle))}")
    lines += _limits_not_in_force(opened.registry.current)
    for line in lines:
        terminal.notice(f"notice: {line}")


def passed_by(files: list[str]) -> str:
    """Say that `files` declare nothing."""
    more = f" and {len(files) - SHOWN_FILES} more" if len(files) > SHOWN_FILES else ""
    named = ", ".join(f"`{each}`" for each in files[:SHOWN_FILES])
    return f"not read as entries, since they have no `namespace`: {named}{more}"


def _limits_not_in_force(snapshot: Snapshot) -> list[str]:
    """Return a line for the limits that are taken as they are written and change nothing here."""
    found = {
        f"{part}.{name}"
        for kind, part, names in (("process.host", "host", IDLE_LIMITS), ("function.lua", "pool", IDLE_POOL))
        for entry in snapshot.kind(kind)
        if entry.origin is not Origin.MODULE and isinstance(given := entry.fields.get(part), dict)
        for name in names
        if name in given
    }
    named = ", ".join(f"`{each}`" for each in sorted(found))
    return [f"a host runs on one Lua thread and queues without limit; not in force: {named}"] if found else []


def _is_idle(entry: Entry) -> bool:
    return entry.origin is not Origin.MODULE and kinds.is_inert(entry.kind)
