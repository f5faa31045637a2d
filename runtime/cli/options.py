"""Options that several commands take, read the same way everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from runtime.cli.render.output import Format

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(command: Command) -> Command:
    """Add `--format` and `--json`; the command gets `form`, a `Format`."""
    choice = click.option(
        "--format",
        "form",
        type=click.Choice([each.value for each in Format]),
        default=Format.HUMAN.value,
        callback=_read_format,
        help="How results are written.",
    )
    short = click.option(
        "--json",
        "as_json",
        is_flag=True,
        is_eager=True,  # read before --format, which then knows of it
        expose_value=False,
        callback=_note_json,
        help="Short for --format json.",
    )
    return choice(short(command))


def _note_json(context: click.Context, _option: click.Parameter, value: bool) -> None:
    context.meta["runtime.json"] = value


def _read_format(context: click.Context, _option: click.Parameter, value: str) -> Format:
    return Format.JSON if context.meta.get("runtime.json") else Format(value)


def project_options(command: Command) -> Command:
    """Add `--project` and `--state`; the command gets two paths or None."""
    project = click.option(
        "--project", type=click.Path(path_type=Path), help="Folder of the project; else the nearest upwards."
    )
    state = click.option(
        "--state",
        type=click.Path(path_type=Path),
        envvar="RUNTIME_STATE_DIR",
        help="Folder of the state; else .runtime in the project.",
    )
    return project(state(command))


def wanted_format(arguments: list[str]) -> Format:
    """Return the format that `arguments` ask for, also where they could not be parsed to the end."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    pairs = zip(before, [*before[1:], ""], strict=True)
    wants = "--json" in before or "--format=json" in before or ("--format", "json") in list(pairs)
    return Format.JSON if wants else Format.HUMAN
