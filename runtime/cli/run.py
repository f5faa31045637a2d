"""`runtime run`: run a command of a project, or its services when no command is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say, show_rows


class Run(click.Command):
    """A command whose own options are read anywhere before `--`; what follows goes to the process."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what stands behind `--` apart from the words before it."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta["runtime.arguments"] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


@click.command(cls=Run, options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[TARGET] [COMMAND] [-- ARGS...]")
@click.option("-p", "--prompt", metavar="TEXT", help="One turn, then end; `-` reads standard input.")
@click.option("--model", metavar="NAME", help="The model that answers, whatever the agent names.")
@click.option("--offline", is_flag=True, help="No network but loopback.")
@click.option("--yes", is_flag=True, help="Short for --approve unattended.")
@click.option(
    "--approve",
    type=click.Choice(["ask", "unattended", "never"]),
    default="ask",
    show_default=True,
    help="How consent to new tools is had; unattended covers tools of harmless modules only.",
)
@click.option("--host", metavar="ID", help="The terminal host, where the project has several.")
@click.option("--ephemeral", is_flag=True, help="Keep the state in memory and forget it at the end.")
@click.option("--locked", is_flag=True, help="Do not write wippy.lock, and refuse to run without it.")
@click.option("--frozen", is_flag=True, help="As --locked; for deployments.")
@click.option(
    "-o",
    "entry_overrides",
    multiple=True,
    metavar="NS:NAME:PATH=VALUE",
    help="A field of an entry for this run.",
)
@click.option(
    "--branch", metavar="NAME", default="main", help="Go on from a branch, and leave its parent alone."
)
@click.option(
    "--watch/--no-watch",
    default=None,
    help="Take edits of the project's files while it runs; else at a terminal and for services only.",
)
@click.option(
    "--set", "overrides", multiple=True, metavar="SECTION.KEY=VALUE", help="A setting for this run."
)
@click.option(
    "--compat",
    type=click.Choice(["wippy"]),
    metavar="wippy",
    help="Run a project of another runtime as it is: strict mode off, lenient loader; said and recorded.",
)
@click.option("-c", "--console", is_flag=True, help="Log lines as text, whatever the project says.")
@click.option("-s", "--silent", is_flag=True, help="Show no log lines at all.")
@click.option("-v", "--verbose", is_flag=True, help="Show log lines.")
@project_options
@format_option
@click.pass_context
def run(ctx: click.Context, /, words: tuple[str, ...], form: Format, **given: Any) -> int:
    """Run COMMAND of the project, with TARGET as the namespace that it is in.

    TARGET alone may be the name of a command. `runtime run list` lists the commands. Plain words behind
    COMMAND and all that stands behind `--` go to the process.
    """
    place = _place(given)
    if words == ("list",):
        return _list(place, form)
    from runtime.app import Options, run_command
    from runtime.app.wording import Wording
    from runtime.cli.render.consent import agrees, consent_question
    from runtime.evolution.consent import Approve

    approve = Approve.UNATTENDED if given.pop("yes") else Approve(given["approve"])
    options = Options(
        words=words,
        arguments=ctx.meta["runtime.arguments"],
        environment=dict(os.environ),
        **{**given, "approve": approve},
    )
    return run_command(options, Wording(consent_question, agrees, model_line))


def model_line(chosen: Mapping[str, Any]) -> str:
    """Return the line that says which model answers, from where and with which credential."""
    if chosen.get("scripted"):
        why = chosen.get("reason")
        return f"offline: an embedded scripted rehearsal answers, not an LLM{f' ({why})' if why else ''}"
    credential = chosen.get("credential")
    key = "no key" if credential in (None, "none") else f"key {credential}"
    return f"model {chosen.get('model')} at {chosen.get('host')}, {key}"


def _place(given: Mapping[str, Any]) -> Any:
    from runtime.app import Place

    project: Path | None = given["project"]
    state: Path | None = given["state"]
    return Place(project, state)


def _list(place: Any, form: Format) -> int:
    from runtime.app import run_list

    found = run_list(place)
    rows = [{"command": each.name, "entry": each.entry.id, "about": each.short} for each in found]
    show_rows("command/1", ("command", "entry", "about"), rows, form)
    if not found and form is Format.HUMAN:
        say("this project has no commands: a process with `meta.command.name` is one")
    sys.stdout.flush()
    return 0
