"""Reads tokens into a tree: precedence climbing with the operators of expr-lang."""

from __future__ import annotations

from runtime.core.errors import Invalid
from runtime.core.expr.functions import FUNCTIONS, PREDICATES
from runtime.core.expr.nodes import MAX_DEPTH, Node, node
from runtime.core.expr.patterns import regular_expression
from runtime.core.expr.tokens import Token, place, tokenize
from runtime.core.nearest import nearest

COMPARISONS = ("<", "<=", ">", ">=")  # `a < b < c`: both hold
_SUFFIXES = frozenset(("in", "matches", "contains", "startsWith", "endsWith"))  # may follow `not`
_BINARY = {
    "|": 0,
    "or": 10,
    "||": 10,
    "and": 15,
    "&&": 15,
    **dict.fromkeys((*COMPARISONS, "==", "!=", *_SUFFIXES), 20),
    "..": 25,
    "+": 30,
    "-": 30,
    "*": 60,
    "/": 60,
    "%": 60,
    "**": 100,
    "^": 100,
    "??": 500,
}
_RIGHT = ("**", "^")
_UNARY = {"not": 50, "!": 50, "-": 90, "+": 90}
_SAME = {"or": "||", "and": "&&", "^": "**"}
_LITERALS = {"true": True, "false": False, "nil": None}
_LARGEST = 2**63 - 1


