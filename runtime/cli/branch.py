"""`runtime branch`: fork what happened at any event, compare branches, bring a change into its parent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runtime.cli.exit_codes import CONFLICT, DONE
from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say, show_json, show_rows, show_text

if TYPE_CHECKING:
    from runtime.journal.events import Event
    from runtime.registry.branching import Difference

_SHOWN = 100  # characters of what an event says


@click.group()
def branch() -> None:
    """Fork the journal at an event, compare branches, bring a change over."""


@branch.command("list")
@project_options
@format_option
def list_branches(project: Path | None, state: Path | None, form: Format) -> None:
    """List the branches: where each begins, and what it inherits."""
    from runtime.app.branching import branches

    show_rows(
        "branch/1", ("branch", "parent", "at", "streams", "time"), branches(_place(project, state)), form
    )


@branch.command("fork")
@click.argument("event", type=int)
@click.option("--name", help="The name of the branch; else `at-EVENT`.")
@click.option("--stream", "streams", multiple=True, help="Inherit this stream alone, and the registry's.")
@project_options
@format_option
def fork(
    event: int,
    name: str | None,
    streams: tuple[str, ...],
    project: Path | None,
    state: Path | None,
    form: Format,
) -> None:
    """Begin a branch behind EVENT (a seq of `journal show`); nothing is copied.

    `runtime run --branch NAME` goes on from there.
    """
    from runtime.app.branching import fork as begin

    made = begin(_place(project, state), event, name, streams)
    show_rows("branch/1", ("branch", "parent", "at", "streams", "time"), [made], form)


@branch.command("diff")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@project_options
@format_option
def diff(left: str, right: str, project: Path | None, state: Path | None, form: Format) -> None:
    """Compare two branches behind their common past: entries, conversation, decisions."""
    from runtime.app.branching import compare

    found = compare(_place(project, state), left, right)
    rows: list[dict[str, Any]] = [_entry_row(each, left, right) for each in found.entries]
    for side, events in ((left, found.left), (right, found.right)):
        rows += [{"what": each.type, "id": each.seq, "on": side, "change": _summary(each)} for each in events]
    show_rows("branch.difference/1", ("what", "id", "on", "change"), rows, form)
    if not rows and form is not Format.JSON:
        say(f"`{left}` and `{right}` do not differ")


@branch.command("promote")
@click.argument("name", metavar="BRANCH")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@project_options
@format_option
def promote(name: str, dry_run: bool, project: Path | None, state: Path | None, form: Format) -> int:
    """Bring the net change of BRANCH to the registry into its parent, whole or not at all."""
    from runtime.app.branching import bring_over

    found = bring_over(_place(project, state), name, dry_run=dry_run)
    if form is Format.JSON:
        changes, conflicts = found["changes"], found["conflicts"]
        show_json("promotion/1", {"branch": name, "changes": changes, "conflicts": conflicts})
    else:
        show_rows("entry.change/1", ("change", "id", "kind"), found["changes"], form)
        for entry_id, why in found["conflicts"].items():
            show_text(f"conflict  {entry_id}  {why}")
    for entry_id in found["declared"]:
        say(f"`{entry_id}` stays behind: files declare it")
    if not found["changes"] and not found["conflicts"] and form is not Format.JSON:
        say(f"nothing to bring over from `{name}`")
    return CONFLICT if found["conflicts"] else DONE


def _entry_row(each: Difference, left: str, right: str) -> dict[str, Any]:
    changes = [(side, net.change) for side, net in ((left, each.left), (right, each.right)) if net]
    on = "both" if len(changes) == 2 else changes[0][0]
    change = " / ".join(change for _, change in changes) + (" (conflict)" if each.conflict else "")
    return {"what": "entry", "id": each.id, "on": on, "change": change}


def _summary(event: Event) -> str:
    payload: Any = event.payload if isinstance(event.payload, dict) else {}
    content = payload.get("content")
    if isinstance(content, list):
        content = " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if "role" in payload:
        return f"{payload['role']}: {content or ''}"[:_SHOWN]
    return str(payload.get("id") or payload.get("action") or payload.get("branch") or "")[:_SHOWN]


def _place(project: Path | None, state: Path | None) -> Any:
    from runtime.app import Place

    return Place(project, state)
