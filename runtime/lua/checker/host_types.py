"""The types of a host module, from its annotations for editors (`types.d.lua`).

Known are what its functions return and what its classes have. Arguments are not checked, and what may be nil
counts as there: a script that leaves out the check of an error is not wrong for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from runtime.core.errors import Invalid
from runtime.lua.checker.annotations import Annotations, Types
from runtime.lua.checker.builtins import gives
from runtime.lua.checker.environment import Interface
from runtime.lua.checker.types import (
    ANY,
    NIL,
    TABLE,
    Alias,
    Field,
    Function,
    Named,
    Record,
    Type,
    Union,
    union,
)
from runtime.lua.typed.parser import Parser
from runtime.lua.typed.tokens import Source, cut

_LINE = re.compile(r"---@(?P<word>\w+)\s*(?P<rest>.*)|(?P<code>[^-\s].*)")
_FUNCTION = re.compile(r"function\s+(?P<owner>[\w.]+)(?P<sign>[.:])(?P<name>\w+)\s*\(")
_LOCAL = re.compile(r"local\s+(?P<name>\w+)\s*=")
_FIELD = re.compile(r"(?P<name>\w+)\??\s+(?P<type>.*)")
_CLASS = re.compile(r"[\w.]+")


@dataclass(slots=True)
class _Class:
    """A class of the module: its fields and methods, and the alias by which types name it."""

    alias: Alias
    fields: dict[str, Type] = field(default_factory=dict)

    def record(self) -> Type:
        return Record(tuple(Field(name, each) for name, each in self.fields.items()), open=True)


def host_interface(text: str, name: str) -> Interface:
    """Return what the annotations `text` say of the module `name`; `any` where they say nothing."""
    return _Reader(name).read(text)


class _Reader:
    """Reads one file of annotations, line by line. A type that is not understood is `any`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._classes: dict[str, _Class] = {}
        self._locals: dict[str, str] = {}  # the name of a local of the file -> its class
        self._types = Types()
        self._reader = Annotations(self._of_module, lambda _: ANY)

    def read(self, text: str) -> Interface:
        current = ""
        returns: list[Type] = []
        lines = list(_lines(text))
        for match in lines:  # classes first: a function may return one that stands further down
            if match["word"] == "class" and (found := _CLASS.match(match["rest"])):
                self._declare(found.group())
        for match in lines:
            word, rest = match["word"], match["rest"]
            if word == "class" and (found := _CLASS.match(rest)):
                current = found.group()
            elif word == "field" and current in self._classes and (found := _FIELD.match(rest)):
                self._classes[current].fields[found["name"]] = self._type(found["type"])
            elif word == "return":
                returns.append(_there(self._type(rest)))
            elif match["code"]:
                self._code(match["code"], current, returns)
                returns = []
        return self._interface()

    def _declare(self, name: str) -> None:
        made = _Class(Alias(name))
        made.alias.read = made.record
        self._classes[name] = made
        self._types.names[name.rpartition(".")[2]] = made.alias

    def _code(self, code: str, current: str, returns: list[Type]) -> None:
        if local := _LOCAL.match(code):
            self._locals[local["name"]] = current
        elif function := _FUNCTION.match(code):
            owner = self._classes.get(self._locals.get(function["owner"], function["owner"]))
            if owner is not None:
                known = bool(returns) and not any(each == ANY for each in returns[:1])
                result: Type = gives(*returns) if known else Function((), ANY, None, annotated=False)
                owner.fields[function["name"]] = result

    def _interface(self) -> Interface:
        module = self._classes.get(self._name)
        types = {
            name.rpartition(".")[2]: each.alias for name, each in self._classes.items() if name != self._name
        }
        return Interface(ANY if module is None else module.record(), types)

    def _of_module(self, _base: str) -> dict[str, Alias]:
        return {name.rpartition(".")[2]: each.alias for name, each in self._classes.items()}

    def _type(self, text: str) -> Type:
        """Return the type that `text` begins with; a name and a comment may follow it."""
        try:
            parser = Parser(cut(Source(text.replace("`", " "), self._name)))
            node = parser.type_()
            if parser.kind in ("(", "<", "[", "."):  # `fun(...)` and what else editors know
                return ANY
        except (Invalid, RecursionError):
            return ANY
        found = self._reader.read(node, self._types)
        if isinstance(found, Named) or found != ANY:
            return found
        return TABLE if text.startswith("table<") else ANY


def _there(found: Type) -> Type:
    """Return the type without nil; no name in it is opened, for its class may not be read to its end."""
    if not isinstance(found, Union):
        return found
    return union(member for member in found.members if member != NIL)


def _lines(text: str) -> Iterator[re.Match[str]]:
    for line in text.splitlines():
        if match := _LINE.match(line.strip()):
            yield match