class Parser:
    """Parses one text; `parse` raises Invalid with line and column."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokenize(text)
        self._next = 0
        self._inside = 0  # predicates around the token at hand
        self._level = 0

    def parse(self) -> Node:
        """Return the tree of the whole text."""
        tree = self._expression(0)
        if self._token.sort != "end":
            raise self._unexpected()
        return tree

    # -- tokens ----------------------------------------------------------------------------------------------

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _is(self, *texts: str) -> bool:
        return self._token.sort == "operator" and self._token.text in texts

    def _take(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _accept(self, text: str) -> bool:
        if self._is(text):
            self._next += 1
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._unexpected(f"expected `{text}`")

    def _fail(self, message: str, at: int) -> Invalid:
        return Invalid(f"{message} at {place(self._text, at)}")

    def _unexpected(self, wanted: str = "") -> Invalid:
        token = self._token
        what = "unexpected end" if token.sort == "end" else f"unexpected `{token.text[:40]}`"
        return self._fail(f"{what}{f', {wanted},' if wanted else ''}", token.at)

    # -- operators -------------------------------------------------------------------------------------------

    def _expression(self, precedence: int) -> Node:
        self._level += 1
        if self._level > MAX_DEPTH:
            raise self._fail(f"expression is nested deeper than {MAX_DEPTH} levels", self._token.at)
        try:
            if precedence == 0 and self._is("let"):
                return self._let()
            if precedence == 0 and self._is("if"):
                return self._if()
            left = self._operators(self._primary(), precedence)
            return self._conditional(left) if precedence == 0 else left
        finally:
            self._level -= 1

    def _operators(self, left: Node, precedence: int) -> Node:
        before = ""
        while self._token.sort == "operator":
            at, negated = self._next, self._accept("not")
            operator = self._token.text
            binds = _BINARY.get(operator, -1) if self._token.sort == "operator" else -1
            if negated and operator not in _SUFFIXES:
                raise self._unexpected("expected `in`, `contains`, `matches`, `startsWith` or `endsWith`")
            if binds < precedence:
                self._next = at
                break
            token = self._take()
            if before == "??" and operator != "??":
                raise self._fail(f"`{operator}` and `??` can not be mixed, put one in brackets,", token.at)
            left = self._binary(left, token, binds)
            if negated:
                left = node("unary", token.at, left, value="!")
            before = operator
        return left

    def _binary(self, left: Node, token: Token, binds: int) -> Node:
        operator = _SAME.get(token.text, token.text)
        if operator == "|":
            return self._piped(left)
        right = self._expression(binds if token.text in _RIGHT else binds + 1)
        if operator in COMPARISONS:
            return self._compared(left, token, right, binds)
        if operator == "matches" and right.kind == "literal":
            try:
                regular_expression(right.value)
            except Invalid as error:
                raise self._fail(f"{error.message},", right.at) from None
        return node("binary", token.at, left, right, value=operator)

    def _compared(self, left: Node, token: Token, right: Node, binds: int) -> Node:
        whole = node("binary", token.at, left, right, value=token.text)
        while self._is(*COMPARISONS):
            token, left = self._take(), right
            right = self._expression(binds + 1)
            one = node("binary", token.at, left, right, value=token.text)
            whole = node("binary", token.at, whole, one, value="&&")
        return whole

    def _piped(self, left: Node) -> Node:
        name = self._take()
        if name.sort != "name":
            self._next -= 1
            raise self._unexpected("expected a function after `|`")
        return self._postfix(self._call(name, left))

    def _conditional(self, test: Node) -> Node:
        while self._is("?"):
            at = self._take().at
            then = test if self._is(":") else self._expression(0)
            self._expect(":")
            test = node("conditional", at, test, then, self._expression(0))
        return test

    def _let(self) -> Node:
        at = self._take().at
        name = self._take()
        if name.sort != "name" or name.text.startswith(("#", "$")) or name.text in {*_LITERALS, *FUNCTIONS}:
            raise self._fail(f"`let` needs a name of its own, not `{name.text}`,", name.at)
        self._expect("=")
        value = self._expression(0)
        self._expect(";")
        return node("let", at, value, self._expression(0), value=name.text)

    def _if(self) -> Node:
        at = self._take().at
        test = self._expression(0)
        then = self._block()
        self._expect("else")
        return node("conditional", at, test, then, self._if() if self._is("if") else self._block())

    def _block(self) -> Node:
        self._expect("{")
        body = self._expression(0)
        self._expect("}")
        return body

    # -- operands --------------------------------------------------------------------------------------------

    def _primary(self) -> Node:
        token = self._token
        if token.sort == "operator" and token.text in _UNARY:
            self._take()
            inner = self._expression(_UNARY[token.text])
            return self._postfix(
                node("unary", token.at, inner, value="!" if token.text == "not" else token.text)
            )
        if self._accept("("):
            inner = self._expression(0)
            self._expect(")")
            return self._postfix(inner)
        if self._is(".") and self._inside:  # `.size` is `#.size`
            return self._postfix(node("pointer", token.at, value="#"))
        return self._postfix(self._operand(token))

    def _operand(self, token: Token) -> Node:
        if token.sort == "end" or (token.sort == "operator" and token.text not in ("[", "{")):
            raise self._unexpected()
        self._take()
        if token.sort == "number":
            return node("literal", token.at, value=self._number(token))
        if token.sort == "string":
            return node("literal", token.at, value=token.text)
        if token.text == "[":
            return node("array", token.at, *self._items("]"))
        if token.text == "{":
            return self._map(token.at)
        if token.text.startswith("#"):
            return self._pointer(token)
        if token.text in _LITERALS:
            return node("literal", token.at, value=_LITERALS[token.text])
        return self._call(token) if self._is("(") else node("name", token.at, value=token.text)

    def _pointer(self, token: Token) -> Node:
        if not self._inside:
            raise self._fail(f"`{token.text}` stands for an item, inside of a predicate only,", token.at)
        if token.text not in ("#", "#acc", "#index"):
            raise self._fail(f"unknown pointer `{token.text}`, expected `#`, `#acc` or `#index`,", token.at)
        return node("pointer", token.at, value=token.text)

    def _number(self, token: Token) -> int | float:
        text = token.text.replace("_", "")
        try:
            if text[:2].lower() in ("0x", "0o", "0b"):
                number: int | float = int(text, 0)
            else:
                number = float(text) if any(each in text for each in ".eE") else int(text)
        except ValueError:
            raise self._fail(f"invalid number `{token.text}`", token.at) from None
        if (isinstance(number, int) and number > _LARGEST) or number == float("inf"):
            raise self._fail(f"number `{token.text[:40]}` is out of range", token.at)
        return number

    def _items(self, end: str) -> list[Node]:
        items: list[Node] = []
        while not self._accept(end):
            if items:
                self._expect(",")
                if self._accept(end):
                    break
            items.append(self._expression(0))
        return items

    def _map(self, at: int) -> Node:
        parts: list[Node] = []
        while not self._accept("}"):
            if parts:
                self._expect(",")
                if self._accept("}"):
                    break
            key = self._token
            if self._accept("("):
                parts.append(self._expression(0))
                self._expect(")")
            elif key.sort in ("name", "string", "number") or key.text.isalpha():
                self._take()
                parts.append(node("literal", key.at, value=key.text))
            else:
                raise self._unexpected("expected a key")
            self._expect(":")
            parts.append(self._expression(0))
        return node("map", at, *parts)

    def _call(self, name: Token, *first: Node) -> Node:
        function = FUNCTIONS.get(name.text)
        if function is None:
            near = nearest(name.text, FUNCTIONS)
            meant = f", did you mean `{near}`?" if near else ""
            raise self._fail(f"unknown function `{name.text}`{meant}", name.at)
        self._expect("(")
        arguments = list(first)
        while not self._accept(")"):
            if len(arguments) > len(first):
                self._expect(",")
            arguments.append(
                self._predicate()
                if len(arguments) == PREDICATES.get(name.text, 0) > 0
                else self._expression(0)
            )
        least, most = function.arguments
        if not least <= len(arguments) <= most:
            wanted = (
                str(least) if least == most else f"{least} to {most}" if most < 99 else f"{least} or more"
            )
            raise self._fail(f"`{name.text}` takes {wanted} arguments, not {len(arguments)},", name.at)
        return node("call", name.at, *arguments, value=name.text)

    def _predicate(self) -> Node:
        at = self._token.at
        self._inside += 1
        body = self._block() if self._is("{") else self._expression(0)
        self._inside -= 1
        return node("predicate", at, body)

    # -- what follows an operand -----------------------------------------------------------------------------

    def _postfix(self, target: Node) -> Node:
        optional = False
        while self._is(".", "?.", "["):
            token = self._take()
            maybe = token.text == "?."
            optional = optional or maybe
            if token.text == "[" or (maybe and self._accept("[")):
                target = self._index(target, token, maybe)
                continue
            name = self._take()
            if name.sort != "name" and not (name.sort == "operator" and name.text.isalpha()):
                self._next -= 1
                raise self._unexpected("expected a name")
            if self._is("("):
                raise self._fail(f"`{name.text}` can not be called: values have no methods,", name.at)
            target = node("member", token.at, target, node("literal", name.at, value=name.text), value=maybe)
        return node("chain", target.at, target) if optional else target

    def _index(self, target: Node, token: Token, maybe: bool) -> Node:
        nothing = node("nothing", token.at)
        if self._accept(":"):
            high = nothing if self._is("]") else self._expression(0)
            self._expect("]")
            return node("slice", token.at, target, nothing, high)
        key = self._expression(0)
        if self._accept(":"):
            high = nothing if self._is("]") else self._expression(0)
            self._expect("]")
            return node("slice", token.at, target, key, high)
        self._expect("]")
        return node("member", token.at, target, key, value=maybe)
