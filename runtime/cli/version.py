"""`runtime version`: which runtime, which Lua and which Python."""

from __future__ import annotations

import platform

import click

from runtime import __version__
from runtime.cli.options import format_option
from runtime.cli.render.output import Format, show_json, show_text


@click.command()
@format_option
def version(form: Format) -> None:
    """Show the versions of the runtime, Lua and Python."""
    import lupa.lua54 as lupa

    lua = ".".join(str(part) for part in lupa.LuaRuntime().lua_version)
    if form is Format.JSON:
        show_json("version/1", {"runtime": __version__, "lua": lua, "python": platform.python_version()})
    else:
        show_text(f"runtime {__version__}, Lua {lua}, Python {platform.python_version()}")
