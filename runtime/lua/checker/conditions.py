"""What a condition tells where it holds and where it does not.

Each expression is read once and gives its type and two states. What is narrowed is a variable or a field in
it; a field also tells which members of its union the whole may be.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.lua.checker import builtins
from runtime.lua.checker.desk import Desk
from runtime.lua.checker.flow import Key, State, join
from runtime.lua.checker.types import (
    ANY,
    BOOLEAN,
    ERROR,
    FALSE,
    FUNCTION,
    INTEGER,
    NEVER,
    NIL,
    NUMBER,
    STRING,
    TABLE,
    TRUE,
    UNKNOWN,
    USERDATA,
    Array,
    Basic,
    Fresh,
    Function,
    Intersection,
    Literal,
    Parameter,
    Record,
    Type,
    TypeValue,
    Union,
    keep,
    members,
    opened,
    optional,
    union,
)
from runtime.lua.checker.variables import Variable
from runtime.lua.typed.nodes import Binary, Call, Constant, Expression, Index, Member, Name, Paren, Unary

Narrow = Callable[[Type], Type]
Split = tuple[Type, State | None, State | None]


class Conditions(Desk):
    """Reads conditions."""

    def condition(self, node: Expression) -> Split:
        """Return the type of an expression, and the states where it is true and where it is not."""
        self.step()
        match node:
            case Paren(_, inner):
                found, yes, no = self.condition(inner)
                return found, yes, no
            case Unary(_, "not", operand):
                _, yes, no = self.condition(operand)
                return BOOLEAN, no, yes
            case Binary(_, "and" | "or"):
                return self._chain(node)
            case Binary(_, "==" | "~=", left, right):
                return self._equality(node, left, right)
        found = self.infer(node)
        state = self.state
        match node:
            case Constant(_, "true" | "false" | "nil" as kind):
                return found, (state if kind == "true" else None), (None if kind == "true" else state)
            case Name() | Member() | Index():
                yes, no = self._reference(node, found, state)
                return found, yes, no
            case Call():
                return found, self._validated(node, state), state
        return found, state, state

    def _chain(self, node: Binary) -> Split:
        """Read `a and b or c`; long chains lean to the left, so they are read without recursion."""
        spine: list[Binary] = []
        left: Expression = node
        while isinstance(left, Binary) and left.operator in ("and", "or"):
            spine.append(left)
            left = left.left
        found, yes, no = self.condition(left)
        while spine:
            step = spine.pop()
            first = found
            if step.operator == "and":
                self.state = yes
                second, yes, other = self.condition(step.right)
                no = join(no, other)
                found = second if first == NEVER else union((_falsy(first), second))
            else:
                self.state = no
                second, other, no = self.condition(step.right)
                yes = join(yes, other)
                found = union((truthy(first), second))
        return found, yes, no

    def _reference(
        self, node: Expression, found: Type, state: State | None
    ) -> tuple[State | None, State | None]:
        yes, no = self.narrow(node, found, state, truthy), self.narrow(node, found, state, _falsy)
        if isinstance(node, Name) and (variable := self.variables.names.get(node.at)) is not None:
            told = variable.value if variable.constant else None
            if isinstance(told, Binary | Unary | Call) and self._lasting(told):
                kept = self.state, self.findings
                self.findings = {}
                self.state = yes
                yes = self.condition(told)[1] if yes is not None else None
                self.state = no
                no = self.condition(told)[2] if no is not None else None
                self.state, self.findings = kept
        return yes, no

    def _lasting(self, node: Expression, depth: int = 0) -> bool:
        """Whether a condition that a local keeps says the same later: it compares variables that stay."""
        match node:
            case Paren(_, inner) | Unary(_, "not", inner):
                return depth < 8 and self._lasting(inner, depth + 1)
            case Binary(_, "==" | "~=" | "and" | "or", left, right):
                return depth < 8 and self._lasting(left, depth + 1) and self._lasting(right, depth + 1)
            case Call(_, Name(_, "type"), "", [inner]):
                return self._lasting(inner, depth + 1)
            case Name(at):
                variable = self.variables.names.get(at)
                return variable is not None and variable.constant and not isinstance(variable.value, Binary)
            case Constant():
                return True
        return False

    def narrow(self, node: Expression, found: Type, state: State | None, how: Narrow) -> State | None:
        """Return the state in which the value of `node` is what `how` leaves of it; None where nothing is."""
        key = self.key(node)
        if state is None or key is None:
            return state
        return self.narrow_key(key, found, state, how)

    def narrow_key(self, key: Key, found: Type, state: State, how: Narrow) -> State | None:
        """As `narrow`, of a variable or field by its key."""
        left = how(found)
        if left == NEVER and found != NEVER:
            return None
        if left != found:
            state = state.with_fact(key, left)
        if key[1]:
            return self._whole(key, state, how)
        pairing = state.pairs.get(key[0])
        if pairing is None or found in (ANY, UNKNOWN):
            return state
        each = members(left)
        if key[0] is pairing.error:
            if all(member in (NIL, FALSE) for member in each):
                for value in pairing.values:
                    state = self._there(value, state)
        elif NIL not in each and (NIL in members(found) or FALSE not in each):
            state = self._not_there(pairing.error, state)
            for value in pairing.values:
                state = self._there(value, state)
        elif all(member in (NIL, FALSE) for member in each):
            state = self._there(pairing.error, state)
        return state

    def _there(self, variable: Variable, state: State) -> State:
        return self._only(variable, state, lambda member: member != NIL)

    def _not_there(self, variable: Variable, state: State) -> State:
        return self._only(variable, state, lambda member: member in (NIL, FALSE))

    def _only(self, variable: Variable, state: State, test: Callable[[Type], bool]) -> State:
        key: Key = (variable, ())
        now = state.facts.get(key, self.base(variable))
        left = keep(now, test)
        return state if left in (NEVER, now) else state.with_fact(key, left)

    def _whole(self, key: Key, state: State, how: Narrow) -> State | None:
        """Leave of the table that holds a field those members of whose field `how` leaves something."""
        outer: Key = (key[0], key[1][:-1])
        name = key[1][-1]
        whole = state.facts.get(outer)
        if whole is None:
            whole = None if outer[1] else self.base(outer[0])
        if whole is None or len(members(whole)) < 2:
            return state

        def possible(member: Type) -> bool:
            if not isinstance(member, Record) or member.open:
                return member != NIL or how(NIL) != NEVER
            own = member.field(name)
            if own is None:
                return member.key is not None or how(NIL) != NEVER
            return how(optional(own.type) if own.optional else own.type) != NEVER

        left = keep(whole, possible)
        if left == NEVER:
            return None
        return state if left == whole else state.with_fact(outer, left)

    def _equality(self, node: Binary, left: Expression, right: Expression) -> Split:
        first, second = self.infer(left), self.infer(right)
        state = self.state
        same, other = state, state
        for one, known, value in ((left, first, second), (right, second, first)):
            tested = self._type_of(one)
            if tested is not None and isinstance(value, Literal) and value.kind == "string":
                inner = self.peek(tested)
                same = self.narrow(tested, inner, same, _is(value.text))
                other = self.narrow(tested, inner, other, _is_not(value.text))
            elif self.key(one) is not None:
                same = self.narrow(one, known, same, _equal(value))
                if value == NIL or isinstance(value, Literal):
                    other = self.narrow(one, known, other, _unequal(value))
        yes, no = (same, other) if node.operator == "==" else (other, same)
        return BOOLEAN, yes, no

    def _type_of(self, node: Expression) -> Expression | None:
        """Return `x` where an expression is `type(x)`, or a local that holds it."""
        match node:
            case Call(_, function, "", [argument]) if self.is_global(function, "type"):
                return argument if self.key(argument) is not None else None
            case Name(at):
                variable = self.variables.names.get(at)
                if variable is None or not variable.constant or not isinstance(variable.value, Call):
                    return None
                tested = self._type_of(variable.value)
                return tested if tested is not None and self._lasting(tested) else None
        return None

    def _validated(self, node: Call, state: State | None) -> State | None:
        """Return the state where `T:is(x)` holds: x is a T."""
        if node.method != "is" or not node.arguments or self.key(node.arguments[0]) is None:
            return state
        owner, given = self.peek(node.function), self.peek(node.arguments[0])
        if not isinstance(owner, TypeValue):
            return state
        return self.narrow(node.arguments[0], given, state, lambda _: owner.type)

    def ensure(self, node: Expression, found: Type, what: str) -> None:
        """Take to hold from here on that `node` is `truthy`, `nil` or `not nil`."""
        how = {"truthy": truthy, "nil": _equal(NIL), "not nil": _unequal(NIL)}[what]
        self.state = self.narrow(node, found, self.state, how)


def truthy(found: Type) -> Type:
    """Return what is left of a type where its value counts as true."""
    if found in (ANY, UNKNOWN):
        return found
    return _mapped(found, lambda each: NEVER if each in (NIL, FALSE) else (TRUE if each == BOOLEAN else each))


def _falsy(found: Type) -> Type:
    if found in (ANY, UNKNOWN):
        return found

    def left(each: Type) -> Type:
        if each == BOOLEAN:
            return FALSE
        return each if each in (NIL, FALSE) or isinstance(each, Parameter) else NEVER

    return _mapped(found, left)


def _mapped(found: Type, how: Narrow) -> Type:
    """Return the union of what `how` makes of each member; the type itself where it changes none."""
    parts = found.members if isinstance(found, Union) else (found,)
    left: list[Type] = []
    for part in parts:
        each = members(part)
        changed = [how(member) for member in each]
        left += [part] if changed == list(each) else changed
    return found if left == list(parts) else union(left)


def _equal(value: Type) -> Narrow:
    """What is left of a type whose value equals one of the type `value`."""
    if value == NIL:
        return lambda found: found if found in (ANY, UNKNOWN) else keep(found, lambda each: each == NIL)
    if not isinstance(value, Literal):
        nil = any(each in (NIL, ANY, UNKNOWN) for each in members(value))
        return lambda found: (
            found if nil or found in (ANY, UNKNOWN) else keep(found, lambda each: each != NIL)
        )

    def left(each: Type) -> Type:
        if each == value or isinstance(each, Parameter):
            return each
        if isinstance(each, Literal):
            number = {each.kind, value.kind} == {"integer", "number"}
            return each if number and float(each.text) == float(value.text) else NEVER
        if each == Basic(value.kind):
            return value
        return each if each in (NUMBER, INTEGER) and value.kind in ("integer", "number") else NEVER

    def narrow(found: Type) -> Type:
        return found if found in (ANY, UNKNOWN) else _mapped(found, left)

    return narrow


def _unequal(value: Type) -> Narrow:
    """What is left of a type whose value differs from the one value of the type `value`."""

    def left(each: Type) -> Type:
        if each == BOOLEAN and value in (TRUE, FALSE):
            return FALSE if value == TRUE else TRUE
        return NEVER if each == value else each

    return lambda found: found if found in (ANY, UNKNOWN) else _mapped(found, left)


def _has(name: str, each: Type) -> bool:
    """Whether `type` may say `name` of a value of a member."""
    kind = Basic(each.kind) if isinstance(each, Literal) else each
    if isinstance(each, Parameter | TypeValue | Intersection) or kind in (ANY, UNKNOWN):
        return True
    match name:
        case "number":
            return kind in (NUMBER, INTEGER)
        case "table":
            return isinstance(each, Array | Record | Fresh) or kind == TABLE
        case "function":
            return isinstance(each, Function) or kind == FUNCTION
        case "userdata":
            return kind in (USERDATA, ERROR)
        case "string":
            return kind in (STRING, ERROR)
    return kind == Basic(name)


def _is(name: str) -> Narrow:
    def narrow(found: Type) -> Type:
        if opened(found) == UNKNOWN:
            return builtins.BY_TYPE_NAME.get(name, found)
        return found if found == ANY else keep(found, lambda each: _has(name, each))

    return narrow


def _is_not(name: str) -> Narrow:
    def stays(each: Type) -> bool:
        free = isinstance(each, Parameter | TypeValue | Intersection) or each in (ANY, UNKNOWN, ERROR)
        return free or not _has(name, each)

    return lambda found: found if found in (ANY, UNKNOWN) else keep(found, stays)
