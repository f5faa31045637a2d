"""The arguments for a tool are filled in by its own schema: what a property means is read from its name."""

from __future__ import annotations

import re
from typing import Any

from runtime.core.values import Value
from runtime.llm.offline.intent import Intent
from runtime.llm.request import Tool

_NAMES = {
    "text": ("text", "input", "value", "data", "string", "content", "message", "payload", "plain", "encoded"),
    "algorithm": ("algorithm", "algo", "hash", "method", "digest", "type"),
    "operation": ("operation", "op", "action", "mode", "direction", "do"),
    "zone": ("zone", "timezone", "time_zone", "tz", "location", "place"),
    "count": ("count", "n", "number", "amount", "how_many", "quantity"),
    "version": ("version", "v"),
}


def fill(intent: Intent, tool: Tool) -> tuple[dict[str, Value], str]:
    """Return the arguments for `tool` and nothing, or no arguments and why it can not do what is asked."""
    properties: Any = tool.schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    arguments: dict[str, Value] = {}
    for role, value, needed in _wanted(intent, tool):
        name = _property(role, properties, tool.schema.get("required"))
        if name is None and role == "text" and not properties:
            name = "text"  # without a schema the field's own word
        if name is None:
            if needed:
                return {}, f"the tool `{tool.name}` has no input for the {role}"
            continue
        chosen = _choose(value, properties.get(name))
        if chosen is None:
            return {}, f"the tool `{tool.name}` does not know the {role} `{value!s}`"
        arguments[name] = chosen
    return arguments, ""


def _wanted(intent: Intent, tool: Tool) -> list[tuple[str, Value, bool]]:
    """Return (role, value, whether the task fails without it) for what the user said."""
    words = f"{tool.name} {tool.description}".lower()
    if intent.kind == "time":
        return [("zone", intent.zone, True)] if intent.zone else []
    if intent.kind == "hash":
        known = re.sub(r"[-_]", "", words)
        needed = intent.algorithm not in ("", "sha256") and intent.algorithm not in known
        algorithm: list[tuple[str, Value, bool]] = (
            [("algorithm", intent.algorithm, needed)] if intent.algorithm else []
        )
        return [("text", intent.text, True), *algorithm]
    if intent.kind == "base64":
        needed = intent.operation == "decode" and "decod" not in words
        return [("text", intent.text, True), ("operation", intent.operation, needed)]
    wanted: list[tuple[str, Value, bool]] = [("count", intent.count, intent.count > 1)]
    return [*wanted, ("version", intent.version, True)] if intent.version else wanted


def _property(role: str, properties: dict[str, Any], required: Any) -> str | None:
    plain = {name.lower(): name for name in properties}
    for name in _NAMES[role]:
        if name in plain:
            return plain[name]
    if role == "operation":
        return next((name for word, name in plain.items() if word in ("decode", "encode")), None)
    if role != "text":
        return next(
            (n for n in properties if any(word in n.lower().split("_") for word in _NAMES[role])), None
        )
    texts = [n for n, schema in properties.items() if _is_free_text(schema)]
    needed = [name for name in texts if isinstance(required, list) and name in required]
    return next(iter(needed or texts), None)


def _is_free_text(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and "enum" not in schema


def _choose(value: Value, schema: Any) -> Value:
    """Return `value` as the schema writes it, None where it is not among its choices."""
    if not isinstance(schema, dict):
        return value
    choices = schema.get("enum")
    if isinstance(choices, list):
        return next((choice for choice in choices if _same(choice, value)), None)
    if schema.get("type") == "boolean":
        return value == "decode"
    if schema.get("type") in ("integer", "number") and isinstance(value, str):
        return int(value) if value.isdigit() else None
    return str(value) if schema.get("type") == "string" and isinstance(value, int) else value


def _same(choice: Any, value: Value) -> bool:
    return re.sub(r"[-_ ]|^v", "", str(choice).lower()) == re.sub(r"[-_ ]|^v", "", str(value).lower())
