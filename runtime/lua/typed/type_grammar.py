"""The grammar of types: unions of intersections of types with their postfixes (`?`, `[]`, `@validator`)."""

from __future__ import annotations

from runtime.core.errors import Invalid
from runtime.lua.typed.cursor import Cursor, TooDeep
from runtime.lua.typed.tokens import Tokens
from runtime.lua.typed.type_nodes import (
    ArrayType,
    FieldType,
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
    Validator,
    VariadicType,
)

TYPE_STARTS = frozenset({"name", "{", "(", "string", "number", "-", "true", "false", "nil", "function", "<"})
_TYPE_ENDS = frozenset({",", ")", "}", "=", "]", ">", ";"})  # behind a name they end a type, whatever it is
_OPERANDS = frozenset({"name", "number", "string", "{", "-", "#", "not", "~", "nil", "true", "false"})
VALIDATORS = {"min": "number", "max": "number", "min_len": "number", "max_len": "number", "pattern": "string"}
"""The validators there are, each with the kind of its one argument."""
_CONSTANTS = frozenset({"string", "number", "true", "false", "nil"})


class TypeGrammar(Cursor):
    """Reads types; the spans of a whole annotation are marked by those who ask for a type."""

    casting = False  # the type of a cast: `<` behind it may be a comparison
    local = False  # the type of a local: `<const>` behind it is its attribute

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        self._no_lists: set[int] = set()  # where `<` behind the type of a cast was no list of types

    def type_(self) -> Type:
        """Read a type; a union may begin with `|`."""
        i = self.i
        if self.kinds[i] == "name" and self.kinds[i + 1] in _TYPE_ENDS:
            self.i = i + 1
            return NamedType(self.starts[i], self.texts[i], [])
        self.enter()
        start = self.starts[self.i]
        self.accept("|")
        members = [self._intersection()]
        while self.accept("|"):
            members.append(self._intersection())
        self.depth -= 1
        return members[0] if len(members) == 1 else UnionType(start, members)

    def return_types(self) -> list[Type]:
        """Read what follows the colon of a function: one type, some with commas, or a list in parentheses."""
        types = self._return_item()
        while self.kinds[self.i] == ",":
            self.i += 1
            types.extend(self._return_item())
        return types

    def type_parameters(self) -> list[Generic]:
        """Read `<T, U: Base>` where it stands."""
        opened = self.starts[self.i]
        if not self.accept("<"):
            return []
        found = []
        while True:
            at = self.starts[self.i]
            name = self.name("the name of a type parameter")
            found.append(Generic(at, name, self.type_() if self.accept(":") else None))
            if not self.accept(","):
                break
        self.close_angle(opened)
        return found

    def _return_item(self) -> list[Type]:
        at = self.starts[self.i]
        if self.accept("..."):
            return [VariadicType(at, self.type_())]
        if self.kinds[self.i] == "(":
            found = self._parenthesised(many=True)
            if isinstance(found, list):
                return found
            return [self._finish(found, at)]
        return [self.type_()]

    def _finish(self, first: Type, at: int) -> Type:
        """Read the rest of a type whose first part in parentheses is there."""
        first = self._postfix(first)
        if self.kinds[self.i] == "&":
            members = [first]
            while self.accept("&"):
                members.append(self._postfix(self._primary()))
            first = IntersectionType(at, members)
        if self.kinds[self.i] == "|":
            members = [first]
            while self.accept("|"):
                members.append(self._intersection())
            first = UnionType(at, members)
        return first

    def _intersection(self) -> Type:
        start = self.starts[self.i]
        self.accept("&")
        members = [self._postfix(self._primary())]
        while self.accept("&"):
            members.append(self._postfix(self._primary()))
        return members[0] if len(members) == 1 else IntersectionType(start, members)

    def _postfix(self, inner: Type) -> Type:
        while True:
            kind = self.kinds[self.i]
            if kind == "?":
                self.i += 1
                inner = OptionalType(inner.at, inner)
            elif kind == "[" and self.peek() == "]":
                self.i += 2
                inner = ArrayType(inner.at, inner)
            elif kind == "@":
                inner = ValidatedType(inner.at, inner, self._validators())
            else:
                return inner

    def _primary(self) -> Type:
        kind, at = self.kinds[self.i], self.starts[self.i]
        if kind == "name":
            return self._named()
        if kind == "{":
            return self._table()
        if kind in ("(", "<"):
            found = self._parenthesised(many=False)
            return found[0] if isinstance(found, list) else found
        if kind in ("string", "number", "true", "false", "nil", "-"):
            return LiteralType(at, self.literal())
        if kind == "function":
            self.i += 1
            return NamedType(at, "function", [])
        return self.fail("expected a type")

    def literal(self) -> str:
        """Read a constant and return it as Lua writes it."""
        minus = "-" if self.accept("-") else ""
        if self.kinds[self.i] not in (("number",) if minus else _CONSTANTS):
            self.fail("expected a number behind `-`" if minus else "expected a constant")
        self.i += 1
        return minus + self.texts[self.i - 1]

    def _named(self) -> Type:
        at, name = self.starts[self.i], self.texts[self.i]
        self.i += 1
        kind = self.kinds[self.i]
        if name == "typeof" and kind == "(":
            self.i += 1
            value = self.expression()
            self.close(")", at, "typeof(")
            return TypeOf(at, value)
        if name == "readonly" and kind in TYPE_STARTS and kind != "<":
            return ReadonlyType(at, self._postfix(self._primary()))
        while self.accept("."):
            name += "." + self.name("the name of a type behind `.`")
        return NamedType(at, name, self._arguments())

    def _arguments(self) -> list[Type]:
        if self.kinds[self.i] != "<":
            return []
        if self.local and self._is_attribute():
            return []
        if self.casting:
            return self._maybe_arguments()
        return self._type_arguments()

    def _type_arguments(self) -> list[Type]:
        opened = self.starts[self.i]
        self.i += 1
        found = [self.type_()]
        while self.accept(","):
            found.append(self.type_())
        self.close_angle(opened)
        return found

    def _is_attribute(self) -> bool:
        return self.peek(2) == ">" and (self.is_word("const", 1) or self.is_word("close", 1))

    def _maybe_arguments(self) -> list[Type]:
        """Behind the type of a cast `<` opens a list only where one ends and no operand follows it.

        Where it does not, the same tokens are read again as operands. What did not open a list once never
        does, so a token is read at most once more for each level of nesting, and those are bounded.
        """
        mark, start = self.mark(), self.i
        if start in self._no_lists:
            return []
        self.casting = False
        try:
            found = self._type_arguments()
            if self.kinds[self.i] in _OPERANDS and self._on_line_of_last(self.starts[self.i]):
                found = []
        except TooDeep:
            raise
        except Invalid:
            found = []
        self.casting, self.local = True, False
        if not found:
            self._no_lists.add(start)
            self.rewind(mark)
        return found

    def _table(self) -> Type:
        opened = self.starts[self.i]
        self.i += 1
        record = RecordType(opened, [], None, None)
        while self.kinds[self.i] != "}":
            if self._is_field():
                self._field(record)
            elif self.kinds[self.i] == "[":
                self._map_part(record)
            elif record.fields or record.key:
                self.fail("expected a field `name: type` or `}`")
            else:
                element = self.type_()
                self.accept(",")
                self.close("}", opened, "{")
                return ArrayType(opened, element)
            if not self.accept(",") and not self.accept(";"):
                break
        self.close("}", opened, "{")
        return record

    def _is_field(self) -> bool:
        kind, following = self.kinds[self.i], self.peek()
        if kind == "name" and self.texts[self.i] == "readonly" and following == "name":
            return self.peek(2) == ":" or (self.peek(2) == "?" and self.peek(3) == ":")
        word = kind in ("name", "string") or self.texts[self.i].isalpha()
        return word and (following == ":" or (following == "?" and self.peek(2) == ":"))

    def _field(self, record: RecordType) -> None:
        at = self.starts[self.i]
        readonly = self.is_word("readonly") and self.peek() == "name"
        self.i += readonly
        text = self.texts[self.i]
        name = text[1:-1] if self.kinds[self.i] == "string" else text
        if any(field.name == name for field in record.fields[-64:]):
            self.fail(f"the field `{name}` is there twice: give one of them another name")
        self.i += 1
        optional = self.accept("?")
        self.i += 1  # the colon
        record.fields.append(FieldType(at, name, self.type_(), optional, readonly))

    def _map_part(self, record: RecordType) -> None:
        opened = self.starts[self.i]
        if record.key is not None:
            self.fail("a table type has one `[key]: value`: remove the second")
        self.i += 1
        record.key = self.type_()
        self.close("]", opened, "[")
        self.expect(":", "and the type of the values behind the type of the keys")
        record.value = self.type_()

    def _parenthesised(self, *, many: bool) -> Type | list[Type]:
        """Read `(...)`: a function type where `->` follows, else one type; a list where `many` allows it."""
        at = self.starts[self.i]
        generics = self.type_parameters()
        opened = self.starts[self.i]
        self.expect("(", "and the parameters of a function type")
        parameters: list[tuple[str, Type]] = []
        variadic: Type | None = None
        while self.kinds[self.i] != ")":
            if self.accept("..."):
                self.accept(":")
                free = self.kinds[self.i] in (")", ",")
                variadic = NamedType(self.at, "any", []) if free else self.type_()
                break
            name = ""
            if self.kinds[self.i] == "name" and self._is_field():
                name = self.texts[self.i]
                optional = self.peek() == "?"
                self.i += 2 + optional
                parameter = self.type_()
                parameters.append((name, OptionalType(parameter.at, parameter) if optional else parameter))
            else:
                parameters.append(("", self.type_()))
            if not self.accept(","):
                break
        self.close(")", opened, "(")
        if self.accept("->"):
            return FunctionType(at, generics, parameters, variadic, self._arrow_result())
        if generics or any(name for name, _ in parameters):
            self.fail("expected `->` and the result of the function type")
        types = [each for _, each in parameters]
        if many:
            if variadic is not None:
                types.append(VariadicType(opened, variadic))
            if len(types) != 1 or variadic is not None:
                return types
        if len(types) != 1 or variadic is not None:
            self.fail("expected `->` and the result of the function type")
        return types[0]

    def _arrow_result(self) -> list[Type]:
        at = self.starts[self.i]
        if self.accept("..."):
            return [VariadicType(at, self.type_())]
        if self.kinds[self.i] != "(":
            return [self.type_()]
        self.enter()
        found = self._parenthesised(many=True)
        self.depth -= 1
        return found if isinstance(found, list) else [self._finish(found, at)]

    def _validators(self) -> list[Validator]:
        found = []
        while self.kinds[self.i] == "@":
            at = self.starts[self.i]
            self.i += 1
            if self.kinds[self.i] != "name" or self.texts[self.i] not in VALIDATORS:
                self.fail(f"expected one of the validators {', '.join(VALIDATORS)} behind `@`")
            name, opened = self.texts[self.i], self.starts[self.i + 1]
            self.i += 1
            self.expect("(", f"and the argument of `@{name}`")
            kind = VALIDATORS[name]
            if self.kinds[self.i] not in (kind, "-" if kind == "number" else kind):
                self.fail(f"expected a {kind} as the argument of `@{name}`")
            arguments = [self.literal()]
            self.close(")", opened, "(")
            found.append(Validator(at, name, arguments))
        return found
