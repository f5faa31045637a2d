"""The expression of a `security.policy.expr`: one more condition, which holds where it gives exactly true.

It reads `actor.id`, `actor.meta`, `action`, `resource` and `meta`; any other name is refused at once, since a
policy that names what is never there can only be misunderstood. What fails does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.core.errors import Invalid
from runtime.core.expr import Program, compile_expression
from runtime.core.values import Value
from runtime.security.conditions import Complain
from runtime.security.fields import ROOTS, Facts, Field
from runtime.security.wording import expected, quoted, shown, type_name

STEPS = 10_000
SIZE = 100_000
_ACTOR = ("id", "meta")


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A compiled expression and the fields that it reads."""

    program: Program
    fields: tuple[Field, ...]

    @property
    def text(self) -> str:
        """The expression in one line."""
        return shown(" ".join(self.program.text.split()))

    def holds(self, facts: Facts) -> bool:
        """Whether it gives true; what fails, or gives anything else, does not hold."""
        try:
            return self._value(facts) is True
        except Invalid:
            return False

    def why_not(self, facts: Facts) -> str:
        """Say what it gave, or how it failed, and what it read."""
        try:
            said = f"`{self.text}` gives {quoted(self._value(facts))}"
        except Invalid as error:
            said = f"`{self.text}` fails: {error.message}"
        environment = _environment(self.fields, facts)
        read = {path: _at(environment, path) for path in self.program.paths()}
        found = [f"{'.'.join(path)} is {quoted(value)}" for path, value in read.items() if value is not None]
        return f"{said} ({', '.join(found)})" if found else said

    def _value(self, facts: Facts) -> object:
        return self.program.run(_environment(self.fields, facts), steps=STEPS, size=SIZE)


def _environment(fields: tuple[Field, ...], facts: Facts) -> Mapping[str, Value]:
    given = {field.path: facts[field.path] for field in fields}
    meta = given.get("meta")
    actor: dict[str, Value] = {"id": given.get("actor.id"), "meta": given.get("actor.meta")}
    return {
        "actor": actor,
        "action": given.get("action"),
        "resource": given.get("resource"),
        "meta": {} if meta is None else meta,
    }


def _at(environment: Mapping[str, Value], path: tuple[str, ...]) -> object:
    value: object = environment
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def read_expression(raw: Value, complain: Complain) -> Expression | None:
    """Return the expression that `raw` holds; None after `complain(message)` for what is wrong with it."""
    if raw is None or raw == "":
        complain("expression cannot be empty")
        return None
    if not isinstance(raw, str):
        complain(f"expression must be a string, not {type_name(raw)}")
        return None
    try:
        program = compile_expression(raw)
    except Invalid as error:
        complain(f"expression can not be read: {error.message}")
        return None
    paths = list(program.paths())
    wrong = dict.fromkeys(fault for path in paths if (fault := _fault(path)))
    for fault in wrong:
        complain(fault)
    return None if wrong else Expression(program, _fields(paths))


def _fault(path: tuple[str, ...]) -> str:
    if path[0] not in ROOTS:
        return f"unknown name `{shown(path[0])}` in the expression, {expected(path[0], ROOTS)}"
    if path[0] == "actor" and len(path) > 1 and path[1] not in _ACTOR:
        return f"an actor has no `{shown(path[1])}`, {expected(path[1], _ACTOR)}"
    return ""


def _fields(paths: list[tuple[str, ...]]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for path in paths:
        names = ("actor.id", "actor.meta") if path == ("actor",) else (path[0],)
        if path[0] == "actor" and len(path) > 1:
            names = (f"actor.{path[1]}",)
        for name in names:
            found[name] = Field.whole_meta() if name == "meta" else Field(name)
    return tuple(found.values())
