"""The policies of a project opened to be asked about: what would be in force at the next start.

Nothing is run, written or recorded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from runtime.app.opening import Place, find_project, open_registry_to_read
from runtime.app.subjects import Subject, find_subject, subjects
from runtime.app.trust import model_of
from runtime.core.errors import NotFound, Unavailable
from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.registry.yaml import decode
from runtime.security.actor import Actor, Context, Scope
from runtime.security.cases import Outcome, read_cases, run_cases
from runtime.security.effective import Ability, effective
from runtime.security.engine import Engine
from runtime.security.explain import Explanation, Request, explain
from runtime.security.guard import Guard


class Policies:
    """The engine, the guard and the subjects of one project; raises what opening the project raises."""

    def __init__(self, place: Place) -> None:
        project = find_project(place, os.environ)
        self.snapshot = open_registry_to_read(place).current
        self.engine = Engine(model_of(project)[0])
        self.engine.rebuild(self.snapshot.entries())
        self.guard = Guard(self.engine, project.settings.get("security.strict_mode", True))

    def subjects(self) -> list[Subject]:
        """Return the commands and services of the project."""
        return subjects(self.snapshot)

    def context(self, actor: str, scope: str | None = None) -> Context:
        """Return the actor and scope that `actor` stands for; `scope` is a policy or a group instead.

        With `scope` an actor that nothing declares is one without meta. Raises NotFound and Invalid.
        """
        if scope is None:
            return find_subject(self.snapshot, actor).context(self.engine)
        try:
            who = find_subject(self.snapshot, actor).context(self.engine).actor or Actor(actor)
        except NotFound:
            who = Actor(actor)
        return Context(who, self._scope(scope))

    def _scope(self, name: str) -> Scope:
        if name in self.engine.policies:
            return Scope([name])
        try:
            return self.engine.group(name)
        except NotFound:
            meant = did_you_mean(name, {*self.engine.policies, *self.engine.groups})
            raise NotFound(
                f"`{name}` is neither a policy nor a group of policies{meant or ';'} see `policy list`"
            ) from None

    def why(
        self, actor: str, action: str, resource: str, *, scope: str | None, meta: dict[str, Value]
    ) -> Explanation:
        """Return why a request is decided as it is; one without actor or scope is weighed under no policy."""
        context = self.context(actor, scope)
        request = Request(context.actor or Actor(actor), action, resource, meta)
        explanation = explain(self.engine, context.scope or Scope(), request)
        if context.actor is not None and context.scope is not None:
            return explanation
        decision = self.guard.weigh(context, action, resource, meta)
        change = "declare `security` with an actor and policies for it: it has no authority of its own"
        return Explanation(request, decision, (), (), (change,), explanation.suggestion, explanation.notes)

    def effective(self, actor: str, scope: str | None = None) -> tuple[Context, list[Ability]]:
        """Return who `actor` is and what it may do."""
        context = self.context(actor, scope)
        return context, effective(self.engine, context.scope or Scope())

    def test(self, file: Path) -> Iterator[Outcome]:
        """Yield what comes of each case of `file`; raise NotFound and Invalid for a bad file."""
        try:
            text = decode(file.read_bytes(), str(file))
        except FileNotFoundError:
            raise NotFound(f"no file `{file}`") from None
        except OSError as error:
            raise Unavailable(f"can not read `{file}`: {error.strerror}") from None
        yield from run_cases(read_cases(text, str(file)), self.guard, self.context)
