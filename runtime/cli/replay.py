"""`runtime replay`: a recorded run again, from the journal alone."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say, show_json


@click.command()
@click.argument("run", metavar="RUN|last")
@project_options
@format_option
def replay(run: str, project: Path | None, state: Path | None, form: Format) -> None:
    """Run a recorded session again: answers come from the journal; nothing is asked, run or written.

    RUN is the id of a session or its beginning. Exit code 5 where the run is another than the recorded one.
    """
    from runtime.app import Place
    from runtime.app.replaying import replay as play

    def show(text: str) -> None:
        if form is not Format.JSON:
            sys.stdout.write(text)

    done = play(Place(project, state), run, show)
    if form is Format.JSON:
        show_json("replay/1", {"session": done.session, "events": done.events, "same": True})
    else:
        say(f"replayed session {done.session}: {done.events} events, all as recorded")
