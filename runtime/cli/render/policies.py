"""How an explanation of a decision and the abilities of an actor look to people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.security.actor import Context
    from runtime.security.effective import Ability
    from runtime.security.explain import Explanation

_WORDS = {"allow": "allowed", "deny": "denied", "undefined": "not allowed"}


def explanation_text(explanation: Explanation) -> str:
    """Return the decision first, then what decided, what nearly did, and what would change it."""
    return "\n".join(_explanation_lines(explanation))


def _explanation_lines(explanation: Explanation) -> Iterator[str]:
    request = explanation.request
    what = f"{request.action} on `{request.resource}` by `{request.actor.id}`"
    yield f"{_WORDS[explanation.decision.result]}: {what} ({explanation.decision.why})"
    for note in explanation.notes:
        yield f"note: {note}"
    if explanation.decided:
        yield "decided by"
        for each in explanation.decided:
            yield f"  {each.policy.effect:5}  {each.policy.id}"
    if explanation.near:
        yield "nearly decided by"
        for each in explanation.near:
            yield f"  {each.policy.effect:5}  {each.policy.id}: {each.missed[0]} missed, {each.why}"
    if explanation.changes or explanation.suggestion:
        yield "what would change it"
        for change in explanation.changes:
            yield f"  {change}"
    if explanation.suggestion:
        yield "  a policy in its scope that says"
        for line in explanation.suggestion.rstrip("\n").split("\n"):
            yield f"    {line}"


def abilities_text(context: Context, abilities: list[Ability], *, strict: bool) -> str:
    """Return one line for each thing that the actor may do, under what it reaches, or `nothing`."""
    from runtime.security.effective import SECTIONS

    actor = f"actor `{context.actor.id}`" if context.actor else "no actor"
    count = len(context.scope or ())
    lines = [
        f"{actor}, {count} {'policy' if count == 1 else 'policies'}, strict mode {'on' if strict else 'off'}"
    ]
    if context.actor is None or context.scope is None:
        lines.append("may do nothing" if strict else "may do everything: strict mode is off")
        return "\n".join(lines)
    sections = dict.fromkeys([*SECTIONS, *(each.section for each in abilities)])
    for section in sections:
        inside = [each for each in abilities if each.section == section]
        lines.append(f"{section}{'' if inside else ': nothing'}")
        lines += [f"  {_ability_line(each)}" for each in inside]
    return "\n".join(lines)


def _ability_line(ability: Ability) -> str:
    when = f" when {ability.when}" if ability.when else ""
    line = f"{ability.effect:5}  {ability.action}  {', '.join(ability.resources)}{when}  ({ability.policy}"
    return f"{line}, overruled by {', '.join(ability.overruled)})" if ability.overruled else f"{line})"
