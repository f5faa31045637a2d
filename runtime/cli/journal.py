"""`runtime journal`: read the record of what happened, and check that nothing in it was changed."""

from __future__ import annotations

import json
import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runtime.cli.exit_codes import DONE, INTEGRITY
from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say, show_json, show_rows, show_text
from runtime.core.errors import AlreadyExists, Invalid

if TYPE_CHECKING:
    from runtime.journal.events import Event
    from runtime.journal.sqlite import SqliteJournal

_SHOWN = 160  # characters of a payload on one line
_POLL = 0.1  # seconds between looks at the file
_LAST = 40  # events that a person is shown where no number was asked for
_HEAD = re.compile(r"sha256:[0-9a-f]{64}")


@click.group()
def journal() -> None:
    """Read, verify and keep the journal."""


@journal.command("show")
@click.option("--stream", help="Only this stream, such as `registry` or `session:<id>`.")
@click.option("--type", "types", multiple=True, help="Only events of this type; may be given again.")
@click.option("--open", "only_open", is_flag=True, help="Only requests that nothing answers.")
@click.option("--after", default=0, show_default=True, help="Only events with a seq above this.")
@click.option("--limit", type=int, help="At most this many, 0 for all; else a person is shown the last 40.")
@project_options
@format_option
def show(
    stream: str | None,
    types: tuple[str, ...],
    only_open: bool,
    after: int,
    limit: int | None,
    project: Path | None,
    state: Path | None,
    form: Format,
) -> int:
    """Show events, oldest first."""
    with _opened(project, state) as reader:
        if only_open:
            events = [event for event in reader.open_requests() if event.seq > after][: limit or None]
        else:
            events = list(reader.read(stream, after=after, types=types, limit=limit or None))
        if limit is None and form is Format.HUMAN and len(events) > _LAST:
            say(f"{len(events) - _LAST} earlier events are not shown: --limit 0 shows all")
            events = events[-_LAST:]
        if not events and form is Format.HUMAN:
            say("no event fits")
        for event in events:
            _show(event, form)
    return DONE


@journal.command("follow")
@click.option("--stream", help="Only this stream.")
@click.option("--type", "types", multiple=True, help="Only events of this type; may be given again.")
@click.option("--after", type=int, help="Begin behind the event with this seq; else with what comes next.")
@click.option("--limit", type=int, help="End after this many.")
@project_options
@format_option
def follow(
    stream: str | None,
    types: tuple[str, ...],
    after: int | None,
    limit: int | None,
    project: Path | None,
    state: Path | None,
    form: Format,
) -> int:
    """Show events while they are written, until Ctrl-C; works beside a running host."""
    import sys
    import time

    left = limit
    with _opened(project, state) as reader:
        last = after if after is not None else max((event.seq for event in reader.read()), default=0)
        while left is None or left > 0:
            for event in reader.read(stream, after=last, types=types, limit=left):
                last = event.seq
                left = None if left is None else left - 1
                _show(event, form)
            sys.stdout.flush()
            if left is None or left > 0:
                time.sleep(_POLL)
    return DONE


@journal.command("export")
@click.option("--to", "file", type=click.Path(path_type=Path), help="File to write; else standard output.")
@project_options
def export(file: Path | None, project: Path | None, state: Path | None) -> int:
    """Write every event of every branch as a line of JSON, by seq, and the head as the last line."""
    from contextlib import ExitStack

    with _opened(project, state) as reader, ExitStack() as stack:
        out = None
        if file is not None:
            try:
                out = stack.enter_context(file.open("x", encoding="utf-8"))
            except FileExistsError:
                raise AlreadyExists(
                    f"`{file}` is there already: name another file, or move it away"
                ) from None
        for event in reader.read_all():
            show_json("event/1", event.to_value(), out)
        show_json("journal.head/1", {"head": reader.head()}, out)
    return DONE


@journal.command("redact")
@click.argument("event", type=int)
@project_options
@format_option
def redact(event: int, project: Path | None, state: Path | None, form: Format) -> int:
    """Take the payload of EVENT out for good; the chain still verifies, and a new event says who did it.

    The same text may be in other events too, and in archives and copies of the journal.
    """
    from runtime.app import Place
    from runtime.app.upkeep import redact_event

    _show(redact_event(Place(project, state), event), form)
    return DONE


@journal.command("compact")
@project_options
@format_option
def compact(project: Path | None, state: Path | None, form: Format) -> int:
    """Move the journal into an archive, and begin a new one with the run-time entries of the registry."""
    from runtime.app import Place
    from runtime.app.upkeep import compact_journal

    done = compact_journal(Place(project, state))
    row = {"archive": str(done.archive), "head": done.head, "before": done.before, "after": done.after}
    show_rows("journal.compacted/1", ("archive", "head", "before", "after"), [row], form)
    return DONE


@journal.command("verify")
@click.option("--head", metavar="HASH", help="A head that was noted before: whether the journal ever had it.")
@project_options
@format_option
def verify(head: str | None, project: Path | None, state: Path | None, form: Format) -> int:
    """Recompute every digest and hash. Exit code 6 when something was changed."""
    if head and not _HEAD.fullmatch(head):
        raise Invalid(f"`{head}` is no head: expected `sha256:` and 64 hexadecimal digits")
    with _opened(project, state) as reader:
        found = reader.verify(noted=head)
    problems = list(found.problems)
    if head and found.noted_at is None:
        problems.append(
            f"the journal never had the head `{head}`: it was rewritten, cut back, or is another one"
        )
    if form is Format.JSON:
        value = {"ok": not problems, "events": found.events, "head": found.head, "problems": problems}
        show_json("verification/1", {**value, "noted_at": found.noted_at})
        return INTEGRITY if problems else DONE
    for problem in problems:
        say(f"error: {problem}")
    show_text(f"{found.events} events, {'damaged' if problems else 'unchanged'}, head {found.head}")
    if not head:
        say("a chain shows changes in place; a rewrite of the whole shows only against a noted head")
    elif found.noted_at is not None:
        show_text(
            f"the noted head is that after event {found.noted_at}, {found.events - found.noted_at} events ago"
        )
    return INTEGRITY if problems else DONE


def _show(event: Event, form: Format) -> None:
    if form is Format.JSON:
        show_json("event/1", event.to_value())
        return
    payload = json.dumps(event.payload, ensure_ascii=False)
    cut = payload if form is Format.PLAIN or len(payload) <= _SHOWN else payload[:_SHOWN] + " ..."
    cause = f" <- {event.cause}" if event.cause else ""
    show_text(f"{event.seq}{cause}  {event.time}  {event.stream}  {event.type}  {event.actor}  {cut}")


def _opened(project: Path | None, state: Path | None) -> AbstractContextManager[SqliteJournal]:
    from runtime.app import Place, open_journal_to_read

    return open_journal_to_read(Place(project, state))
