"""What policy refused is recorded every time, and said once at the terminal, up to a bound."""

from __future__ import annotations

from collections.abc import Callable

from runtime.core.text import visible
from runtime.security.guard import Denial

SAID = 20  # lines of one run


class Denials:
    """Hears of each refusal: `record` writes it into the journal, `say` shows one line to people."""

    def __init__(self, record: Callable[[Denial], None], say: Callable[[str], None]) -> None:
        self._record = record
        self._say = say
        self._said: set[Denial] = set()

    def __call__(self, denial: Denial) -> None:
        """Record `denial`; say it unless the same was said, or too much was."""
        self._record(denial)
        if denial in self._said or len(self._said) > SAID:
            return
        self._said.add(denial)
        if len(self._said) > SAID:
            self._say("more was refused: see `runtime journal show --type policy.denied`")
        else:
            self._say(visible(denial.message).replace("\n", "\\n"))
