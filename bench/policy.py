"""What a decision costs, beside raw pycasbin in the same run: `python -m bench.policy [--rounds N] [--json]`.

A scope of five policies decides, with 5 to 10,000 other policies loaded beside it. Measured are a kept
decision, and one of a scope that reads a field of the request; one that casbin must make; raw pycasbin with
its stock effector over the scope's own five rows, and over all rows; a change of one policy of the scope
until the first decision under it; and a whole rebuild. The promises: kept within 1 us, made within twice raw
pycasbin over the scope's own rows, a change within 1,000 us.
Figures are medians over rounds in which the measurements take turns, so that the load of the machine falls on
all of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import casbin

from runtime.core.values import Value
from runtime.registry.entry import Entry
from runtime.security.actor import Actor, Scope
from runtime.security.enforcer import CasbinEnforcer
from runtime.security.engine import Engine
from runtime.security.model import shipped_model
from runtime.security.patterns import Filter

OUTSIDE = (5, 100, 1_000, 10_000)
OWN = 5
ACTOR = Actor("app:agent")
REQUEST = ("registry.get", "app:x")
META = {"kind": "function.lua", "op": "create"}


def policy(name: str, effect: str, action: str) -> Entry:
    rule: Value = {"actions": [action, "funcs.call"], "resources": ["app:*", "app.tools:*"], "effect": effect}
    return Entry(f"bench:{name}", "security.policy", {}, {"policy": rule})


def reading() -> Entry:
    """Return a policy whose condition reads what the request says of itself."""
    condition: Value = {"field": "meta.kind", "operator": "eq", "value": "library.lua"}
    rule: Value = {
        "actions": ["registry.get"],
        "resources": ["*"],
        "effect": "deny",
        "conditions": [condition],
    }
    return Entry("bench:reading", "security.policy", {}, {"policy": rule})


def own(action: str = "registry.get") -> list[Entry]:
    return [policy(f"own{index}", "allow", action if index == OWN - 1 else "env.get") for index in range(OWN)]


def raw_enforcer(rows: list[list[str]]) -> Any:
    """Return pycasbin as it comes: its own effector, and nothing that is learned about the rows."""
    model = casbin.Model()
    model.load_model_from_text(shipped_model())
    enforcer = casbin.Enforcer(model)
    filters = {text: Filter(text.split("\n")) for row in rows for text in row[1:3]}
    enforcer.add_function("matches", lambda value, patterns: filters[patterns].matches(value))
    enforcer.add_function("holds", lambda _policy, _facts: True)
    model["p"]["p"].policy.extend(rows)  # `add_policy` looks through all rows for each new one
    return enforcer


def seconds(work: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - start) / times


def measure(outside: int, rounds: int) -> dict[str, float]:
    scope = Scope(entry.id for entry in own())
    others = [policy(f"other{index}", "deny", "env.set") for index in range(outside)]
    kept, made = Engine(), Engine(decisions=0)
    for engine in (kept, made):
        engine.rebuild([*own(), *others])
    read, reads = Engine(), Scope([*scope, reading().id])
    read.rebuild([*own(), reading(), *others])
    own_rows = CasbinEnforcer(shipped_model(), [made.policy(each) for each in scope]).rows
    all_rows = CasbinEnforcer(shipped_model(), [made.policy(entry.id) for entry in others[:1]]).rows
    raw_own = raw_enforcer(own_rows)
    raw_all = raw_enforcer(own_rows + [[entry.id, *all_rows[0][1:]] for entry in others])
    versions = [own()[-1], own("registry.*")[-1]]
    turn = [0]

    def change() -> None:
        turn[0] += 1
        kept.update([versions[turn[0] % 2]])
        assert kept.evaluate(scope, ACTOR, *REQUEST).allowed

    works: dict[str, tuple[Callable[[], object], int]] = {
        "kept": (lambda: kept.evaluate(scope, ACTOR, *REQUEST), 2_000),
        "read": (lambda: read.evaluate(reads, ACTOR, *REQUEST, META), 2_000),
        "made": (lambda: made.evaluate(scope, ACTOR, *REQUEST), 100),
        "raw_own": (lambda: raw_own.enforce(ACTOR.id, *REQUEST, None), 100),
        "raw_all": (lambda: raw_all.enforce(ACTOR.id, *REQUEST, None), max(1, 100 // outside)),
        "change": (change, 5),
        "rebuild": (lambda: kept.rebuild([*own(), *others]), 1),
    }
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, (work, times) in works.items():
            taken[name].append(seconds(work, times) * 1e6)
    return {name: median(each) for name, each in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="one object a line")
    options = parser.parse_args()
    if not options.json:
        print("medians in microseconds; a scope of 5 policies, others loaded beside it")
        print("others     kept     read     made  raw own made/raw   raw all all/made   change  rebuild")
    for outside in OUTSIDE:
        cost = measure(outside, options.rounds)
        ratios = {
            "made_by_raw": cost["made"] / cost["raw_own"],
            "raw_all_by_made": cost["raw_all"] / cost["made"],
        }
        if options.json:
            figures = {name: round(value, 3) for name, value in {**cost, **ratios}.items()}
            print(json.dumps({"schema": "bench.policy.v1", "others": outside, **figures}))
            continue
        print(
            f"{outside:>6} {cost['kept']:>8.2f} {cost['read']:>8.2f} {cost['made']:>8.1f}"
            f" {cost['raw_own']:>8.1f} {ratios['made_by_raw']:>8.2f} {cost['raw_all']:>9.0f}"
            f" {ratios['raw_all_by_made']:>8.1f} {cost['change']:>8.0f} {cost['rebuild']:>8.0f}"
        )


if __name__ == "__main__":
    main()
