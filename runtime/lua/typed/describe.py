"""The types of a file as the Lua table that `kernel/types.lua` reads.

Each type is one row `{kind, ...}`; a row names others by their number, so a type may contain itself. Generics
are instantiated here. A name that no type of the file has is a value that the statement passes along.
"""

from __future__ import annotations

import re
from collections import deque

from runtime.lua.typed.nodes import Expression, Name, TypeAlias
from runtime.lua.typed.scopes import Binding, Scope
from runtime.lua.typed.tokens import Source
from runtime.lua.typed.type_nodes import (
    ArrayType,
    FunctionType,
    Generic,
    IntersectionType,
    LiteralType,
    NamedType,
    OptionalType,
    ReadonlyType,
    RecordType,
    Type,
    TypeOf,
    UnionType,
    ValidatedType,
    VariadicType,
)

MAX_ROWS = 20_000
MAX_EXPANSIONS = 64  # of one generic type within itself
_PRIMITIVES = frozenset(
    re.findall(
        r"\S+", "string integer number boolean any unknown never nil table function thread userdata error"
    )
)
_BREAK = re.compile(r"\\(?:\r\n|\n\r|\n|\r)|\\z\s*|\\(?s:.)")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\0": "\\0"}

Bindings = dict[str, int]


class Describer:
    """Numbers the types of one file. `slots` of a row are the names of the values that it needs."""

    def __init__(self, source: Source, binding: Binding) -> None:
        self._source = source
        self._binding = binding
        self._rows: list[str] = []
        self._slots: list[set[str]] = []
        self._edges: list[list[int]] = []
        self._known: dict[object, int] = {}
        self._expansions: dict[int, int] = {}
        self._freeing: set[int] = set()  # type parameters whose constraint is being read
        self._later: deque[tuple[int, TypeAlias, Scope, Bindings]] = deque()

    def alias(self, alias: TypeAlias) -> int:
        """Return the row of a `type` statement."""
        scope = self._binding.aliases[alias.at]
        return self._settle(self._alias(alias, scope, self._free(alias.generics, scope)))

    def variable(self, name: Expression) -> int | None:
        """Return the row of the type of a variable that has one, else None."""
        found = self._binding.variables.get(name.at)
        return None if found is None else self._settle(self._row(found[0], found[1], {}))

    def slots(self, row: int) -> list[str]:
        """Return the names of the values that the type `row` needs, in the order in which they are passed."""
        seen, stack, names = {row}, [row], set[str]()
        while stack:
            each = stack.pop()
            names |= self._slots[each - 1]
            fresh = [edge for edge in self._edges[each - 1] if edge not in seen]
            seen.update(fresh)
            stack.extend(fresh)
        return sorted(names)

    def table(self) -> str:
        """Return all rows as the text of one Lua table, on one line."""
        return "{" + ",".join(self._rows) + "}"

    def _settle(self, row: int) -> int:
        while self._later:
            place, alias, scope, bindings = self._later.popleft()
            row_of_type = self._row(alias.type, scope, bindings)
            self._fill(place, f'{{"alias",{_quoted(alias.name)},{row_of_type}}}', [row_of_type])
        return row

    def _free(self, generics: list[Generic], scope: Scope) -> Bindings:
        """What type parameters are where nobody gives them: their constraint, else any."""
        bindings = {}
        for each in generics:
            if each.constraint is None or each.at in self._freeing:
                bindings[each.name] = self._primitive("any")
                continue
            self._freeing.add(each.at)
            bindings[each.name] = self._row(each.constraint, scope, {})
            self._freeing.discard(each.at)
        return bindings

    def _alias(self, alias: TypeAlias, scope: Scope, bindings: Bindings) -> int:
        key = (alias.at, tuple(sorted(bindings.items())))
        row = self._known.get(key)
        if row is None:
            times = self._expansions[alias.at] = self._expansions.get(alias.at, 0) + 1
            if alias.generics and times > MAX_EXPANSIONS:
                return self._primitive("any")
            row = self._known[key] = self._reserve(alias.at)
            self._later.append((row, alias, scope, bindings))
        return row

    def _reserve(self, at: int) -> int:
        if len(self._rows) >= MAX_ROWS:
            raise self._source.error(f"more than {MAX_ROWS} types in one file: split it into libraries", at)
        self._rows.append("false")
        self._slots.append(set())
        self._edges.append([])
        return len(self._rows)

    def _fill(self, row: int, text: str, edges: list[int]) -> int:
        self._rows[row - 1], self._edges[row - 1] = text, edges
        return row

    def _add(self, at: int, text: str, edges: list[int] | None = None) -> int:
        return self._fill(self._reserve(at), text, edges or [])

    def _primitive(self, name: str) -> int:
        row = self._known.get(name)
        if row is None:
            row = self._known[name] = self._add(0, f'{{"{name}"}}')
        return row

    def _row(self, type_: Type, scope: Scope, bound: Bindings) -> int:
        match type_:
            case NamedType():
                return self._named(type_, scope, bound)
            case LiteralType(at, text):
                return self._primitive("nil") if text == "nil" else self._add(at, _literal_row(text))
            case ArrayType(at, element):
                row = self._row(element, scope, bound)
                return self._add(at, f'{{"array",{row}}}', [row])
            case OptionalType(at, inner):
                row = self._row(inner, scope, bound)
                return self._add(at, f'{{"optional",{row}}}', [row])
            case ReadonlyType(_, inner) | VariadicType(_, inner):
                return self._row(inner, scope, bound)
            case UnionType(at, members):
                return self._list(at, "union", members, scope, bound)
            case IntersectionType(at, members):
                return self._list(at, "intersection", members, scope, bound)
            case RecordType():
                return self._record(type_, scope, bound)
            case FunctionType():
                return self._function(type_, scope, bound)
            case ValidatedType():
                return self._validated(type_, scope, bound)
            case TypeOf(at, value):
                return self._typeof(at, value)

    def _named(self, named: NamedType, scope: Scope, bound: Bindings) -> int:
        if named.name in bound:
            return bound[named.name]
        found = scope.type(named.name)
        if found is None:
            if named.name in _PRIMITIVES:
                return self._primitive(named.name)
            return self._outside(named)
        declared, home = found
        if isinstance(declared, Generic):
            return self._primitive("any")
        bindings = self._free(declared.generics, home)
        for generic, argument in zip(declared.generics, named.arguments, strict=False):
            bindings[generic.name] = self._row(argument, scope, bound)
        return self._alias(declared, home, bindings)

    def _outside(self, named: NamedType) -> int:
        parts = named.name.split(".")
        row = self._add(named.at, f'{{"outside",{",".join(_quoted(part) for part in parts)}}}')
        self._slots[row - 1].add(parts[0])
        return row

    def _validated(self, type_: ValidatedType, scope: Scope, bound: Bindings) -> int:
        row = self._row(type_.inner, scope, bound)
        rules = [f'{{"{each.name}",{",".join(map(_value, each.arguments))}}}' for each in type_.validators]
        return self._add(type_.at, f'{{"validated",{row},{{{",".join(rules)}}}}}', [row])

    def _list(self, at: int, kind: str, members: list[Type], scope: Scope, bound: Bindings) -> int:
        rows = [self._row(member, scope, bound) for member in members]
        return self._add(at, f'{{"{kind}",{_numbers(rows)}}}', rows)

    def _record(self, record: RecordType, scope: Scope, bound: Bindings) -> int:
        rest = [self._row(each, scope, bound) for each in (record.key, record.value) if each is not None]
        if rest and not record.fields:
            return self._add(record.at, f'{{"map",{rest[0]},{rest[1]}}}', rest)
        rows = [self._row(each.type, scope, bound) for each in record.fields]
        fields = [
            f"{{{_quoted(each.name)},{row},{'true' if each.optional else 'false'}}}"
            for each, row in zip(record.fields, rows, strict=True)
        ]
        tail = f",{rest[0]},{rest[1]}" if rest else ""
        return self._add(record.at, f'{{"record",{{{",".join(fields)}}}{tail}}}', [*rows, *rest])

    def _function(self, function: FunctionType, scope: Scope, bound: Bindings) -> int:
        inner = {**bound, **self._free(function.generics, scope)}
        parameters = [self._row(each, scope, inner) for _, each in function.parameters]
        returns = [self._row(each, scope, inner) for each in function.returns]
        text = f'{{"function",{_numbers(parameters)},{_numbers(returns)}}}'
        return self._add(function.at, text, [*parameters, *returns])

    def _typeof(self, at: int, value: object) -> int:
        if not isinstance(value, Name):
            return self._primitive("any")
        found = self._binding.variables.get(value.at)
        if found is not None:
            return self._row(found[0], found[1], {})
        row = self._add(at, f'{{"shape",{_quoted(value.name)}}}')
        self._slots[row - 1].add(value.name)
        return row


def _numbers(rows: list[int]) -> str:
    return "{" + ",".join(map(str, rows)) + "}"


def _literal_row(text: str) -> str:
    return f'{{"literal",{_value(text)}}}'


def _value(text: str) -> str:
    """Return a constant as Lua writes it on one line."""
    if text[0] not in "[\"'":
        return text
    if text[0] == "[":
        level = text.index("[", 1) + 1
        return _quoted(re.sub(r"\A(?:\r\n|\n\r|\n|\r)", "", text[level:-level]))
    return _BREAK.sub(_on_one_line, text)


def _on_one_line(match: re.Match[str]) -> str:
    found = match.group()
    if found[1] == "z":
        return ""
    return "\\n" if found[1] in "\r\n" else found


def _quoted(text: str) -> str:
    text = re.sub(r"\r\n|\n\r|\r", "\n", text)
    return '"' + "".join(_ESCAPED.get(letter, letter) for letter in text) + '"'
