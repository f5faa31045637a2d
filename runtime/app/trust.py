"""Trust in a project: what it asks for, what each part of it means, and the record of the user's yes."""

from __future__ import annotations

import os
from dataclasses import dataclass

from runtime.app.opening import Place, find_project, user_settings
from runtime.app.owner import ask
from runtime.core.errors import NotFound
from runtime.core.values import Value
from runtime.registry.project import Project
from runtime.registry.trust import FILE, Demand, TrustFile
from runtime.security.model import FILE as MODEL_FILE
from runtime.security.model import accept_model, project_model, shipped_model

EFFECTS = {
    "security.strict_mode": "what has no actor or no policies may do everything",
    "evolution.mode": "code that an agent writes goes live without the governed loop",
    "evolution.unattended": "more modules need no consent with `--yes`",
    "evolution.always": "changes at run time need no consent",
    "jail.level": "code born at run time runs with fewer nets around it",
    "llm.base_url": "prompts, and the key of your provider, go to another server",
    "limits.cost": "a run may spend more",
    "limits.steps": "a turn may take more steps",
    "limits.tool_calls": "a run may call more tools",
    "limits.tokens": "a run may use more tokens",
    "limits.time": "a run may take longer",
}
"""What each looser setting means for the person."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing that a project wants trusted, in words for people."""

    what: str
    value: Value
    without: Value
    effect: str
    place: str


@dataclass(frozen=True, slots=True)
class Trust:
    """What a project wants trusted, whether it is, and what is on record for its folder."""

    demand: Demand
    trusted: bool
    recorded: str | None

    @property
    def wishes(self) -> list[Wish]:
        """What it wants, one by one."""
        found = [
            Wish(
                each.key,
                each.value,
                each.without,
                EFFECTS.get(each.key, "a guard is looser"),
                str(each.place),
            )
            for each in self.demand.looser
        ]
        for name, digest in self.demand.files:
            found.append(
                Wish(name, digest, "the shipped one", "policies are decided under the project's model", name)
            )
        return found


def model_of(project: Project) -> tuple[str, str]:
    """Return the policy model in force for `project`, and a notice where its own one is not.

    Raises Invalid where its own one would not be accepted, trusted or not.
    """
    own = project_model(project.root)
    if project.trusted or not any(name == MODEL_FILE for name, _ in project.demand.files):
        return own, ""
    accept_model(own)
    return (
        shipped_model(),
        f"{MODEL_FILE}: it differs from the shipped model and is ignored; see `runtime trust`",
    )


def look(place: Place) -> Trust:
    """Return what the project wants and has; raises what opening it raises."""
    project = find_project(place, os.environ)
    return Trust(project.demand, project.trusted, _record().trusted(project.root))


def grant(place: Place, digest: str) -> None:
    """Record the trust in exactly `digest`; raises NotFound where the project asks for something else now."""
    project = find_project(place, os.environ)
    if not project.demand or project.demand.digest != digest:
        raise NotFound("the project changed while you looked at it: look again")
    if MODEL_FILE in dict(project.demand.files):
        accept_model(project_model(project.root))
    _write(place, project, digest, granted=True)
    _record().record(project.root, digest)


def revoke(place: Place) -> str:
    """Take the trust back and return its hash; raises NotFound where there was none."""
    project = find_project(place, os.environ)
    digest = _record().trusted(project.root)
    if digest is None:
        raise NotFound("this project is not trusted: there is nothing to revoke")
    _record().forget(project.root)  # first of all it counts no more
    _write(place, project, digest, granted=False)
    return digest


def _record() -> TrustFile:
    return TrustFile(user_settings(os.environ).with_name(FILE))


def _write(place: Place, project: Project, digest: str, *, granted: bool) -> None:
    settings: dict[str, Value] = {each.key: each.value for each in project.demand.looser}
    files = dict(project.demand.files)
    ask(place, "trust", {"granted": granted, "hash": digest, "settings": settings, "files": files})
