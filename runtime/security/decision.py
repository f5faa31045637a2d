"""What the engine answers: one of three results, never without its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Result = Literal["allow", "deny", "undefined"]


@dataclass(frozen=True, slots=True)
class Decision:
    """`reasons` are the ids of all policies that decided, in order; `why` says the same in words."""

    result: Result
    reasons: tuple[str, ...]
    why: str

    @property
    def allowed(self) -> bool:
        """Whether the result is an explicit allow."""
        return self.result == "allow"


def undefined(why: str) -> Decision:
    """Return the decision that allows nothing, because of `why`."""
    return Decision("undefined", (), why)


def decided(allows: tuple[str, ...], denies: tuple[str, ...]) -> Decision:
    """Return the decision of the policies that apply: any deny, else any allow, else undefined."""
    if denies:
        return Decision("deny", denies, f"denied by {named(denies)}")
    if allows:
        return Decision("allow", allows, f"allowed by {named(allows)}")
    return undefined("no policy allows it")


def named(policies: tuple[str, ...]) -> str:
    """Return "policy `a`" or "policies `a`, `b`"."""
    return ("policy " if len(policies) == 1 else "policies ") + ", ".join(f"`{each}`" for each in policies)
