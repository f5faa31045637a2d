"""Which casbin model may decide: one whose effect is exactly deny-override, and that answered the probes.

A project may bring its own `policies.conf` at its root. Comments, blanks and the order of the matcher's three
calls are free; what could make a deny count for less, or a rule apply to more, is refused with the reason.
The file is read strictly here and then compared with what casbin read: both mean the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from runtime.core.errors import Error, Invalid, Place
from runtime.core.values import Value
from runtime.registry.root_files import read_root_file
from runtime.security.actor import Actor
from runtime.security.enforcer import Build, CasbinEnforcer, the_casbin
from runtime.security.fields import Facts, read_key
from runtime.security.policy import KIND, read_policy
from runtime.security.wording import expected, shown

FILE = "policies.conf"
EFFECT = "some(where (p.eft == allow)) && !some(where (p.eft == deny))"
REQUEST = "actor, action, resource, facts"
POLICY = "policy, actions, resources, eft"
CALLS = ("matches(r.action,p.actions)", "matches(r.resource,p.resources)", "holds(p.policy,r.facts)")
_SECTIONS = {"request_definition": "r", "policy_definition": "p", "policy_effect": "e", "matchers": "m"}
_LARGEST = 10_000  # characters

Definitions = dict[str, tuple[str, Place]]


def shipped_model() -> str:
    """Return the text of the model that ships with the runtime."""
    return Path(__file__).with_name(FILE).read_text("utf-8")


def project_model(root: Path) -> str:
    """Return the text of `policies.conf` in `root`, else of the shipped one; raise Invalid for no text."""
    data = read_root_file(root, FILE)
    try:
        return shipped_model() if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        raise Invalid("the policy model can not be read: it is no text in UTF-8", place=Place(FILE)) from None


def accept_model(text: str, build: Build = CasbinEnforcer) -> str:
    """Return `text` when it may decide; raise Invalid with the reason and the place when it may not.

    `build` makes the enforcer that answers the probes.
    """
    definitions = _read(text)
    _check_names(definitions, "r", REQUEST, "request definition")
    _check_names(definitions, "p", POLICY, "policy definition")
    _check_effect(*definitions["e"])
    _check_matcher(*definitions["m"])
    _check_casbin_agrees(text, definitions)
    _probe(text, build)
    return text


def _read(text: str) -> Definitions:
    if text.startswith("\ufeff"):
        raise _refused("it starts with a byte order mark; save it as UTF-8 without one", Place(FILE, 1, 1))
    if len(text) > _LARGEST:
        raise _refused(f"it has {len(text)} characters, more than {_LARGEST}", Place(FILE))
    definitions: Definitions = {}
    key = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line, place = raw.strip(), Place(FILE, number)
        if not line or line[0] in "#;":
            continue
        if line[0] == "[" and line[-1] == "]":
            key = _section(line[1:-1], place)
        else:
            _define(definitions, key, line, place)
    for section, name in _SECTIONS.items():
        if name not in definitions:
            raise _refused(f"`{name}` of section `[{section}]` is missing", Place(FILE))
    return definitions


def _section(section: str, place: Place) -> str:
    if section == "role_definition":
        raise _refused("roles (`[role_definition]`) have no part in these policies", place)
    if section not in _SECTIONS:
        raise _refused(f"unknown section `[{shown(section)}]`, {expected(section, _SECTIONS)}", place)
    return _SECTIONS[section]


def _define(definitions: Definitions, key: str, line: str, place: Place) -> None:
    name, equals, value = (part.strip() for part in line.partition("="))
    if not equals or not key:
        raise _refused("this line is neither a section nor `name = definition` of one", place)
    if name != key:
        raise _refused(f"unknown definition `{shown(name)}`, {expected(name, [key])}", place)
    if key in definitions:
        raise _refused(f"`{key}` is defined twice, first at {definitions[key][1]}", place)
    if "#" in value or value.endswith("\\") or not value.isprintable():
        raise _refused(
            "a definition stands on one line of plain text; put comments on lines of their own", place
        )
    definitions[key] = (value, place)


def _check_names(definitions: Definitions, key: str, names: str, what: str) -> None:
    value, place = definitions[key]
    if [each.strip() for each in value.split(",")] != names.split(", "):
        raise _refused(f"the {what} must be `{key} = {names}`, not `{shown(value)}`", place)


def _check_effect(value: str, place: Place) -> None:
    if value == EFFECT:
        return
    if value.startswith(("priority", "subjectPriority")):
        reason = "a rule of priority lets an allow win over a deny"
    elif "deny" not in value:
        reason = "it has no deny clause, so a deny would not count"
    elif "allow" not in value:
        reason = "it needs no allow, so what no policy speaks of would be allowed"
    else:
        reason = "it is another rule, or is spaced in another way"
    raise _refused(f"the policy effect must be exactly `{EFFECT}`, not `{shown(value)}`: {reason}", place)


def _check_matcher(value: str, place: Place) -> None:
    calls = ["".join(part.split()) for part in value.split(" && ")]  # casbin needs the blanks round `&&`
    if sorted(calls) == sorted(CALLS):
        return
    missing = [each for each in CALLS if each not in calls]
    extra = [each for each in calls if each not in CALLS]
    if any("&&" in each for each in calls):
        reason = "`&&` needs a blank on each side"
    elif len(missing) == len(CALLS):
        reason = f"`{shown(value)}` makes none of them, so a rule would apply whatever is asked"
    else:
        parts = [f"`{each}` is missing" for each in missing] + [
            f"`{shown(each)}` is too much" for each in extra
        ]
        reason = ", ".join(parts) or "a call is repeated"
    raise _refused(f"the matcher must be {' && '.join(CALLS)}, in any order: {reason}", place)


def _check_casbin_agrees(text: str, definitions: Definitions) -> None:
    model = the_casbin().Model()
    try:
        model.load_model_from_text(text)
    except Exception as error:  # casbin raises whatever its parser meets
        raise _refused(f"casbin can not read it: {error}", Place(FILE)) from error
    read = {key: {name: _spelled(each.value) for name, each in part.items()} for key, part in model.items()}
    if read != {key: {key: _spelled(value)} for key, (value, _) in definitions.items()}:
        raise _refused("casbin reads it in another way than it is written", Place(FILE))


def _spelled(definition: str) -> str:
    # casbin writes `r_action` for `r.action`
    return definition.replace("r.", "r_").replace("p.", "p_")


def _refused(reason: str, place: Place) -> Invalid:
    return Invalid(f"the policy model is refused: {reason}", place=place)


class _Rule(NamedTuple):
    """An entry of a probe."""

    id: str
    kind: str
    data: Value
    place: Place | None = None


def _rule(name: str, effect: str, resources: str, role: str | None = None) -> _Rule:
    policy: dict[str, Value] = {"actions": "probe.read", "resources": resources, "effect": effect}
    if role:
        policy["conditions"] = [{"field": "actor.meta.role", "operator": "eq", "value": role}]
    return _Rule(f"probe:{name}", KIND, {"policy": policy})


_ALLOW, _DENY = _rule("allow", "allow", "probe:*"), _rule("deny", "deny", "probe:*")
_PROBES: tuple[tuple[str, tuple[_Rule, ...], str], ...] = (
    ("no rule", (), "undefined"),
    ("an allow", (_ALLOW,), "allow"),
    ("a deny", (_DENY,), "deny"),
    ("a deny after an allow", (_ALLOW, _DENY), "deny"),
    ("a deny before an allow", (_DENY, _ALLOW), "deny"),
    ("an allow of another resource", (_rule("other", "allow", "other:*"),), "undefined"),
    ("an allow whose condition holds", (_rule("role", "allow", "*", "tester"),), "allow"),
    ("an allow whose condition fails", (_rule("role", "allow", "*", "owner"),), "undefined"),
    ("a deny whose condition fails", (_ALLOW, _rule("role", "deny", "*", "owner")), "allow"),
)


def _probe(text: str, build: Build) -> None:
    actor = Actor("probe:actor", {"role": "tester"})
    for name, rules, wanted in _PROBES:
        policies = [read_policy(rule) for rule in rules]
        fields = [field for policy in policies for field in policy.fields]
        facts = Facts(fields, read_key(fields, actor, "probe.read", "probe:x", None))
        try:
            answer: str = build(text, policies).decide(actor.id, "probe.read", "probe:x", facts).result
        except Exception as error:  # a probe that fails in any way is no proof
            answer = error.message if isinstance(error, Error) else type(error).__name__
        if answer != wanted:
            raise _refused(f"the probe with {name} must give `{wanted}`, and gave `{answer}`", Place(FILE))
