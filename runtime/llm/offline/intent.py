"""What somebody may ask for: each thing that can be rehearsed, with the values that the words carry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["time", "hash", "base64", "uuid", "registry", "replace", "delete", "other"]


@dataclass(frozen=True, slots=True)
class Intent:
    """One thing to do. Only the fields of its kind are set.

    time: `place` as said and its `zone`; hash: `text`, `algorithm` as in `sha256`; base64: `text`,
    `operation` (`encode` or `decode`); uuid: `count`, `version`; registry: `filter` and `label`; replace and
    delete: `target` (an id, a tool's name, or `prompt`).
    """

    kind: Kind
    text: str = ""
    place: str = ""
    zone: str | None = None
    algorithm: str = ""
    operation: str = ""
    count: int = 1
    version: str = ""
    filter: dict[str, str] = field(default_factory=dict, hash=False)
    label: str = ""
    target: str = ""
    at: int = field(default=0, compare=False)
