"""The rule on arguments: a function whose parameters are known gets as many as it takes.

Functions of a source may be called with fewer arguments than parameters: what is left out is nil, on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.lua.lint import codes
from runtime.lua.lint.reading import SANDBOX, Fault, Reading
from runtime.lua.typed.nodes import Call, Constant, Function, Name
from runtime.lua.typed.walk import parts


def wrong_arity(reading: Reading) -> Iterator[Fault]:
    """Find each call of a known function with arguments that it does not take, or without those it needs."""
    for node in parts(reading.tree.block):
        if isinstance(node, Call):
            message = _own(reading, node) or _of_module(reading, node)
            if message:
                yield Fault(codes.ARITY, node.at, message)


def _own(reading: Reading, call: Call) -> str | None:
    if call.method or not isinstance(call.function, Name):
        return None
    variable = reading.names.meaning.get(call.function.at)
    if variable is None or variable.writes or not isinstance(variable.value, Function):
        return None
    parameters = variable.value.parameters
    given, _ = _arguments(call)
    if (parameters and parameters[-1].name == "...") or given <= len(parameters):
        return None
    return _said(variable.name, "at most" if parameters else "", len(parameters), given)


def _of_module(reading: Reading, call: Call) -> str | None:
    found = reading.target(call.function)
    if found is None or found[0] == SANDBOX or ":" in found[0]:
        return None
    module, path = found
    path = ".".join(filter(None, (path, call.method)))
    signature = reading.around.signature(module, path)
    if signature is None or signature.method != bool(call.method):
        return None
    given, more = _arguments(call)
    name = f"{module}.{path}"
    exact = "" if signature.least == signature.most else "at least"
    if given < signature.least and not more:
        return _said(name, exact, signature.least, given)
    if signature.most is not None and given > signature.most:
        return _said(name, exact and "at most", signature.most, given)
    return None


def _arguments(call: Call) -> tuple[int, bool]:
    """Return how many arguments are surely given, and whether there may be more."""
    last = call.arguments[-1] if call.arguments else None
    more = isinstance(last, Call) or (isinstance(last, Constant) and last.text == "...")
    return len(call.arguments) - more, more


def _said(name: str, bound: str, wanted: int, given: int) -> str:
    count = "no argument" if not wanted else f"{wanted} argument" + ("s" if wanted != 1 else "")
    return f"`{name}` takes {f'{bound} ' if bound and wanted else ''}{count}, and gets {given}"
