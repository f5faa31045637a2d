"""The jail of a run: at the level of the user's settings, and the owner is asked where a net is missing."""

from __future__ import annotations

from collections.abc import Callable, Collection

from runtime.app.wording import Wording
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
    asks: tuple[Terminal, Wording] | None,
) -> Jail:
    """Return the jail; `asks` is who may be asked, None where nobody sits at the terminal."""
    level = Level(settings.get("jail.level") or Level.FULL)

    async def agree(missing: Collection[str]) -> bool:
        assert asks is not None
        terminal, wording = asks
        return wording.agrees(
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
        agree=agree if asks else None,
    )


def warm(launcher: ZygoteLauncher) -> Callable[[Change], None]:
    """Return a listener that starts the zygote once code is born, which somebody is about to call."""

    def listen(change: Change) -> None:
        if change.origin is Origin.RUNTIME and any(op.entry.kind.endswith(".lua") for op in change.ops):
            launcher.prewarm()

    return listen
