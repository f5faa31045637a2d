"""What statements do to what is known, and where they break what is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.lua.checker.access import is_simple, write, write_key
from runtime.lua.checker.desk import Values, start
from runtime.lua.checker.expressions import Expressions
from runtime.lua.checker.faults import RETURNS
from runtime.lua.checker.flow import Pairing, State, join
from runtime.lua.checker.types import (
    ANY,
    INTEGER,
    NIL,
    NUMBER,
    TABLE,
    Field,
    Fresh,
    Function,
    Literal,
    Record,
    Type,
    TypeValue,
    accepts_nil,
    keep,
    may_be_nil,
    members,
    without_nil,
)
from runtime.lua.checker.variables import Variable
from runtime.lua.typed import nodes

MAX_MODULE_FIELDS = 400
MAX_COMPARED = 400  # members of two unions, each with each


class Statements(Expressions):
    """Reads statements."""

    exported: Type = ANY  # what the source returns

    def block(self, block: nodes.Block) -> None:
        """Check the statements of a block; its types are known in the whole of it."""
        outer = self.types
        self.types = self.annotations.block(block, outer)
        for statement in block.statements:
            self.statement(statement)
        self.types = outer

    def statement(self, statement: nodes.Statement) -> None:
        """Check one statement."""
        match statement:
            case nodes.Local():
                self._local(statement)
            case nodes.LocalFunction(_, _, function):
                self._local_function(statement, function)
            case nodes.FunctionStatement():
                self._function_statement(statement)
            case nodes.Assign(_, targets, values):
                self._assign(targets, values)
            case nodes.CallStatement(_, nodes.Call() as call):
                self.call(call)
            case nodes.Return(at, values):
                self._return(at, values)
            case nodes.Jump(_, kind, _):
                self.state = State() if kind == "label" else None
            case nodes.If(_, branches, otherwise):
                self._if(branches, otherwise)
            case nodes.Do(_, body):
                self.block(body)
            case nodes.While() | nodes.Repeat() | nodes.NumericFor() | nodes.GenericFor():
                self._loop(statement)

    def _local(self, statement: nodes.Local) -> None:
        values = self.values(statement.values)
        found = [self.variables.of(each) for each in statement.names]
        for index, (declared, variable) in enumerate(zip(statement.names, found, strict=True)):
            given = values.at(index)
            if declared.type is not None:
                wanted = self.annotations.read(declared.type, self.types)
                self.known[variable] = wanted
                if statement.values:
                    place = statement.values[min(index, len(statement.values) - 1)]
                    if self.expect(given, wanted, place):
                        self._now(variable, given)
            elif variable.constant:
                self.known[variable] = self._kept(variable, given)
            else:
                self._now(variable, given)
        self._pair(found, statement.values, values)

    def _kept(self, variable: Variable, given: Type) -> Type:
        """Return the type of a variable that is never assigned again."""
        if isinstance(given, Fresh):
            return self._module(variable, given)
        return ANY if given == NIL else given

    def _module(self, variable: Variable, given: Fresh) -> Type:
        """A table that is filled later: known are the functions and types in it that are set once."""
        if given.items or given.keyed or given.more or "[]" in variable.members:
            return TABLE
        fields = [
            Field(name, each)
            for name, each in given.fields
            if isinstance(each, Function | TypeValue) and name not in variable.members
        ]
        return Record(tuple(fields[:MAX_MODULE_FIELDS]), open=True)

    def _now(self, variable: Variable, given: Type) -> None:
        """Note what a variable is after it was set to a value of the type `given`."""
        if self.state is None:
            return
        fact: Type | None = None
        if variable.declared is not None and variable.declared.type is not None:
            wanted = self.base(variable)
            if not variable.afar:
                fact = self._narrowed(wanted, given)
            elif not accepts_nil(given):
                fact = without_nil(wanted)
            fact = None if fact == wanted else fact
        elif not variable.afar and given not in (ANY, NIL):
            fact = TABLE if isinstance(given, Fresh) else given
        self.state = self.state.assigned((variable, ()), fact)

    def _narrowed(self, wanted: Type, given: Type) -> Type | None:
        """Return what is left of a declared type once it holds a value of the type `given`."""
        if ANY in (given, wanted):
            return None
        if given == NIL:
            return keep(wanted, lambda each: each == NIL) if may_be_nil(wanted) else None
        parts, choices = members(given), members(wanted)
        if len(choices) == 1 or len(parts) * len(choices) > MAX_COMPARED:
            return None
        left = keep(wanted, lambda each: any(self.fits(part, each) for part in parts))
        return left if may_be_nil(given) else without_nil(left)

    def _pair(self, found: list[Variable], written: Sequence[nodes.Expression], values: Values) -> None:
        """Note values that come with their error, where the last result of one call is one."""
        count = len(values.types)
        if self.state is None or len(written) != 1 or values.rest is not None:
            return
        if count < 2 or len(found) < count or not may_be_nil(values.types[-1]):
            return
        self.state = self.state.paired(Pairing(tuple(found[: count - 1]), found[count - 1]))

    def _local_function(self, statement: nodes.LocalFunction, function: nodes.Function) -> None:
        variable = self.variables.of(statement)
        found, inner, inside = self.signature(function)
        if variable.constant:
            self.known[variable] = found
        self.body(function, found, inner, inside)

    def _function_statement(self, statement: nodes.FunctionStatement) -> None:
        target = statement.target
        found, inner, inside = self.signature(statement.function)
        if isinstance(target, nodes.Name) and not statement.method:
            variable = self.variables.names.get(target.at)
            if variable is not None and self.state is not None:
                self.state = self.state.assigned((variable, ()), None)
        elif isinstance(target, nodes.Name):
            self._module_field(target, statement.method, found)
        elif (
            isinstance(target, nodes.Member)
            and isinstance(target.object, nodes.Name)
            and not statement.method
        ):
            self._module_field(target.object, target.name, found)
        self.body(statement.function, found, inner, inside)

    def _module_field(self, target: nodes.Name, name: str, found: Type) -> None:
        """Let a module's table have a function or a type that it is given once."""
        variable = self.variables.names.get(target.at)
        if variable is None or not variable.constant or len(variable.members.get(name, ())) != 1:
            return
        module = self.known.get(variable)
        if not isinstance(module, Record) or not module.open or module.field(name) is not None:
            return
        free = variable.declared is not None and variable.declared.type is None
        if free and len(module.fields) < MAX_MODULE_FIELDS:
            self.known[variable] = replace(module, fields=(*module.fields, Field(name, found)))

    def _assign(self, targets: Sequence[nodes.Expression], written: Sequence[nodes.Expression]) -> None:
        values = self.values(written)
        found: list[Variable] = []
        for index, target in enumerate(targets):
            given, place = values.at(index), written[min(index, len(written) - 1)]
            if isinstance(target, nodes.Name):
                variable = self.variables.names.get(target.at)
                if variable is None:
                    continue
                found.append(variable)
                declared = variable.declared
                fitting = (
                    declared is None
                    or declared.type is None
                    or self.expect(given, self.base(variable), place)
                )
                self._now(variable, given if fitting else ANY)
            else:
                self._set(target, given, place)
        if len(found) == len(targets):
            self._pair(found, written, values)

    def _set(self, target: nodes.Expression, given: Type, place: nodes.Expression) -> None:
        if isinstance(target, nodes.Member):
            owner = self.infer(target.object)
            wanted, problem = write(owner, target.name)
            if isinstance(target.object, nodes.Name) and isinstance(given, Function | TypeValue):
                self._module_field(target.object, target.name, given)
        elif isinstance(target, nodes.Index):
            owner = self.infer(target.object)
            wanted, problem = write_key(owner, self.infer(target.key))
        else:
            return
        fitting = problem is None and self.expect(given, wanted, place)
        if problem is not None and (self.frame.typed or not is_simple(owner)):
            self.report(*problem, start(target))
        key = self.key(target)
        if key is not None and self.state is not None:
            fact = self._narrowed(wanted, given) if fitting else None
            self.state = self.state.assigned(key, None if fact == wanted else fact)

    def _return(self, at: int, written: Sequence[nodes.Expression]) -> None:
        values = self.values(written)
        returns, rest = self.frame.returns, self.frame.rest
        if self.frame.at == -1 and self.state is not None:
            self.exported = values.at(0)
        if returns is not None:
            self._check_returns(at, written, values, returns, rest)
        self.state = None

    def _check_returns(
        self,
        at: int,
        written: Sequence[nodes.Expression],
        values: Values,
        returns: tuple[Type, ...],
        rest: Type | None,
    ) -> None:
        count = len(values.types)
        for index, wanted in enumerate(returns):
            if index < count:
                place = written[min(index, len(written) - 1)]
                what = f"result {index + 1}: " if len(returns) > 1 else ""
                self.expect(values.types[index], wanted, place, what)
            elif values.rest is None and not accepts_nil(wanted):
                message = f"too few results: the function returns {len(returns)}, found {count}"
                self.report(RETURNS, message, at)
                return
        for index in range(len(returns), count):
            place = written[min(index, len(written) - 1)]
            if rest is not None:
                self.expect(values.types[index], rest, place, f"result {index + 1}: ")
            elif values.types[index] not in (NIL, ANY) and index < len(written):
                message = f"too many results: the function returns {len(returns)}, found {count}"
                self.report(RETURNS, message, start(place))
                return

    def _if(
        self, branches: Sequence[tuple[nodes.Expression, nodes.Block]], otherwise: nodes.Block | None
    ) -> None:
        ends: list[State | None] = []
        for condition, body in branches:
            _, yes, no = self.condition(condition)
            self.state = yes
            self.block(body)
            ends.append(self.state)
            self.state = no
        if otherwise is not None:
            self.block(otherwise)
        for end in ends:
            self.state = join(self.state, end)

    def _loop(self, statement: nodes.Statement) -> None:
        at = statement.at
        loop = self.variables.loops[at]
        entry = self.state = None if self.state is None else self.state.before(loop)
        match statement:
            case nodes.While(_, condition, body):
                _, yes, no = self.condition(condition)
                self.state = yes
                self.block(body)
                self.state = join(no, entry) if loop.leaves else no
            case nodes.Repeat(_, body, condition):
                self._repeat(body, condition, entry, loop.leaves)
            case nodes.NumericFor(_, name, bounds, body):
                self._numeric(name, bounds, body)
                self.state = entry
            case nodes.GenericFor(_, names, values, body):
                types = self.iterated(values, len(names))
                for index, each in enumerate(names):
                    self._loop_variable(each, types[index] if index < len(types) else ANY, values[0])
                self.block(body)
                self.state = entry

    def _repeat(
        self, body: nodes.Block, condition: nodes.Expression, entry: State | None, leaves: bool
    ) -> None:
        outer = self.types
        self.types = self.annotations.block(body, outer)
        for statement in body.statements:
            self.statement(statement)
        _, yes, _ = self.condition(condition)
        self.types = outer
        self.state = join(yes, entry) if leaves else yes

    def _numeric(self, name: nodes.Declared, bounds: Sequence[nodes.Expression], body: nodes.Block) -> None:
        found: list[Type] = []
        for bound in bounds:
            given = self.infer(bound)
            if self.frame.typed or may_be_nil(given):
                self.expect(given, NUMBER, bound, "bound of the loop: ")
            found.append(given)
        whole = all(
            each == INTEGER or (isinstance(each, Literal) and each.kind == "integer") for each in found
        )
        self._loop_variable(name, INTEGER if whole else (ANY if ANY in found else NUMBER), bounds[0])
        self.block(body)

    def _loop_variable(self, declared: nodes.Declared, given: Type, place: nodes.Expression) -> None:
        variable = self.variables.of(declared)
        if declared.type is None:
            if variable.constant:
                self.known[variable] = given
            return
        wanted = self.annotations.read(declared.type, self.types)
        self.known[variable] = wanted
        self.expect(given, wanted, place, f"loop variable `{declared.name}`: ")
