"""The grammar of expressions: precedence climbing, and casts that bind tighter than any operator."""

from __future__ import annotations

from runtime.lua.typed.cursor import MAX_DEPTH
from runtime.lua.typed.nodes import (
    Binary,
    Call,
    Cast,
    Constant,
    Declared,
    Expression,
    Function,
    Index,
    Member,
    Name,
    NonNil,
    Paren,
    Table,
    TableField,
    Unary,
)
from runtime.lua.typed.type_grammar import TYPE_STARTS, TypeGrammar
from runtime.lua.typed.type_nodes import Type

# How tight an operator holds its left and its right operand, as Lua's manual orders them.
_BINARY = {
    "or": (1, 1),
    "and": (2, 2),
    **dict.fromkeys(("<", ">", "<=", ">=", "~=", "=="), (3, 3)),
    "|": (4, 4),
    "~": (5, 5),
    "&": (6, 6),
    "<<": (7, 7),
    ">>": (7, 7),
    "..": (9, 8),
    "+": (10, 10),
    "-": (10, 10),
    **dict.fromkeys(("*", "/", "//", "%"), (11, 11)),
    "^": (14, 13),
}
_UNARY = frozenset({"not", "-", "#", "~"})
_UNARY_LIMIT = 12
_CONSTANTS = frozenset({"number", "string", "nil", "true", "false", "..."})
_ATOMS = _CONSTANTS | {"name"}
_ENDS = frozenset(
    {",", ")", "}", "]", "then", "do", "end", ";", "local", "return", "if", "else", "elseif", "for"}
)
_CASTS = frozenset({"::", "name", "!"})
_SUFFIXES = frozenset({".", "[", ":", "(", "{", "string", "!"})


