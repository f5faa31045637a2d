"""What one evaluation may spend: steps and the size of what it makes."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.core.errors import Invalid

STEPS = 100_000
SIZE = 1_000_000  # characters and items made on the way


@dataclass(slots=True)
class Budget:
    """What is left; both raise Invalid when it is spent."""

    steps: int = STEPS
    size: int = SIZE

    def step(self, count: int = 1) -> None:
        """Spend `count` steps."""
        self.steps -= count
        if self.steps < 0:
            raise Invalid("the expression takes too many steps: give it less data, or do it in Lua")

    def make(self, size: int) -> None:
        """Spend `size` characters or items, before they are made."""
        self.size -= size
        if self.size < 0:
            raise Invalid("the expression makes too much data: give it less, or do it in Lua")
