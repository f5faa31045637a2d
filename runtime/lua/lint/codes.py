"""The codes of the linter: what each stands for and how grave it is; a code never changes its meaning.

The codes of the type checker (`E0001` to `E0019`) are its own. docs/guide/lint.md lists all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from runtime.lua.lint.finding import Level

SYNTAX = "P0001"
UNDECLARED = "E0020"
UNKNOWN_MODULE = "E0021"
UNKNOWN_IMPORT = "E0022"
COLLISION = "E0023"
UNDEFINED = "E0024"
UNKNOWN_FIELD = "E0025"
ENTRY = "R0001"
POLICY = "R0002"
EMPTY_BLOCK = "W0001"
GLOBAL_ASSIGN = "W0002"
SELF_COMPARE = "W0003"
UNUSED_VARIABLE = "W0004"
UNUSED_PARAMETER = "W0005"
UNUSED_IMPORT = "W0006"
SHADOWED = "W0007"
UNREACHABLE = "W0020"
ARITY = "W0021"
HIDDEN = "W0022"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a code stands for. With `on_request` it is looked for only when somebody asks for the rules."""

    name: str
    level: Level
    about: str
    on_request: bool = False


RULES: dict[str, Rule] = {
    SYNTAX: Rule("syntax", "error", "a source is no Lua, typed or plain"),
    UNDECLARED: Rule("undeclared-require", "error", "`require` of what the entry does not declare"),
    UNKNOWN_MODULE: Rule("unknown-module", "error", "a module that does not exist is declared"),
    UNKNOWN_IMPORT: Rule("unknown-import", "error", "an import names no library"),
    COLLISION: Rule(
        "alias-collision", "error", "one alias stands for two things, or one thing is named twice"
    ),
    UNDEFINED: Rule("undefined-name", "error", "a global is read that nothing defines"),
    UNKNOWN_FIELD: Rule("unknown-field", "error", "a module or library does not have the field"),
    ENTRY: Rule("entry", "error", "an entry or its file breaks the rules of its kind"),
    POLICY: Rule("policy", "error", "a policy, or the model of policies, can not be understood"),
    EMPTY_BLOCK: Rule("no-empty-blocks", "warning", "a block without statements", True),
    GLOBAL_ASSIGN: Rule("no-global-assign", "warning", "a global is written", True),
    SELF_COMPARE: Rule("no-self-compare", "error", "a value is compared with itself", True),
    UNUSED_VARIABLE: Rule("no-unused-vars", "warning", "a local is never read", True),
    UNUSED_PARAMETER: Rule("no-unused-params", "hint", "a parameter is never read", True),
    UNUSED_IMPORT: Rule("no-unused-imports", "warning", "what was required is never used", True),
    SHADOWED: Rule("no-shadowed-vars", "hint", "a name hides one of an outer block", True),
    UNREACHABLE: Rule("unreachable-code", "warning", "statements that nothing leads to"),
    ARITY: Rule("wrong-arity", "warning", "a known function gets too few or too many arguments"),
    HIDDEN: Rule("alias-hides", "warning", "an import has the name of a global of the sandbox"),
}
