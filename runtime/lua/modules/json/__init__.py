"""The module `json`: JSON text to Lua values and back, and JSON Schema checks."""

from __future__ import annotations

from runtime.core.values import Value
from runtime.lua.module import module_from_folder
from runtime.lua.modules.json.decode import decode_for_lua
from runtime.lua.modules.json.encode import encode


def _validate(schema: Value, data: Value) -> Value:
    from runtime.lua.modules.json.schema import validate  # jsonschema is heavy

    return validate(schema, data)


def _validate_string(schema: Value, text: Value) -> Value:
    from runtime.lua.modules.json.schema import validate_string

    return validate_string(schema, text)


MODULE = module_from_folder(
    __file__,
    functions={
        "encode": encode,
        "decode": decode_for_lua,
        "validate": _validate,
        "validate_string": _validate_string,
    },
    page="lua/data/json",
    summary="JSON text to tables and back, and checks against a JSON Schema.",
    classes=("encoding", "deterministic"),
)
