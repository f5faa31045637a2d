"""The ambient module `payload`: a value together with the name of its format, and its other formats."""

from __future__ import annotations

import json

from runtime.core.errors import Internal
from runtime.core.values import Value
from runtime.core.wire import pack, unpack
from runtime.lua.module import module_from_folder
from runtime.lua.modules.json.decode import decode as decode_json

JSON = "json/plain"
YAML = "yaml/plain"
STRING = "text/plain"
BYTES = "application/octet-stream"
MSGPACK = "application/msgpack"


def encode(value: Value, form: str) -> Value:
    """Return `value` in the format `form`; raise Internal where it has no such form."""
    if form == MSGPACK:
        return pack(value)
    if form == YAML and isinstance(value, dict | list):
        from runtime.lua.modules import yaml  # a jailed child starts faster without it

        return yaml.encode(value)
    if form in (JSON, YAML):
        try:
            return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise Internal(f"value has no form as {form}: {error}", retryable=False) from None
    if form in (STRING, BYTES) and isinstance(value, str | bytes):
        return value
    raise Internal(f"a {_name(value)} has no form as {form}", retryable=False)


def decode(data: Value, form: str) -> Value:
    """Return the value that `data` is in the format `form`; raise Internal where it is none."""
    if form == MSGPACK:
        raw = data.encode("utf-8") if isinstance(data, str) else data
        value = unpack(raw) if isinstance(raw, bytes) else None
        if isinstance(value, None | bool | int | float | str | bytes | list | dict):
            return value
        raise Internal("MessagePack bytes hold no plain value", retryable=False)
    if form == JSON:
        return decode_json(data)
    if form == YAML:
        from runtime.lua.modules import yaml

        return yaml.decode(data)
    return data


def _name(value: Value) -> str:
    return "table" if isinstance(value, dict | list) else type(value).__name__


MODULE = module_from_folder(
    __file__,
    functions={"encode": encode, "decode": decode},
    page="lua/data/payload",
    summary="Values with a format: what messages and futures carry.",
    ambient=True,
    classes=("encoding",),
)
