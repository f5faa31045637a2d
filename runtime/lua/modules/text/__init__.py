"""The module `text`: regular expressions, differences between texts, and splitting of long texts."""

from __future__ import annotations

from runtime.lua.module import module_from_folder
from runtime.lua.modules.text import diff, regexp, splitter

MODULE = module_from_folder(
    __file__,
    functions={
        "compile": regexp.compile_pattern,
        "match_string": regexp.match_string,
        "find": regexp.find,
        "find_all": regexp.find_all,
        "find_submatch": regexp.find_submatch,
        "find_all_submatch": regexp.find_all_submatch,
        "find_index": regexp.find_index,
        "find_all_index": regexp.find_all_index,
        "replace_all": regexp.replace_all,
        "split": regexp.split,
        "compare": diff.compare,
        "summarize": diff.summarize,
        "pretty_text": diff.pretty_text,
        "pretty_html": diff.pretty_html,
        "patch_make": diff.patch_make,
        "patch_apply": diff.patch_apply,
        "check_options": splitter.check_options,
        "split_recursive": splitter.split_recursive,
        "split_markdown": splitter.split_markdown,
    },
    page="lua/text/text",
    summary="Regular expressions (RE2), differences and patches, splitting of long texts.",
    classes=("deterministic",),
)
