"""What the host lets a Lua state do again without asking: messages, processes and calls that it just allowed.

A yes is given to an authority, which is one number for one context, under the epoch in which it was decided:
it ends when policies or entries change. It is given only where the same question would be answered alike
whatever else a request may say, and never to what runs in a jail.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from runtime.lua.dispatch import Caller
from runtime.lua.program import Program
from runtime.process.confine import TRUSTED
from runtime.process.tasks import Tasks
from runtime.security.actor import Context
from runtime.security.guard import Guard

MAX_CONTEXTS = 1024


class Grants:
    """Words a yes for the kernel. `epoch` is to be read before anything is decided."""

    def __init__(self, tasks: Tasks, guard: Guard) -> None:
        self._tasks = tasks
        self._guard = guard
        self._contexts: OrderedDict[object, int] = OrderedDict()
        self._last = 0

    @property
    def epoch(self) -> int:
        """How often policies and entries have changed."""
        return self._tasks.epoch

    def send(self, caller: Caller, pid: str, epoch: int) -> dict[str, Any] | None:
        """Return the yes to more messages from `caller` to `pid`, or to all of its Lua state; else None."""
        if not self._tasks.are_neighbours(caller.task, pid):
            return None
        if self._guard.is_standing(caller.context, "process.send"):
            return self._grant(caller, epoch)
        return {"epoch": epoch}

    def spawn(
        self, caller: Caller, program: Program, host: str, actions: dict[str, str], epoch: int
    ) -> dict[str, Any] | None:
        """Return the yes to more processes of `program`; `actions` are what was asked, on which resource."""
        if caller.host != host or not self._tasks.has_endless_room(host):
            return None
        if not all(self._guard.is_standing(caller.context, *asked) for asked in actions.items()):
            return None
        return self.run(caller, program, epoch)

    def run(self, caller: Caller, program: Program, epoch: int) -> dict[str, Any] | None:
        """Return the yes to running `program` again for the context of `caller`, which was allowed to."""
        if program.origin not in TRUSTED:
            return None
        grant = self._grant(caller, epoch)
        if grant is not None:
            grant.update(key=program.key, program=self._tasks.adoption.allowed.number_of(program))
        return grant

    def _grant(self, caller: Caller, epoch: int) -> dict[str, Any] | None:
        task = self._tasks.get(caller.task)
        if task is None or task.jailed or task.commands.interrupted:
            return None
        first, last = self._tasks.reserve()
        return {
            "authority": self._authority(caller.context),
            "epoch": epoch,
            "depth": task.depth,
            "first": first,
            "last": last,
        }

    def _authority(self, context: Context) -> int:
        actor = context.actor
        # Not the context itself: for Python the meta 1, 1.0 and true are the same, for a policy they are not.
        key = (actor and (actor.id, actor.meta_key), context.scope)
        known = self._contexts.get(key)
        if known is None:
            self._last += 1
            known = self._contexts[key] = self._last
            if len(self._contexts) > MAX_CONTEXTS:
                self._contexts.popitem(last=False)
        else:
            self._contexts.move_to_end(key)
        return known
