"""What an owner asks of a project at the command line, by name, with plain data in and out.

Where a host runs, it does what is asked, in its own registry and journal; else the command is the host for as
long as that takes. Either way the same checks are made and the actor is the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from runtime.app.entry_checks import check_entries
from runtime.app.host_socket import ask_host
from runtime.app.loading import load_project
from runtime.app.opening import Opened, Place, find_project, open_host
from runtime.core.errors import Conflict, Invalid
from runtime.core.values import Value
from runtime.journal import types
from runtime.journal.events import MAIN, Draft
from runtime.journal.lease import Held
from runtime.lua.library import Library
from runtime.registry.branching import check_cut, promote, promotion
from runtime.registry.entry import Origin

HOST = "host"
OWNER = "owner"
"""The actor of what a person does at the command line."""

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that may be asked: `run` does it on an open project, whose entries it may need loaded."""

    run: Callable[[Opened, Parameters], dict[str, Any]]
    entries: bool = False


def ask(place: Place, name: str, parameters: Parameters, *, branch: str = MAIN) -> dict[str, Any]:
    """Have the request `name` done on `branch` and return what it gives; raises what it raises."""
    try:
        with ExitStack() as stack:
            opened = open_host(stack, place, os.environ, branch=branch)
            if REQUESTS[name].entries:
                check_entries(opened.registry, Library.discover(), opened.project.settings, lambda _: None)
                load_project(opened.registry, opened.project)
            return answer(opened, name, {**parameters, "branch_of_host": branch})
    except Held as held:
        state = find_project(place, os.environ).state_dir
        return ask_host(state, {"name": name, **parameters, "branch_of_host": branch}, held)


def answer(opened: Opened, name: object, parameters: Parameters) -> dict[str, Any]:
    """Do the request `name` on the open project; safe from any thread. Raises Invalid for one unknown."""
    request = REQUESTS.get(name) if isinstance(name, str) else None
    if request is None:
        raise Invalid(f"a host has no request `{name!s}`: is it of another version?")
    return request.run(opened, parameters)


def _redact(opened: Opened, parameters: Parameters) -> dict[str, Any]:
    return opened.journal.on(MAIN).redact(_whole(parameters, "seq"), actor=OWNER).to_value()


def _fork(opened: Opened, parameters: Parameters) -> dict[str, Any]:
    journal, at = opened.journal.on(MAIN), _whole(parameters, "at")
    check_cut(journal, at)
    taken = journal.forks().by_name
    names = (f"at-{at}" if number == 1 else f"at-{at}.{number}" for number in range(1, len(taken) + 2))
    name = parameters.get("branch") or next(name for name in names if name not in taken)
    streams = tuple(parameters.get("streams") or ())
    return journal.fork(str(name), at, streams=streams or None, actor=OWNER).to_value()


def _rollback(opened: Opened, parameters: Parameters) -> dict[str, Any]:
    registry = _on(opened, parameters).registry
    way = registry.way_back(_whole(parameters, "version"))
    if way.ops:
        registry.apply(way.ops, actor=OWNER, origin=Origin.RUNTIME)
    changes = [{"change": op.kind, "id": op.entry.id} for op in way.ops]
    return {"version": registry.current.version, "changes": changes, "declared": list(way.declared)}


def _promote(opened: Opened, parameters: Parameters) -> dict[str, Any]:
    registry, branch = _on(opened, parameters).registry, str(parameters["branch"])
    if parameters.get("dry_run"):
        found = promotion(registry, opened.journal, branch)
    else:
        found = promote(registry, opened.journal, branch, actor=OWNER)
    changes = [{"change": op.kind, "id": op.entry.id, "kind": op.entry.kind} for op in found.ops]
    return {"changes": changes, "declared": list(found.declared), "conflicts": found.conflicts}


def _trust(opened: Opened, parameters: Parameters) -> dict[str, Any]:
    granted = parameters.get("granted") is True
    payload: dict[str, Value] = {"hash": str(parameters.get("hash"))}
    for name in ("settings", "files"):
        payload[name] = dict(parameters.get(name) or {})
    event = types.TRUST_GRANTED if granted else types.TRUST_REVOKED
    opened.journal.on(MAIN).append(HOST, [Draft(event, payload, OWNER)], durable=True)
    return {}


def _on(opened: Opened, parameters: Parameters) -> Opened:
    """Return `opened`; raise Conflict where its registry is that of another branch than what is asked for."""
    wanted = str(parameters.get("branch_of_host", MAIN))
    if opened.branch != wanted:
        raise Conflict(
            f"the host runs on branch `{opened.branch}` and this concerns `{wanted}`: end that run first",
            retryable=True,
        )
    return opened


def _whole(parameters: Parameters, name: str) -> int:
    value = parameters.get(name)
    if type(value) is not int:
        raise Invalid(f"`{name}` must be a whole number")
    return value


REQUESTS: Mapping[str, Request] = {
    "redact": Request(_redact),
    "fork": Request(_fork),
    "rollback": Request(_rollback, entries=True),
    "promote": Request(_promote, entries=True),
    "trust": Request(_trust),
}
