"""What a source finds around it: the libraries and modules under the names by which it knows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from runtime.lua.checker.types import ANY, Alias, Type


@dataclass(frozen=True, slots=True)
class Interface:
    """What a library or a module offers: the type of its value, and its types by name."""

    value: Type = ANY
    types: Mapping[str, Alias] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Environment:
    """The libraries and modules of a source by alias; `entry` is the id that its findings carry.

    An alias that is not there is `any`: nothing is said about it.
    """

    aliases: Mapping[str, Interface] = field(default_factory=dict)
    entry: str = ""
