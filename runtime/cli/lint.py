"""`runtime lint`: everything that is wrong with a project, without running it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from runtime.cli.exit_codes import DONE, FAILED, USAGE
from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say

LEVELS = ("error", "warning", "hint")


@click.command()
@click.option(
    "-l",
    "--level",
    type=click.Choice(LEVELS),
    default="warning",
    show_default=True,
    help="The least grave findings that are shown.",
)
@click.option(
    "--ns", "namespaces", multiple=True, metavar="NS", help="Only this namespace; `app.*`: all under app."
)
@click.option(
    "--code", "codes", multiple=True, metavar="CODE", help="Only findings of these codes (comma lists)."
)
@click.option(
    "--limit", type=click.IntRange(min=0), default=0, metavar="N", help="Show the first N findings; 0: all."
)
@click.option("--summary", is_flag=True, help="Count by namespace and code in place of showing each.")
@click.option("--rules", is_flag=True, help="Look for what is unused, hidden, empty or global as well.")
@click.option("--no-color", is_flag=True, help="No colours, as NO_COLOR does.")
@click.option("--cache-reset", is_flag=True, help="Forget what earlier runs found.")
@project_options
@format_option
def lint(
    level: str,
    namespaces: tuple[str, ...],
    codes: tuple[str, ...],
    limit: int,
    summary: bool,
    rules: bool,
    no_color: bool,
    cache_reset: bool,
    project: Path | None,
    state: Path | None,
    form: Format,
) -> int:
    """Find what is wrong with the project: its files, entries, policies and Lua sources.

    Ends with 1 where there are errors in Lua sources or in what entries declare, and with 2 where files,
    entries or policies can not be loaded at all.
    """
    from runtime.app.linting import Wanted, lint, open_to_lint
    from runtime.cli.render.findings import show_findings

    opened = open_to_lint(project, state, os.environ)
    if opened.lock_written:
        say("notice: wrote wippy.lock, which was missing")
    wanted = Wanted(
        level, namespaces, tuple(each.strip() for code in codes for each in code.split(",")), rules
    )
    found = lint(opened, forget=cache_reset).selected(wanted)
    show_findings(found, opened.root, form, limit=limit, summary=summary, colour=not no_color)
    if any(each.code.startswith("R") for each in found.findings if each.level == "error"):
        return USAGE
    return FAILED if any(each.level == "error" for each in found.findings) else DONE
