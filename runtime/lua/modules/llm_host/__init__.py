"""The privileged module `llm_host`: the way of the bundled `wippy/llm` to the host's model drivers."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="",
    summary="Model drivers of the host, for the bundled module wippy/llm alone.",
    privileged=True,
    classes=("network", "nondeterministic"),
    commands=("llm.generate", "llm.select"),
)
