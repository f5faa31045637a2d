"""How many arguments the functions of a module take, from its annotations for editors (`types.d.lua`).

Only what is clear counts: a parameter that may be nil or anything, or of which nothing is said, may be left
out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LINE = re.compile(r"---@(?P<word>\w+)\s*(?P<rest>.*)|(?P<code>[^-\s].*)")
_PARAMETER = re.compile(r"(?P<name>\.\.\.|\w+)(?P<optional>\??)\s+(?P<type>\S.*)")
_FUNCTION = re.compile(r"function\s+(?P<owner>[\w.]+)(?P<sign>[.:])(?P<name>\w+)\s*\((?P<names>[^)]*)\)")
_LOCAL = re.compile(r"local\s+(?P<name>\w+)\s*=")
_MAY_BE_NIL = re.compile(r"\bany\b|\bnil\b|\?")


@dataclass(frozen=True, slots=True)
class Signature:
    """`least` and `most` arguments (None: any number), self not counted; `method`: it is called with `:`."""

    least: int
    most: int | None
    method: bool


def signatures(text: str, module: str) -> dict[str, Signature]:
    """Return the signatures of the functions that `text` annotates, by their path in `module`."""
    reader = _Reader(module)
    for line in text.splitlines():
        if match := _LINE.match(line.strip()):
            reader.read(match)
    return reader.found


@dataclass(slots=True)
class _Reader:
    module: str
    found: dict[str, Signature] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)  # the local of a class -> its path in the module
    current: str = ""
    parameters: dict[str, bool] = field(default_factory=dict)  # name -> whether it must be there
    unclear: bool = False

    def read(self, match: re.Match[str]) -> None:
        word, rest = match["word"], match["rest"]
        if word == "class":
            self.current = rest.split(":")[0].split()[0] if rest.strip() else ""
        elif word == "param" and (found := _PARAMETER.match(rest)):
            needed = not found["optional"] and not _MAY_BE_NIL.search(found["type"].split(" ", 1)[0])
            self.parameters[found["name"]] = needed and not re.match(r"[^ ]+ *\| *nil", found["type"])
        elif word == "overload":
            self.unclear = True
        elif match["code"]:
            self._code(match["code"])
            self.parameters, self.unclear = {}, False

    def _code(self, code: str) -> None:
        if local := _LOCAL.match(code):
            self.classes[local["name"]] = self._path(self.current)
        elif (function := _FUNCTION.match(code)) and not self.unclear:
            owner, _, rest = function["owner"].partition(".")
            path = ".".join(filter(None, (self.classes.get(owner, owner), rest, function["name"])))
            names = [name.strip() for name in function["names"].split(",") if name.strip()]
            needed = [self.parameters.get(name, False) for name in names if name != "..."]
            least = max((index for index, each in enumerate(needed, 1) if each), default=0)
            most = None if "..." in names else len(names)
            self.found[path] = Signature(least, most, function["sign"] == ":")

    def _path(self, name: str) -> str:
        return "" if name == self.module else name.removeprefix(f"{self.module}.")
