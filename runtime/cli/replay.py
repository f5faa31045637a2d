"""`runtime replay`: a recorded run again, from the journal alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runtime.cli.exit_codes import DONE
from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say, show_json

if TYPE_CHECKING:
    from runtime.app import Place


@click.command()
@click.argument("run", metavar="RUN|last")
@click.option("--rerun", is_flag=True, help="Ask anew, with new calls, on a branch of its own.")
@click.option("--model", metavar="NAME", help="With --rerun: the model that answers.")
@click.option("--offline", is_flag=True, help="With --rerun: no network but loopback.")
@project_options
@format_option
def replay(
    run: str,
    rerun: bool,
    model: str | None,
    offline: bool,
    project: Path | None,
    state: Path | None,
    form: Format,
) -> int:
    """Run a recorded session again: answers come from the journal; nothing is asked, run or written.

    RUN is the id of a session or its beginning. Exit code 5 where the run is another than the recorded one.
    With --rerun what was said is said again, and everything else happens anew on a branch.
    """
    from runtime.app import Place

    if rerun:
        return _rerun(Place(project, state), run, model, offline)
    if model or offline:
        raise click.UsageError("--model and --offline are for --rerun: a replay asks no model")
    from runtime.app.replaying import replay as play

    def show(text: str) -> None:
        if form is not Format.JSON:
            sys.stdout.write(text)

    done = play(Place(project, state), run, show)
    if form is Format.JSON:
        show_json("replay/1", {"session": done.session, "events": done.events, "same": True})
    else:
        say(f"replayed session {done.session}: {done.events} events, all as recorded")
    return DONE


def _rerun(place: Place, wanted: str, model: str | None, offline: bool) -> int:
    from runtime.app import Options, run_command
    from runtime.app.rerunning import prepare_rerun
    from runtime.app.wording import Wording
    from runtime.cli.render.consent import agrees, consent_question
    from runtime.cli.run import model_line
    from runtime.evolution.consent import Approve

    made = prepare_rerun(place, wanted)
    approve = Approve(made.approve)
    say(f"rerun of session {made.session} on branch `{made.branch}`")
    options = Options(
        words=(made.command, *made.arguments),
        project=place.project,
        state=place.state,
        model=model,
        offline=offline,
        approve=approve if approve is not Approve.DIRECT else Approve.ASK,  # `compat` says that by itself
        compat=made.compat,
        lines=made.lines,
        watch=False,
        branch=made.branch,
        environment=dict(os.environ),
    )
    code = run_command(options, Wording(consent_question, agrees, model_line))
    say(f"`runtime branch diff {made.parent} {made.branch}` compares it with what was recorded")
    return code