class Expressions(TypeGrammar):
    """Reads expressions."""

    def expression(self, limit: int = 0) -> Expression:
        """Read an expression whose operators hold tighter than `limit`."""
        kinds, i = self.kinds, self.i
        kind = kinds[i]
        if kind in _ATOMS and kinds[i + 1] in _ENDS:  # most are one token
            self.i = i + 1
            if kind != "name":
                return Constant(self.starts[i], kind, self.texts[i])
            self.used.add(self.texts[i])
            return Name(self.starts[i], self.texts[i])
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.too_deep()
        if kind in _UNARY:
            self.i = i + 1
            left: Expression = Unary(self.starts[i], kind, self.expression(_UNARY_LIMIT))
        else:
            left = self.operand()
        while True:
            operator = kinds[self.i]
            powers = _BINARY.get(operator)
            if powers is None or powers[0] <= limit:
                break
            at = self.starts[self.i]
            self.i += 1
            left = Binary(at, operator, left, self.expression(powers[1]))
        self.depth -= 1
        return left

    def expressions(self) -> list[Expression]:
        """Read one expression or more with commas between them."""
        found = [self.expression()]
        while self.kinds[self.i] == ",":
            self.i += 1
            found.append(self.expression())
        return found

    def operand(self) -> Expression:
        """Read a constant, table, function, or a name with what follows it, and its casts."""
        i = self.i
        kind, at = self.kinds[i], self.starts[i]
        if kind == "name":
            following = self.kinds[i + 1]
            if following in _SUFFIXES:
                found = self.suffixed()
            else:
                self.used.add(self.texts[i])
                found = Name(at, self.texts[i])
                self.i = i + 1
        elif kind in _CONSTANTS:
            found = Constant(at, kind, self.texts[i])
            self.i = i + 1
        elif kind == "(":
            found = self.suffixed()
        elif kind == "{":
            found = self.table()
        elif kind == "function":
            self.i = i + 1
            found = self.function_body(at, method=False)
        else:
            self.fail("expected an expression")
        if self.kinds[self.i] in _CASTS:
            found = self._casts(found)
        return found

    def _casts(self, found: Expression) -> Expression:
        while True:
            at = self.starts[self.i]
            if self.kinds[self.i] == "!":
                self.i += 1
                found = NonNil(at, found)
                self.erase(at)
                continue
            if not self._is_cast():
                return found
            self.i += 1
            outer = self.casting, self.local
            self.casting, self.local = True, False
            found = Cast(at, found, self.type_())
            self.casting, self.local = outer
            self.erase(at)
            self.keep_apart(at)

    def keep_apart(self, at: int) -> None:
        """Let the erased text from `at` on end a statement where the next token would continue it."""
        if self.kinds[self.i] == "(":
            self.stops.append(at)

    def _is_cast(self) -> bool:
        kind = self.kinds[self.i]
        if kind == "::":
            label = self.peek() == "name" and self.peek(2) == "::"
            return not label or (self.peek(3) == "name" and self.peek(4) == "::")
        if kind != "name" or self.texts[self.i] != "as":
            return False
        following = self.peek()
        if following in ("(", "{", "string"):
            return self._on_line_of_last(self.starts[self.i])
        return following in TYPE_STARTS and (following != "-" or self.peek(2) == "number")

    def suffixed(self) -> Expression:
        """Read a name or an expression in parentheses and the fields, calls and `!` behind it."""
        at = self.starts[self.i]
        if self.kinds[self.i] == "name":
            name = self.texts[self.i]
            self.used.add(name)
            found: Expression = Name(at, name)
            self.i += 1
        elif self.accept("("):
            found = Paren(at, self.expression())
            self.close(")", at, "(")
        else:
            self.fail("expected a statement")
        while self.kinds[self.i] in _SUFFIXES:
            found = self._suffix(found, at)
        return found

    def _suffix(self, found: Expression, start: int) -> Expression:
        kind, at = self.kinds[self.i], self.starts[self.i]
        if kind == ".":
            self.i += 1
            return Member(at, found, self.name("the name of a field behind `.`"))
        if kind == "[":
            self.i += 1
            key = self.expression()
            self.close("]", at, "[")
            return Index(at, found, key)
        if kind == "!":
            self.i += 1
            self.erase(at)
            return NonNil(at, found)
        method = ""
        if kind == ":":
            self.i += 1
            method = self.name("the name of a method behind `:`")
            if self.kinds[self.i] not in ("(", "{", "string"):
                self.fail(
                    "expected the arguments of the method (a type stands only where a name is declared)"
                )
        arguments = self._call_arguments()
        return Call(start, found, method, arguments, self.end())

    def _call_arguments(self) -> list[Expression]:
        kind, at = self.kinds[self.i], self.starts[self.i]
        if kind == "string":
            self.i += 1
            return [Constant(at, kind, self.texts[self.i - 1])]
        if kind == "{":
            return [self.table()]
        self.i += 1
        found = [] if self.kinds[self.i] == ")" else self.expressions()
        self.close(")", at, "(")
        return found

    def table(self) -> Expression:
        """Read `{...}`."""
        opened = self.starts[self.i]
        self.i += 1
        fields = []
        while self.kinds[self.i] != "}":
            fields.append(self._table_field())
            if self.kinds[self.i] not in (",", ";"):
                break
            self.i += 1
        self.close("}", opened, "{")
        return Table(opened, fields)

    def _table_field(self) -> TableField:
        kind, at = self.kinds[self.i], self.starts[self.i]
        if kind == "name" and self.kinds[self.i + 1] == "=":
            self.i += 2
            return TableField(at, self.texts[self.i - 2], None, self.expression())
        if kind == "[":
            self.i += 1
            key = self.expression()
            self.close("]", at, "[")
            self.expect("=", "and the value of the field")
            return TableField(at, "", key, self.expression())
        return TableField(at, "", None, self.expression())

    def function_body(self, at: int, *, method: bool) -> Function:
        """Read a function from its type parameters or parenthesis to its `end`."""
        start = self.starts[self.i]
        generics = self.type_parameters()
        if generics:
            self.erase(start)
        opened = self.starts[self.i]
        self.expect("(", "and the parameters of the function")
        parameters = [Declared(opened, "self")] if method else []
        while self.kinds[self.i] != ")":
            parameters.append(self._parameter())
            if not self.accept(","):
                break
            if parameters[-1].name == "...":
                self.fail("expected `)` behind `...`")
            if self.kinds[self.i] == ")":
                self.fail("expected a parameter")
        self.close(")", opened, "(")
        returns = None
        start = self.starts[self.i]
        if self.accept(":"):
            outer, self.local, self.casting = self.casting, False, False
            returns = self.return_types()
            self.casting = outer
            self.erase(start)
        body = self.block()
        self.close("end", at, "function")
        return Function(at, generics, parameters, returns, body)

    def _parameter(self) -> Declared:
        at = self.starts[self.i]
        name = "..." if self.accept("...") else self.name("a parameter")
        return Declared(at, name, self.annotation())

    def annotation(self, *, local: bool = False) -> Type | None:
        """Read `: T` where it stands, else None. In the names of a local, `<const>` may follow."""
        start = self.starts[self.i]
        if self.kinds[self.i] != ":":
            return None
        self.i += 1
        outer = self.local, self.casting
        self.local, self.casting = local, False
        found = self.type_()
        self.local, self.casting = outer
        self.erase(start)
        return found
