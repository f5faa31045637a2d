"""A plain evaluator of policies, written from the documented rules and sharing no code with the runtime.

It is slow and obvious on purpose: what it says, casbin and the cache must say too.
"""

import re

DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def decide(entries, ids, actor, action, resource, meta):
    """Return (result, deciding ids) of the policies `ids` among `entries` {id: data}."""
    said = {"allow": [], "deny": []}
    for each in sorted(set(ids) & set(entries)):
        rule = entries[each]["policy"]
        if matched(rule["actions"], action) and matched(rule["resources"], resource):
            request = {"actor": {"id": actor[0], "meta": actor[1]}, "action": action, "resource": resource}
            if applies(rule, request, meta):
                said[rule["effect"]].append(each)
    if said["deny"]:
        return "deny", said["deny"]
    if said["allow"] and set(ids) <= set(entries):
        return "allow", said["allow"]
    return "undefined", []


EXPRESSIONS = {
    "true": lambda request, meta: True,
    "1": lambda request, meta: False,
    'actor.id == "app"': lambda request, meta: request["actor"]["id"] == "app",
    'action in ["doc", "run"]': lambda request, meta: request["action"] in ("doc", "run"),
    'resource startsWith "app" and not (resource contains ":")': lambda request, meta: (
        request["resource"].startswith("app") and ":" not in request["resource"]
    ),
    'meta["some.key"] != nil': lambda request, meta: meta.get("some.key") is not None,
    "meta.a == true || meta.a == 1": lambda request, meta: (
        meta.get("a") is True or (type(meta.get("a")) in (int, float) and meta["a"] == 1)
    ),
    "meta.a > 1": lambda request, meta: type(meta.get("a")) in (int, float) and meta["a"] > 1,
    "len(meta.a) > 1": lambda request, meta: isinstance(meta.get("a"), list | str) and len(meta["a"]) > 1,
    'actor.meta.in?.side == "admin"': lambda request, meta: (
        request["actor"]["meta"].get("in", {}).get("side") == "admin"
    ),
}
"""What each expression that is drawn means, said in Python; what fails in the one is False in the other."""


def applies(rule, request, meta):
    if "expression" in rule:
        return EXPRESSIONS[rule["expression"]](request, meta)
    return all(holds(condition, request, meta) is True for condition in rule.get("conditions", []))


def matched(patterns, value):
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        cut = pattern[:-2] if pattern.endswith(".*") and pattern != ".*" else pattern[:-1]
        if pattern == value or (pattern.endswith("*") and value[: len(cut)] == cut):
            return True
    return False


def holds(condition, request, meta):
    """Return True, False, or None where the comparison has no meaning."""
    operator = condition["operator"]
    left = read(condition["field"], request, meta)
    right = condition["value"] if "value" in condition else read(condition["value_from"], request, meta)
    if operator in ("exists", "nexists"):
        if not isinstance(right, bool):
            return None if left is None else operator == "exists"
        return ((left is not None) == right) == (operator == "exists")
    if left is None:
        return False
    positive = {"ne": "eq", "nin": "in", "ncontains": "contains", "nmatches": "matches"}.get(
        operator, operator
    )
    answer = compare(positive, left, right)
    return answer if answer is None or positive == operator else not answer


def read(path, request, meta):
    first, *rest = path.split(".")
    if first not in ("actor", "action", "resource", "meta"):
        return meta.get(path)
    value = meta if first == "meta" else request[first]
    for key in rest:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def compare(operator, left, right):
    if operator == "eq":
        return equal(left, right)
    if operator in ("lt", "lte", "gt", "gte"):
        a, b = as_number(left), as_number(right)
        if a is None or b is None:
            return None
        return {"lt": a < b, "lte": a <= b, "gt": a > b, "gte": a >= b}[operator]
    if operator == "in":
        if not isinstance(right, list | str):
            return None
        return any(equal(left, each) for each in ([right] if isinstance(right, str) else right))
    if operator == "contains":
        if as_text(left) is not None and as_text(right) is not None:
            return as_text(right) in as_text(left)
        return any(equal(each, right) for each in left) if isinstance(left, list) else no_unless_text(left)
    return None if as_text(left) is None else re.search(right, as_text(left)) is not None


def equal(left, right):
    if as_number(left) is not None and as_number(right) is not None:
        return as_number(left) == as_number(right)
    if as_text(left) is not None or as_text(right) is not None:
        return as_text(left) == as_text(right)
    return repr(left) == repr(right) and left is not None


def no_unless_text(value):
    return False if isinstance(value, str) else None


def as_number(value):
    if isinstance(value, str):
        return float(value) if DECIMAL.fullmatch(value) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def as_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else None
