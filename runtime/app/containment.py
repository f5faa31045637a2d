"""The jail of a run: at the level of the user's settings, and the owner is asked where a net is missing."""

from __future__ import annotations

from collections.abc import Callable, Collection

from runtime.jail.child import Jail, Killed
from runtime.jail.level import Level
from runtime.jail.zygote import ZygoteLauncher
from runtime.lua.library import Library
from runtime.registry.entry import Change, Origin
from runtime.registry.settings import Settings
from runtime.services.terminal import Terminal


def contain(
    library: Library,
    settings: Settings,
    launcher: ZygoteLauncher,
    on_killed: Callable[[Killed], None],
    terminal: Terminal,
    agrees: Callable[[str], bool] | None,
) -> Jail:
    """Return the jail; `agrees` reads the owner's answer, None where nobody may be asked."""
    level = Level(settings.get("jail.level") or Level.FULL)
    if level is Level.BASIC:
        terminal.notice("jail.level is basic: code born at run time runs also where nets are missing")

    async def agree(missing: Collection[str]) -> bool:
        assert agrees is not None
        return agrees(
            await terminal.ask(
                f"\nThe jail is not whole here, it lacks: {', '.join(missing)} (see `runtime doctor`).\n"
                "Shall code born at run time run all the same, for this session? [y/N] "
            )
        )

    return Jail(
        library,
        launcher=launcher,
        on_killed=on_killed,
        level=level,
        agree=agree if agrees else None,
    )


def warm(launcher: ZygoteLauncher) -> Callable[[Change], None]:
    """Return a listener that starts the zygote once code is born, which somebody is about to call."""

    def listen(change: Change) -> None:
        if change.origin is Origin.RUNTIME and any(op.entry.kind.endswith(".lua") for op in change.ops):
            launcher.prewarm()

    return listen
