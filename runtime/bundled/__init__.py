"""Floor 7: the modules that ship with the runtime, YAML and Lua of our own under the ids of the field.

Each component is a folder `wippy/<name>` that the loader reads like a locked module. Its entries have the
origin `module`, which the loader gives them because of where they lie, never because of a name.
"""

from __future__ import annotations

from pathlib import Path

COMPONENTS: tuple[str, ...] = ("wippy/agent", "wippy/llm", "wippy/security", "wippy/terminal")
"""The components that ship, in order of name; a project names them in its `ns.dependency` entries."""


def bundled_root() -> Path:
    """Return the folder of the components: the component `wippy/llm` is its subfolder `wippy/llm`."""
    return Path(__file__).resolve().parent
