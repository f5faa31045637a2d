"""The settings that exist: type, default and, for those that guard the person, what is stricter.

Sections of the peer that this runtime does not act on are accepted and kept, so that its projects load.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from runtime.core.values import Value

Type = Literal["boolean", "integer", "number", "string", "duration", "list", "map"]
Stricter = Callable[[Any, Any], bool]

_DURATION = re.compile(r"(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+|0")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_LARGEST = 2**63
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Key:
    """One setting; `stricter(new, old)` tells whether a project may replace `old` by `new` (None: always).

    A list is one of texts, and a number is finite and fits into 64 bits.
    """

    type: Type
    default: Value = None
    stricter: Stricter | None = None
    choices: tuple[str, ...] = ()

    def accepts(self, value: Value) -> bool:
        """Whether `value` has the type of this setting and is one of its choices."""
        if self.choices:
            return value in self.choices
        match self.type:
            case "boolean":
                return isinstance(value, bool)
            case "integer":
                return isinstance(value, int) and _is_number(value)
            case "number":
                return _is_number(value)
            case "duration":
                return isinstance(value, str) and bool(_DURATION.fullmatch(value))
            case "list":
                return isinstance(value, list) and all(isinstance(item, str) for item in value)
            case "map":
                return isinstance(value, dict)
            case _:
                return isinstance(value, str)

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.choices:
            return " or ".join(f"`{choice}`" for choice in self.choices)
        names = {
            "boolean": "`true` or `false`",
            "duration": "a duration such as `30s`",
            "integer": "an integer",
            "list": "a list of texts",
        }
        return names.get(self.type, f"a {self.type}")


def _is_number(value: Value) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -_LARGEST < value < _LARGEST


def seconds(duration: str) -> float:
    """Return a duration such as `1m30s` in seconds."""
    return sum(float(amount) * _SECONDS[unit] for amount, unit in _PART.findall(duration))


def _only(value: Value) -> Stricter:
    return lambda new, _old: new == value


def _at_most(new: Any, old: Any) -> bool:
    return old is None or bool(new <= old)


def _not_longer(new: Any, old: Any) -> bool:
    return old is None or seconds(new) <= seconds(old)


def _part_of(new: Any, old: Any) -> bool:
    return all(item in old for item in new)


def _never(_new: Any, _old: Any) -> bool:
    return False


PURE_MODULES: tuple[str, ...] = ("time", "json", "expr", "text", "base64", "yaml", "hash", "uuid")

KNOWN: dict[str, Key] = {
    "logger.mode": Key("string", "production", choices=("production", "development")),
    "logger.level": Key("string", "info", choices=("debug", "info", "warn", "error")),
    "logger.encoding": Key("string", "console", choices=("console", "json")),
    "logmanager.propagate_downstream": Key("boolean", True),
    "logmanager.stream_to_events": Key("boolean", False),
    "logmanager.min_level": Key("integer", -1),
    "security.strict_mode": Key("boolean", True, _only(True)),
    "evolution.mode": Key("string", "governed", _only("governed"), ("governed", "direct")),
    "evolution.unattended": Key("list", list(PURE_MODULES), _part_of),
    "evolution.always": Key("boolean", True, _only(True)),
    "jail.level": Key("string", None, _only("full"), ("full", "basic")),
    "reload.settle": Key("duration", "50ms"),
    "llm.default_provider": Key("string", None),
    "llm.api": Key("string", "auto", choices=("auto", "responses", "chat")),
    "llm.base_url": Key("string", None, _never),
    "llm.context_window": Key("integer", None),
    "llm.local.model": Key("string", None),
    "limits.cost": Key("number", 1.0, _at_most),
    "limits.steps": Key("integer", 40, _at_most),
    "limits.tool_calls": Key("integer", None, _at_most),
    "limits.tokens": Key("integer", None, _at_most),
    "limits.time": Key("duration", None, _not_longer),
    "journal.keep": Key("duration", None),
    "loader.lenient": Key("boolean", False),
    "registry.enable_history": Key("boolean", True),
    "registry.history_type": Key("string", "sqlite", choices=("memory", "sqlite", "nil")),
    "registry.history_path": Key("string", None),
    "registry.event_wait_timeout": Key("duration", "30s"),
    "registry.dependency_resolve_timeout": Key("duration", None),
    "registry.dependency_download_timeout": Key("duration", None),
    "relay.node_name": Key("string", None),
    "supervisor.host.buffer_size": Key("integer", 1024),
    "supervisor.host.worker_count": Key("integer", 16),
    "functions.host.buffer_size": Key("integer", 1024),
    "functions.host.worker_count": Key("integer", 16),
    "lua.proto_cache_size": Key("integer", 60_000),
    "lua.main_cache_size": Key("integer", 10_000),
    "lua.type_system.enabled": Key("boolean", False),
    "lua.type_system.strict": Key("boolean", False),
    "shutdown.timeout": Key("duration", "30s"),
    "override": Key("map", {}),
    "disable.namespaces": Key("list", []),
    "disable.entries": Key("list", []),
    "disable.meta": Key("map", {}),
}

NOT_IN_FORCE: frozenset[str] = frozenset(
    {"evolution.mode", "evolution.always", "journal.keep", "llm.api", "llm.base_url", "llm.local.model"}
    | {key for key in KNOWN if key.startswith(("limits.", "supervisor.host.", "functions.host."))}
)
"""Settings that nothing reads yet: whoever sets one is told so, since a limit that is not there misleads."""

INERT_SECTIONS: frozenset[str] = frozenset(
    {"profiler", "finder", "otel", "metrics", "prometheus", "cluster", "temporal", "profiles", "vars"}
    | {"lua.expr", "lua.json", "lua.cache"}
)
