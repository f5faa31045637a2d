"""The scope of the command `agent`, request by request; none of its allows is idle or all-embracing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from runtime.cli.main import run_command_line
from runtime.registry.entry import Entry
from runtime.registry.loader import load_tree
from runtime.security.actor import Actor, Scope
from runtime.security.engine import Engine

ROOT = Path(__file__).resolve().parents[2]
TESTS = yaml.safe_load((ROOT / "src/policies.test.yaml").read_text(encoding="utf-8"))["tests"]
TABLE: dict[str, list[dict[str, Any]]] = {test["actor"]: test["requests"] for test in TESTS}


def shown(request: dict[str, Any]) -> str:
    return f"{request['action']}-{request['resource']}"


@pytest.fixture(scope="module")
def entries() -> dict[str, Entry]:
    return {entry.id: entry for entry in load_tree(ROOT / "src", project=ROOT)}


@pytest.fixture(scope="module")
def engine(entries: dict[str, Entry]) -> Engine:
    engine = Engine()
    engine.rebuild(entries.values())
    return engine


@pytest.fixture(scope="module")
def security(entries: dict[str, Entry]) -> dict[str, Any]:
    command: Any = entries["app:agent"].meta["command"]
    return dict(command["security"])


def decide(engine: Engine, policies: list[str], actor: str, request: dict[str, Any]) -> str:
    decision = engine.evaluate(
        Scope(policies), Actor(actor), request["action"], request["resource"], request.get("meta")
    )
    return str(decision.result)


@pytest.mark.parametrize("request_", TABLE["app:agent"], ids=shown)
def test_the_agent_may_do_exactly_this(
    engine: Engine, security: dict[str, Any], request_: dict[str, Any]
) -> None:
    actor = security["actor"]["id"]
    assert decide(engine, list(security["policies"]), actor, request_) == request_["expected"]


@pytest.mark.parametrize("request_", TABLE["service:agent"], ids=shown)
def test_the_denylist_denies_the_agent_itself_and_its_tools(engine: Engine, request_: dict[str, Any]) -> None:
    scope = list(engine.group("app:agent_security"))
    assert decide(engine, scope, "service:agent", request_) == request_["expected"]


def test_no_policy_of_the_agent_is_idle(engine: Engine, security: dict[str, Any]) -> None:
    allowed = [request for request in TABLE["app:agent"] if request["expected"] == "allow"]
    for policy in security["policies"]:
        rest = [each for each in security["policies"] if each != policy]
        lost = [r for r in allowed if decide(engine, rest, security["actor"]["id"], r) != "allow"]
        assert lost, f"{policy} allows nothing that the table asks for"


def test_no_allow_is_a_bare_star(entries: dict[str, Entry]) -> None:
    for entry in entries.values():
        policy: Any = entry.fields.get("policy")
        if entry.kind == "security.policy" and policy["effect"] == "allow":
            for part in ("actions", "resources"):
                patterns = [policy[part]] if isinstance(policy[part], str) else policy[part]
                assert all(pattern.strip("*.") for pattern in patterns), entry.id


def test_every_allow_belongs_to_the_command(entries: dict[str, Entry], security: dict[str, Any]) -> None:
    allows = {
        entry.id
        for entry in entries.values()
        if entry.kind == "security.policy" and entry.fields["policy"]["effect"] == "allow"  # type: ignore[index,call-overload]
    }
    assert allows == set(security["policies"])


def test_the_shipped_table_holds_with_its_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    code = run_command_line(
        ["policy", "test", str(ROOT / "src/policies.test.yaml"), "--project", str(ROOT), "--json"]
    )
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert len(rows) == sum(len(requests) for requests in TABLE.values())
    assert all(row["ok"] for row in rows)
    assert all(row["reasons"] for row in rows if row["decision"] != "undefined")
