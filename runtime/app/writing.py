"""A command that writes beside no run: it is the host of the project for as long as it takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from runtime.app.checks import policy_check, program_check
from runtime.app.opening import Opened, Place, load_project, open_host
from runtime.journal.events import MAIN
from runtime.lua.library import Library

OWNER = "owner"
"""The actor of what a person does at the command line."""


@contextmanager
def writing(place: Place, *, branch: str = MAIN) -> Iterator[Opened]:
    """Open the project of `place` as its host on `branch`, with every entry loaded and checked.

    Raises Conflict, with who holds it, while a host runs; else what opening and loading raise.
    """
    with ExitStack() as stack:
        opened = open_host(stack, place, os.environ, branch=branch)
        library = Library.discover()
        opened.registry.check_with(policy_check)
        opened.registry.check_with(program_check(library))
        load_project(opened.registry, opened.project)
        yield opened
