"""`runtime registry`: what the project's registry holds, how it came to be so, and the way back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runtime.cli.exit_codes import CONFLICT, DONE
from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say, show_json, show_rows, show_text
from runtime.core.errors import NotFound
from runtime.core.nearest import did_you_mean

if TYPE_CHECKING:
    from runtime.registry.entry import Entry
    from runtime.registry.registry import Registry
    from runtime.registry.snapshot import Snapshot


@click.group()
def registry() -> None:
    """Look at the entries of a project and their versions."""


@registry.command("list")
@click.option("-n", "--ns", "namespace", help="Only entries of this namespace.")
@click.option("-k", "--kind", help="Only entries of this kind; one `*` stands for anything.")
@click.option("--type", "type_", help="Only entries with this meta.type.")
@click.option("--all", "every", is_flag=True, help="Also the entries of components.")
@project_options
@format_option
def list_entries(
    namespace: str | None,
    kind: str | None,
    type_: str | None,
    every: bool,
    project: Path | None,
    state: Path | None,
    form: Format,
) -> None:
    """List entries: id, kind, origin and title."""
    wanted = {
        name: value for name, value in ((".ns", namespace), (".kind", kind), ("meta.type", type_)) if value
    }
    rows = [
        {
            "id": entry.id,
            "kind": entry.kind,
            "origin": str(entry.origin),
            "title": entry.meta.get("title") or entry.meta.get("comment") or "",
        }
        for entry in _registry(project, state).current.find(wanted)
        if every or namespace or str(entry.origin) != "module"
    ]
    show_rows("entry.row/1", ("id", "kind", "origin", "title"), rows, form)


@registry.command("show")
@click.argument("entry_id", metavar="ID")
@project_options
@format_option
def show_entry(entry_id: str, project: Path | None, state: Path | None, form: Format) -> None:
    """Show one entry whole. ID may be a name alone where it is the only one."""
    current = _registry(project, state).current
    entry = current.get(entry_id)
    if entry is None and ":" not in entry_id:
        named = current.find({".name": entry_id})
        if len(named) > 1:
            raise NotFound(f'ambiguous entry name "{entry_id}", use full ID (namespace:name)')
        entry = named[0] if named else None
    if entry is None:
        raise _no_entry(current, entry_id)
    value = {**entry.to_value(), "origin": str(entry.origin), "digest": entry.digest}
    if form is Format.JSON:
        show_json("entry/1", value)
        return
    show_text(f"{entry.id}  {entry.kind}  ({entry.origin}{f', {entry.place}' if entry.place else ''})")
    show_text(f"digest {entry.digest}")
    show_text(f"meta {json.dumps(entry.meta, indent=2, ensure_ascii=False, default=dict)}")
    rest = {name: part for name, part in entry.fields.items() if name != "source"}
    show_text(f"data {json.dumps(rest, indent=2, ensure_ascii=False, default=dict)}")
    source = entry.fields.get("source")
    if isinstance(source, str):
        show_text(f"source\n{source.rstrip()}")


@registry.command("history")
@click.argument("entry_id", metavar="[ID]", required=False)
@project_options
@format_option
def history(entry_id: str | None, project: Path | None, state: Path | None, form: Format) -> None:
    """List the versions of the registry, or those that changed the entry ID."""
    found = _registry(project, state)
    rows = []
    for version in found.versions():
        if entry_id and found.at(version.id).get(entry_id) == found.at(version.previous).get(entry_id):
            continue
        rows.append(
            {
                "version": version.id,
                "time": version.time,
                "actor": version.actor,
                "origin": str(version.origin),
            }
        )
    show_rows("version.row/1", ("version", "time", "actor", "origin"), rows, form)


@registry.command("diff")
@click.argument("old", metavar="V1", type=int)
@click.argument("new", metavar="V2", type=int)
@project_options
@format_option
def diff(old: int, new: int, project: Path | None, state: Path | None, form: Format) -> None:
    """Show what changed from version V1 to version V2."""
    from runtime.registry.versions import delta

    found = _registry(project, state)
    rows = [
        {"change": op.kind, "id": op.entry.id, "kind": op.entry.kind, "origin": str(op.entry.origin)}
        for op in delta(found.at(old), found.at(new))
    ]
    show_rows("entry.change/1", ("change", "id", "kind", "origin"), rows, form)


@registry.command("rollback")
@click.argument("version", type=int)
@project_options
@format_option
def rollback(version: int, project: Path | None, state: Path | None, form: Format) -> int:
    """Bring the run-time entries back to what VERSION held, as a new version.

    Entries that files or components declare stay as they are and are named.
    """
    from runtime.app import Place
    from runtime.app.owner import ask

    found = ask(Place(project, state), "rollback", {"version": version})
    for entry_id in found["declared"]:
        say(f"`{entry_id}` stays: it is declared by a file or component now, or was then")
    rows = [{**change, "version": found["version"]} for change in found["changes"]]
    show_rows("entry.change/1", ("change", "id", "version"), rows, form)
    if not rows and form is not Format.JSON:
        say(f"nothing to change: the run-time entries are those of v{version}")
    return CONFLICT if found["declared"] and not rows else DONE


@registry.command("export")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--to", "folder", type=click.Path(path_type=Path), required=True, help="Folder to write to.")
@project_options
@format_option
def export(
    ids: tuple[str, ...], folder: Path, project: Path | None, state: Path | None, form: Format
) -> None:
    """Write entries as files that declare the same; an ID may end with `*`. Nothing is written over."""
    from runtime.registry.export import export as write

    current = _registry(project, state).current
    chosen: dict[str, Entry] = {}
    for each in ids:
        found = current.find({".id": each})
        if not found:
            raise _no_entry(current, each)
        chosen |= {entry.id: entry for entry in found}
    rows = [{"file": str(folder / path)} for path in write(chosen.values(), folder)]
    show_rows("file/1", ("file",), rows, form)


def _no_entry(snapshot: Snapshot, wanted: str) -> NotFound:
    meant = did_you_mean(wanted, [entry.id for entry in snapshot.entries()])
    return NotFound(f"entry not found: `{wanted}`{meant}")


def _registry(project: Path | None, state: Path | None) -> Registry:
    from runtime.app import Place, open_registry_to_read

    return open_registry_to_read(Place(project, state))
