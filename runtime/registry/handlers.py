"""Those who make a kind real hear of the operations on it before they are in force, and may reject them.

One rejection takes the whole changeset back: who accepted before is undone, the last first, also where the
journal can not be written afterwards. A handler that raises NotFound is asked again once others have
accepted, until nothing moves any more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from runtime.core.errors import Error, Internal, Many, NotFound
from runtime.registry.entry import Entry, Op

Undo = Callable[[], None]
Handler = Callable[["Step"], Undo | None]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """One operation as its handler sees it; `before` and `after` are None where the entry is not there."""

    op: Op
    before: Entry | None
    after: Entry | None

    @property
    def kind(self) -> str:
        """The kind of the entry, which no operation changes."""
        entry = self.after or self.before
        return entry.kind if entry else ""


class Handlers:
    """The handlers by kind, in the order of their registration."""

    def __init__(self) -> None:
        self._by_kind: dict[str, list[Handler]] = {}

    def add(self, kind: str, handler: Handler) -> None:
        """Ask `handler` about entries of `kind` from now on; it returns what undoes what it did, or None."""
        self._by_kind.setdefault(kind, []).append(handler)

    @contextmanager
    def accepting(self, steps: Iterable[Step]) -> Iterator[None]:
        """Have all of `steps` accepted for as long as nothing is raised inside; raises the rejection."""
        undo: list[Undo] = []
        try:
            self._accept(steps, undo)
            yield
        except BaseException:
            for each in reversed(undo):
                try:
                    each()
                except Exception:
                    _log.exception("a handler can not undo what it did")
            raise

    def _accept(self, steps: Iterable[Step], undo: list[Undo]) -> None:
        waiting = [(step, each) for step in steps for each in self._by_kind.get(step.kind, ())]
        while waiting:
            missing: list[Error] = []
            left: list[tuple[Step, Handler]] = []
            for step, handler in waiting:
                try:
                    done = handler(step)
                except Error as error:
                    rejected = _about(step, error)
                    if not isinstance(error, NotFound):
                        raise rejected from None
                    missing.append(rejected)
                    left.append((step, handler))
                except Exception as error:
                    _log.exception("the handler of `%s` failed", step.op.entry.id)
                    failed = f"handler of `{step.op.entry.id}` failed: {type(error).__name__}"
                    raise _about(step, Internal(failed)) from error
                else:
                    undo += [done] if done else []
            if len(left) == len(waiting):
                raise missing[0] if len(missing) == 1 else Many(missing)
            waiting = left


def _about(step: Step, error: Error) -> Error:
    entry = step.after or step.before
    error.place = error.place or (entry.place if entry else None)
    error.details.setdefault("entry", step.op.entry.id)
    return error
