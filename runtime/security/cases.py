"""Tests of policies as data: a YAML file of requests, each with the decision and, where wanted, its reasons.

tests:
  - actor: app:agent            # id of an actor, or the name or entry of a command or service
    scope: app:agent_security   # optional: a policy or a group in place of the actor's own scope
    requests:
      - {action: registry.get, resource: "app:x", meta: {}, expected: allow, reasons: [app:reads]}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from runtime.core.errors import Error, Invalid, Many, Place
from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.registry import yaml
from runtime.registry.declaration import Declaration, SourceFile
from runtime.security.actor import Context
from runtime.security.decision import Decision
from runtime.security.guard import Guard
from runtime.security.wording import expected as expectation
from runtime.security.wording import shown, type_name

RESULTS = ("allow", "deny", "undefined")
_TEST_KEYS = ("actor", "scope", "requests")
_REQUEST_KEYS = ("action", "resource", "meta", "expected", "reasons")

Resolve = Callable[[str, str | None], Context]  # (actor, scope) -> whose request it is


@dataclass(frozen=True, slots=True)
class Case:
    """One request and what is expected of it; `reasons` is None where any will do."""

    actor: str
    scope: str | None
    action: str
    resource: str
    meta: Mapping[str, Value]
    expected: str
    reasons: tuple[str, ...] | None
    place: Place


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case and what came of it; `fault` is empty where it is as expected."""

    case: Case
    decision: Decision
    fault: str = ""

    def to_value(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        case = self.case
        return {
            "ok": not self.fault,
            "actor": case.actor,
            "scope": case.scope,
            "action": case.action,
            "resource": case.resource,
            "meta": dict(case.meta),
            "expected": case.expected,
            "decision": self.decision.result,
            "reasons": list(self.decision.reasons),
            "fault": self.fault,
            "place": str(case.place),
        }


def run_cases(cases: list[Case], guard: Guard, resolve: Resolve) -> Iterator[Outcome]:
    """Yield what comes of each case, decided as the guard decides.

    Raises what `resolve` raises, with the place of the case.
    """
    for case in cases:
        try:
            context = resolve(case.actor, case.scope)
        except Error as error:
            error.place = case.place
            raise
        decision = guard.weigh(context, case.action, case.resource, case.meta)
        yield Outcome(case, decision, _fault(case, decision, guard.engine.policies))


def _fault(case: Case, decision: Decision, loaded: Collection[str]) -> str:
    if decision.result != case.expected:
        return f"expected {case.expected}, got {decision.result}: {decision.why}"
    if case.reasons is not None and sorted(case.reasons) != sorted(decision.reasons):
        wanted, given = (", ".join(sorted(each)) or "none" for each in (case.reasons, decision.reasons))
        missing = [each for each in case.reasons if each not in loaded]
        meant = f", which is not loaded{did_you_mean(missing[0], loaded)}" if missing else ""
        return f"{decision.result} as expected, but by {given}, expected {wanted}{meant}"
    return ""


def read_cases(text: str, path: str) -> list[Case]:
    """Return the cases of a file; raise Invalid, or Many with every fault, each with its place."""
    document = yaml.parse(text, path)
    reader = _Reader(Declaration(SourceFile(path, text)))
    cases = list(reader.read(document))
    if reader.faults:
        raise reader.faults[0] if len(reader.faults) == 1 else Many(reader.faults)
    if not cases:
        raise Invalid("no request in it: expected `tests` with `requests`", place=Place(path))
    return cases


class _Reader:
    """Reads one document and keeps every fault that it finds."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.faults: list[Error] = []

    def complain(self, message: str, *at: str | int) -> None:
        self.faults.append(Invalid(message, place=self.declaration.place_of(at)))

    def read(self, document: Value) -> Iterator[Case]:
        if not isinstance(document, dict) or not isinstance(document.get("tests"), list):
            self.complain("expected a map with the list `tests`")
            return
        self.known(document, ("tests", "version"))
        for number, test in enumerate(cast("list[Value]", document["tests"])):
            at = ("tests", number)
            if not isinstance(test, dict):
                self.complain(f"a test is a map of actor and requests, not {type_name(test)}", *at)
                continue
            self.known(test, _TEST_KEYS, *at)
            actor, scope, requests = test.get("actor"), test.get("scope"), test.get("requests")
            if not isinstance(actor, str) or not actor:
                self.complain("`actor` must be the id of an actor, or a command or service", *at, "actor")
            elif scope is not None and not isinstance(scope, str):
                self.complain("`scope` must be the id of a policy or of a group", *at, "scope")
            elif not isinstance(requests, list):
                self.complain("`requests` must be a list of requests", *at, "requests")
            else:
                for index, request in enumerate(requests):
                    yield from self.case(actor, scope, request, (*at, "requests", index))

    def case(
        self, actor: str, scope: str | None, request: Value, at: tuple[str | int, ...]
    ) -> Iterator[Case]:
        if not isinstance(request, dict):
            self.complain(f"a request is a map, not {type_name(request)}", *at)
            return
        known = len(self.faults)
        self.known(request, _REQUEST_KEYS, *at)
        for key in ("action", "resource"):
            if not isinstance(request.get(key), str):
                self.complain(f"`{key}` must be a string", *at, key)
        wanted, reasons, meta = request.get("expected"), request.get("reasons"), request.get("meta") or {}
        if wanted not in RESULTS:
            self.complain(
                f"`expected` is `{shown(wanted)}`, {expectation(str(wanted), RESULTS)}", *at, "expected"
            )
        if not isinstance(meta, dict):
            self.complain("`meta` must be a map", *at, "meta")
        if reasons is not None and not _are_texts(reasons):
            self.complain("`reasons` must be a list of policy ids", *at, "reasons")
        if len(self.faults) > known:
            return
        yield Case(
            actor,
            scope,
            str(request["action"]),
            str(request["resource"]),
            cast("dict[str, Value]", meta),
            str(wanted),
            None if reasons is None else tuple(cast("list[str]", reasons)),
            self.declaration.place_of(at),
        )

    def known(self, given: Mapping[str, Value], keys: tuple[str, ...], *at: str | int) -> None:
        for key in given:
            if key not in keys:
                self.complain(f"unknown key `{shown(key)}`, {expectation(key, keys)}", *at, key)


def _are_texts(value: Value) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
