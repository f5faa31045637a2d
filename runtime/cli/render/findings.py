"""What the linter found, in each format: with the lines of the file for people, as plain text a line each."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.cli.render.output import Format, say, show_json, show_text

if TYPE_CHECKING:
    from runtime.app.linting import Linted
    from runtime.lua.lint.finding import Finding

LEVELS = ("error", "warning", "hint")
_COLOURS = {"error": "31", "warning": "33", "hint": "36"}


def show_findings(
    found: Linted, root: Path, form: Format, *, limit: int, summary: bool, colour: bool
) -> None:
    """Show at most `limit` findings (0: all) or, with `summary`, their number by namespace and code.

    `root` is the folder of the project, where the lines are read that people see.
    """
    shown = found.findings[: limit or None]
    if form is Format.JSON:
        show_json("lint/1", _report(found, shown, summary=summary))
        return
    if summary:
        _show_summary(found.findings)
    elif form is Format.PLAIN:
        for each in shown:
            show_text(f"{each.place}: {each.level} {each.code}: {each.message}{_of(each)}")
    else:
        _show_frames(shown, root, _painted(colour))
    if not summary and len(shown) < len(found.findings):
        say(f"{len(found.findings) - len(shown)} more are not shown")
    if form is Format.HUMAN:
        show_text(_total(found))


def _report(found: Linted, shown: Sequence[Finding], *, summary: bool) -> dict[str, object]:
    counts: Counter[str] = Counter(each.level for each in found.findings)
    rows = [
        {
            "entry_id": each.entry,
            "code": each.code,
            "severity": each.level,
            "message": each.message,
            "path": each.place.path,
            "line": each.place.line,
            "column": each.place.column,
        }
        for each in shown
    ]
    report: dict[str, object] = {
        "diagnostics": rows,
        "total_entries": len(found.entries),
        **{f"{level}_count": counts[level] for level in LEVELS},
    }
    if summary:
        report["by_namespace"] = dict(sorted(Counter(map(_namespace, found.findings)).items()))
        report["by_code"] = dict(sorted(Counter(each.code for each in found.findings).items()))
    return report


def _show_frames(shown: Sequence[Finding], root: Path, painted: bool) -> None:
    from runtime.core.errors import Error, Invalid, Many
    from runtime.registry.code_frame import add_frames

    errors: list[Error] = [Invalid(each.message, place=each.place) for each in shown]
    add_frames(Many(errors), root)
    for each, error in zip(shown, errors, strict=True):
        head = f"{each.level} {each.code}"
        if painted:
            head = f"\x1b[{_COLOURS[each.level]}m{head}\x1b[0m"
        sys.stdout.write(head)
        show_text(f" {each.place}{_of(each)}")
        show_text(f"  {each.message}")
        for line in error.frame:
            show_text(f"  {line}")
        show_text("")


def _show_summary(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    show_text("By namespace:\n")
    for name in sorted(set(map(_namespace, findings))):
        own = [each for each in findings if _namespace(each) == name]
        show_text(f"  {name:<30} {_issues(len(own))} ({_counted(own)})")
    show_text("\nBy error code:\n")
    for code, level in sorted({(each.code, each.level) for each in findings}):
        count = sum(each.code == code and each.level == level for each in findings)
        show_text(f"  {code:<10} [{level:<7}] {count:>4} occurrence{'' if count == 1 else 's'}")
    show_text("")


def _issues(count: int) -> str:
    return f"{count:>4} issue{' ' if count == 1 else 's'}"


def _total(found: Linted) -> str:
    count = len(found.entries)
    return f"Checked {count} entr{'y' if count == 1 else 'ies'}: {_counted(found.findings, whole=True)}"


def _counted(findings: Sequence[Finding], *, whole: bool = False) -> str:
    counts: Counter[str] = Counter(each.level for each in findings)
    named = LEVELS[:2] if whole else ()
    return ", ".join(
        f"{counts[level]} {level}{'' if counts[level] == 1 else 's'}"
        for level in LEVELS
        if counts[level] or level in named
    )


def _namespace(finding: Finding) -> str:
    return finding.entry.rpartition(":")[0] or "(no entry)"


def _of(finding: Finding) -> str:
    return f" [{finding.entry}]" if finding.entry else ""


def _painted(colour: bool) -> bool:
    if not colour or os.environ.get("NO_COLOR") or os.environ.get("ACCESSIBLE"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
