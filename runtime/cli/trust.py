"""`runtime trust`: what a project wants beyond what any may have, and your trust given or taken back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runtime.cli.exit_codes import DONE, REFUSED
from runtime.cli.options import format_option, project_options
from runtime.cli.render.consent import agrees
from runtime.cli.render.output import Format, say, show_json, show_text
from runtime.cli.render.policies import abilities_text
from runtime.core.errors import Error
from runtime.core.text import visible

if TYPE_CHECKING:
    from runtime.app import Place
    from runtime.app.trust import Trust


@click.command()
@click.option("--show", is_flag=True, help="Only show what it wants, its hash, and whether it is trusted.")
@click.option("--revoke", is_flag=True, help="Take the trust back.")
@project_options
@format_option
def trust(show: bool, revoke: bool, project: Path | None, state: Path | None, form: Format) -> int:
    """Let a project loosen what guards you, after showing what that means.

    What is trusted is the hash of exactly what was shown; any change asks again. Without a terminal nothing
    is trusted: exit code 4, and the hash to pass as RUNTIME_TRUST for one run.
    """
    from runtime.app import Place
    from runtime.app import trust as app

    place = Place(project, state)
    if revoke:
        digest = app.revoke(place)
        _tell(form, f"no longer trusted: {digest}", {"hash": digest, "trusted": False})
        return DONE
    found = app.look(place)
    if form is Format.JSON:
        show_json("trust/1", _value(found))
    else:
        show_text(_text(found, place))
    if show or not found.demand or found.trusted:
        return DONE
    digest = found.demand.digest
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        say(f"not trusted: nobody sits at the terminal; for one run pass RUNTIME_TRUST={digest}")
        return REFUSED
    click.echo("Trust this project with exactly that? [y/N] ", nl=False, err=True)
    if not agrees(sys.stdin.readline()):
        say("not trusted: the project runs without it")
        return REFUSED
    app.grant(place, digest)
    say(f"trusted: {digest}; `runtime trust --revoke` takes it back")
    return DONE


def _tell(form: Format, text: str, value: dict[str, object]) -> None:
    if form is Format.JSON:
        show_json("trust/1", value)
    else:
        show_text(text)


def _value(found: Trust) -> dict[str, object]:
    return {
        "hash": found.demand.digest if found.demand else "",
        "trusted": found.trusted,
        "recorded": found.recorded,
        "wants": [
            {"what": each.what, "value": each.value, "without": each.without, "effect": each.effect}
            for each in found.wishes
        ],
    }


def _text(found: Trust, place: Place) -> str:
    if not found.demand:
        return "this project wants nothing that needs trust"
    lines = ["this project wants"]
    for wish in found.wishes:
        value, without = (
            visible(json.dumps(each, ensure_ascii=False)) for each in (wish.value, wish.without)
        )
        lines.append(f"  {wish.what} = {value} in place of {without} ({visible(wish.place)}): {wish.effect}")
    lines += ["its commands may", *_abilities(place), f"hash {found.demand.digest}"]
    if found.trusted:
        lines.append("it is trusted")
    elif found.recorded:
        lines.append("it was trusted with something else, and is not any more")
    else:
        lines.append("it is not trusted, and runs without that")
    return "\n".join(lines)


def _abilities(place: Place) -> list[str]:
    from runtime.app import Policies

    try:
        policies = Policies(place)
        lines = []
        for subject in policies.subjects():
            context, abilities = policies.effective(subject.entry.id)
            text = abilities_text(context, abilities, strict=policies.guard.strict)
            lines += [f"  {subject.label}", *(f"    {visible(line)}" for line in text.split("\n"))]
        return lines or ["  nothing: it has none"]
    except Error as error:
        return [f"  what they may do is not known: {visible(str(error))}"]
