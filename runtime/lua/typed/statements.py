"""The grammar of statements and blocks."""

from __future__ import annotations

from runtime.lua.typed.expressions import Expressions
from runtime.lua.typed.nodes import (
    Assign,
    Block,
    Call,
    CallStatement,
    Declared,
    Do,
    Expression,
    FunctionStatement,
    GenericFor,
    If,
    Index,
    Jump,
    Local,
    LocalFunction,
    Member,
    Name,
    NumericFor,
    Repeat,
    Return,
    Statement,
    TypeAlias,
    While,
)

_BLOCK_ENDS = frozenset({"end", "else", "elseif", "until", "eof"})


class Statements(Expressions):
    """Reads statements."""

    def block(self) -> Block:
        """Read statements up to what ends a block, which is left."""
        self.enter()
        block = Block(self.starts[self.i])
        statements = block.statements
        while (kind := self.kinds[self.i]) not in _BLOCK_ENDS:
            if kind == ";":
                self.i += 1
                continue
            statement = self._statement(kind)
            statements.append(statement)
            if kind == "return":
                self.accept(";")
                if self.kinds[self.i] not in _BLOCK_ENDS:
                    self.fail("expected the end of the block behind `return`")
        block.end = self.starts[self.i]
        self.depth -= 1
        return block

    def _statement(self, kind: str) -> Statement:
        read = _READERS.get(kind)
        if read is not None:
            return read(self)
        if kind == "name" and self.texts[self.i] == "type" and self.kinds[self.i + 1] == "name":
            return self._type_alias()
        return self._assignment_or_call()

    def _assignment_or_call(self) -> Statement:
        at = self.starts[self.i]
        first = self.suffixed()
        if self.kinds[self.i] not in ("=", ","):
            if isinstance(first, Call):
                return CallStatement(at, first)
            self.fail("expected `=` or the arguments of a call")
        targets = [self._target(first)]
        while self.accept(","):
            targets.append(self._target(self.suffixed()))
        self.expect("=", "and the values to assign")
        return Assign(at, targets, self.expressions())

    def _target(self, found: Expression) -> Expression:
        if not isinstance(found, Name | Member | Index):
            self.fail("expected a variable or a field on the left of `=`")
        return found

    def _local(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        if self.accept("function"):
            name = self.name("the name of the function")
            return LocalFunction(at, name, self.function_body(at, method=False))
        names = [self._declared()]
        while self.accept(","):
            names.append(self._declared())
        return Local(at, names, self.expressions() if self.accept("=") else [])

    def _declared(self) -> Declared:
        declared = Declared(self.starts[self.i], self.name("the name of a local"))
        self._attribute(declared)
        declared.type = self.annotation(local=True)
        self._attribute(declared)
        return declared

    def _attribute(self, declared: Declared) -> None:
        opened = self.starts[self.i]
        if self.accept("<"):
            if not (self.is_word("const") or self.is_word("close")):
                self.fail("expected the attribute `const` or `close`")
            declared.attribute = self.texts[self.i]
            self.i += 1
            self.close_angle(opened)

    def _function(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        name_at = self.starts[self.i]
        name = self.name("the name of the function")
        self.used.add(name)
        target: Expression = Name(name_at, name)
        while self.kinds[self.i] == ".":
            dot = self.starts[self.i]
            self.i += 1
            target = Member(dot, target, self.name("the name of a field behind `.`"))
        method = self.name("the name of the method behind `:`") if self.accept(":") else ""
        return FunctionStatement(at, target, method, self.function_body(at, method=bool(method)))

    def _if(self) -> Statement:
        at = self.starts[self.i]
        branches = []
        otherwise = None
        while True:
            self.i += 1
            condition = self.expression()
            self.expect("then", "behind the condition")
            branches.append((condition, self.block()))
            if self.kinds[self.i] != "elseif":
                break
        if self.accept("else"):
            otherwise = self.block()
        self.close("end", at, "if")
        return If(at, branches, otherwise)

    def _while(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        condition = self.expression()
        return While(at, condition, self._loop_body(at, "while"))

    def _loop_body(self, at: int, word: str) -> Block:
        self.expect("do", f"behind the head of `{word}`")
        body = self.block()
        self.close("end", at, word)
        return body

    def _for(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        names = [self._loop_name()]
        if self.accept("="):
            bounds = self.expressions()
            if len(bounds) not in (2, 3):
                self.fail("expected a first value, a last value and at most a step")
            return NumericFor(at, names[0], bounds, self._loop_body(at, "for"))
        while self.accept(","):
            names.append(self._loop_name())
        self.expect("in", "or `=` behind the names of the loop")
        values = self.expressions()
        return GenericFor(at, names, values, self._loop_body(at, "for"))

    def _loop_name(self) -> Declared:
        at = self.starts[self.i]
        return Declared(at, self.name("the name of a loop variable"), self.annotation())

    def _repeat(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        body = self.block()
        self.close("until", at, "repeat")
        return Repeat(at, body, self.expression())

    def _do(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        body = self.block()
        self.close("end", at, "do")
        return Do(at, body)

    def _return(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        empty = self.kinds[self.i] in _BLOCK_ENDS or self.kinds[self.i] == ";"
        return Return(at, [] if empty else self.expressions())

    def _break(self) -> Statement:
        self.i += 1
        return Jump(self.starts[self.i - 1], "break", "")

    def _goto(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        return Jump(at, "goto", self.name("the name of a label"))

    def _label(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        label = self.name("the name of a label")
        self.close("::", at, "::")
        return Jump(at, "label", label)

    def _type_alias(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        name = self.name("the name of the type")
        generics = self.type_parameters()
        self.expect("=", "and the type")
        alias = TypeAlias(at, name, generics, self.type_(), self.end())
        self.aliases.append(alias)
        self.erase(at)
        self.keep_apart(at)
        return alias


_READERS = {
    "local": Statements._local,
    "function": Statements._function,
    "if": Statements._if,
    "while": Statements._while,
    "for": Statements._for,
    "repeat": Statements._repeat,
    "do": Statements._do,
    "return": Statements._return,
    "break": Statements._break,
    "goto": Statements._goto,
    "::": Statements._label,
}
