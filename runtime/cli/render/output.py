"""Standard output in the three formats: aligned text for people, plain text, one JSON object a line.

Every JSON object carries `schema`. Nothing but results goes to standard output; everything said beside them
goes to standard error. A closed pipe ends the program quietly.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TextIO

from runtime.core.errors import Error, Many
from runtime.core.text import visible


class Format(StrEnum):
    """What `--format` takes."""

    HUMAN = "human"
    PLAIN = "plain"
    JSON = "json"


def show_json(schema: str, value: Mapping[str, Any], file: TextIO | None = None) -> None:
    """Write one JSON object on one line, to standard output or to `file`."""
    line = json.dumps({"schema": schema, **value}, ensure_ascii=False, default=_plain) + "\n"
    if file is None:
        _write(line)
    else:
        file.write(line)


def show_text(text: str) -> None:
    """Write `text` and a line end."""
    _write(visible(text) + "\n")


def show_rows(schema: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], form: Format) -> None:
    """Write `rows`: as JSON one object a row, as plain text tab-separated, else aligned under a heading."""
    rows = list(rows)
    if form is Format.JSON:
        for row in rows:
            show_json(schema, row)
        return
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    if form is Format.PLAIN:
        for line in cells:
            show_text("\t".join(line))
        return
    widths = [max([len(column), *(len(line[at]) for line in cells)]) for at, column in enumerate(columns)]
    for line in [[column.upper() for column in columns], *cells]:
        show_text("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    if not rows:
        say("none")


def show_error(error: Error, form: Format) -> None:
    """Write `error`, with every error inside it, to standard error."""
    errors: Sequence[Error] = error.errors if isinstance(error, Many) else [error]
    for each in errors:
        if form is Format.JSON:
            body = json.dumps({"schema": "error/1", **each.to_value()}, ensure_ascii=False, default=_plain)
            print(body, file=sys.stderr)
        else:
            print(f"error: {visible(str(each))}", *each.frame, sep="\n  ", file=sys.stderr)


def say(text: str) -> None:
    """Write a notice to standard error."""
    print(visible(text), file=sys.stderr)


def close_quietly() -> None:
    """Point standard output at nothing, so that ending the program does not complain about a closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(text: str) -> None:
    sys.stdout.write(text)


def _cell(value: object) -> str:
    return "" if value is None else str(value).replace("\n", " ").replace("\t", " ")


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
