"""`runtime policy`: which policies there are, who runs under which, and why a request is decided as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runtime.cli.exit_codes import DONE, FAILED, REFUSED
from runtime.cli.options import format_option, project_options
from runtime.cli.render.output import Format, say, show_json, show_rows, show_text
from runtime.cli.render.policies import abilities_text, explanation_text
from runtime.core.errors import Error, Invalid

if TYPE_CHECKING:
    from runtime.app import Policies

_scope_option = click.option(
    "--scope", metavar="ID", help="A policy or a group, in place of the actor's scope."
)


@click.group()
def policy() -> None:
    """Ask what policies allow, and why."""


@policy.command("list")
@project_options
@format_option
def list_policies(project: Path | None, state: Path | None, form: Format) -> None:
    """List the policies in force: effect, actions, resources and groups."""
    rows = [
        {
            "id": each.id,
            "effect": each.effect,
            "actions": _joined(each.actions, form),
            "resources": _joined(each.resources, form),
            "when": " and ".join(condition.text for condition in each.conditions),
            "groups": _joined(each.groups, form),
        }
        for each in sorted(_policies(project, state).engine.policies.values(), key=lambda each: each.id)
    ]
    show_rows("policy.row/1", ("id", "effect", "actions", "resources", "when", "groups"), rows, form)


@policy.command("actors")
@project_options
@format_option
def actors(project: Path | None, state: Path | None, form: Format) -> None:
    """List who runs under which policies: the commands and services of the project."""
    policies = _policies(project, state)
    rows = []
    for subject in policies.subjects():
        try:
            context = subject.context(policies.engine)
            scope, problem = (
                list(context.scope or ()),
                "" if context.actor else "no actor: refused in strict mode",
            )
        except Error as error:
            scope, problem = [], f"does not start: {error.message}"
        rows.append(
            {
                "actor": subject.actor_id,
                "of": subject.label,
                "entry": subject.entry.id,
                "policies": _joined(scope, form) if form is Format.JSON else len(scope),
                "problem": problem,
            }
        )
    show_rows("actor.row/1", ("actor", "of", "entry", "policies", "problem"), rows, form)


@policy.command("why")
@click.argument("actor")
@click.argument("action")
@click.argument("resource")
@_scope_option
@click.option("--meta", "meta", multiple=True, metavar="KEY=VALUE", help="What the operation says beside it.")
@project_options
@format_option
def why(
    actor: str,
    action: str,
    resource: str,
    scope: str | None,
    meta: tuple[str, ...],
    project: Path | None,
    state: Path | None,
    form: Format,
) -> int:
    """Say whether ACTOR may do ACTION on RESOURCE, which policies decided, and what would change it.

    ACTOR is the id of an actor, or the name or entry of a command or service. Exit code 4 unless allowed.
    """
    explanation = _policies(project, state).why(actor, action, resource, scope=scope, meta=_meta(meta))
    if form is Format.JSON:
        show_json("policy.why/1", explanation.to_value())
    else:
        show_text(explanation_text(explanation))
    return DONE if explanation.decision.allowed else REFUSED


@policy.command("effective")
@click.argument("actor")
@_scope_option
@project_options
@format_option
def effective(actor: str, scope: str | None, project: Path | None, state: Path | None, form: Format) -> None:
    """Say what ACTOR may do: hosts, reads, writes, functions, variables, processes, models."""
    policies = _policies(project, state)
    context, abilities = policies.effective(actor, scope)
    if form is Format.JSON:
        show_json(
            "policy.effective/1",
            {
                "actor": context.actor.id if context.actor else "",
                "policies": list(context.scope or ()),
                "strict_mode": policies.guard.strict,
                "abilities": [each.to_value() for each in abilities],
            },
        )
    else:
        show_text(abilities_text(context, abilities, strict=policies.guard.strict))


@policy.command("test")
@click.argument("file", type=click.Path(path_type=Path))
@project_options
@format_option
def test(file: Path, project: Path | None, state: Path | None, form: Format) -> int:
    """Decide the requests in FILE and compare with what is expected. Exit code 1 when one differs."""
    outcomes = list(_policies(project, state).test(file))
    failed = [each for each in outcomes if each.fault]
    for each in outcomes if form is Format.JSON else failed:
        if form is Format.JSON:
            show_json("policy.case/1", each.to_value())
        else:
            case = each.case
            show_text(f"{case.place}: {case.actor} {case.action} {case.resource}: {each.fault}")
    if form is not Format.JSON:
        show_text(f"{len(outcomes) - len(failed)} of {len(outcomes)} requests are decided as expected")
    elif failed:
        say(f"{len(failed)} of {len(outcomes)} requests are not decided as expected")
    return FAILED if failed else DONE


def _meta(pairs: tuple[str, ...]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise Invalid(f"invalid --meta `{pair}`: expected `key=value`")
        try:
            meta[key] = json.loads(text)
        except ValueError:
            meta[key] = text
    return meta


def _joined(items: Any, form: Format) -> Any:
    return list(items) if form is Format.JSON else ", ".join(items)


def _policies(project: Path | None, state: Path | None) -> Policies:
    from runtime.app import Place, Policies

    return Policies(Place(project, state))
