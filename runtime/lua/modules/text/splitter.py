"""Splits long texts into chunks at the best boundary that fits: paragraphs, lines, words, then characters.

Sizes count characters. A chunk longer than `chunk_size` appears only where a Markdown block was asked to stay
whole. Adjacent chunks share up to `chunk_overlap` characters of whole pieces.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from runtime.core.errors import Invalid
from runtime.core.values import Value

MAX_TEXT = 4_000_000
MAX_CHUNKS = 100_000
MAX_OUTPUT = 12_000_000
DEFAULT_SIZE = 512
DEFAULT_OVERLAP = 100
SEPARATORS = ("\n\n", "\n", " ", "")
_HEADING = re.compile(r"(#{1,6})\s+\S")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_REFERENCE = re.compile(r"\s{0,3}\[([^\]]{1,200})\]:\s*(\S+)")
_USE = re.compile(r"\[([^\]]{1,200})\]\[([^\]]{0,200})\]")


@dataclass(frozen=True, slots=True)
class Options:
    """What a splitter was made with; the Markdown options are off unless asked for."""

    chunk_size: int = DEFAULT_SIZE
    chunk_overlap: int = DEFAULT_OVERLAP
    separators: tuple[str, ...] = SEPARATORS
    keep_separator: bool = False
    code_blocks: bool = False
    reference_links: bool = False
    heading_hierarchy: bool = False
    join_table_rows: bool = False


def check_options(options: object) -> Value:
    """Return the options that a splitter will use, defaults filled in; raise Invalid for others."""
    used = _options(options)
    return {"chunk_size": used.chunk_size, "chunk_overlap": used.chunk_overlap}


def split_recursive(text: str, options: object) -> Value:
    """Return the chunks of a text."""
    return list(_recursive(_checked(text), _options(options)))


def split_markdown(text: str, options: object) -> Value:
    """Return the chunks of a Markdown text; blocks are kept together as the options say."""
    return list(_markdown(_checked(text), _options(options)))


def _options(options: object) -> Options:
    if options is None or options in ([], {}):
        return Options()
    if not isinstance(options, Mapping):
        raise Invalid("options must be a table", retryable=False)
    known = Options.__dataclass_fields__
    unknown = sorted(str(name) for name in options if name not in known)
    if unknown:
        raise Invalid(f"unknown option `{unknown[0]}`: expected {', '.join(known)}", retryable=False)
    values: dict[str, object] = {}
    for name, value in options.items():
        default = known[name].default
        if name == "separators":
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise Invalid("separators must be an array of strings", retryable=False)
            values[name] = (*value[:64], "")
        elif isinstance(value, float) and value.is_integer() and not isinstance(default, bool):
            values[name] = int(value)
        elif type(value) is not type(default):
            raise Invalid(f"{name} must be a {type(default).__name__}", retryable=False)
        else:
            values[name] = value
    used = Options(**values)  # type: ignore[arg-type]
    if used.chunk_size < 1:
        raise Invalid("chunk_size must be at least 1", retryable=False)
    if "chunk_overlap" not in values:
        used = Options(**{**values, "chunk_overlap": min(DEFAULT_OVERLAP, used.chunk_size // 2)})  # type: ignore[arg-type]
    if not 0 <= used.chunk_overlap < used.chunk_size:
        raise Invalid("chunk_overlap must be at least 0 and less than chunk_size", retryable=False)
    return used


def _checked(text: object) -> str:
    if not isinstance(text, str):
        raise Invalid("text must be a string of valid UTF-8", retryable=False)
    if len(text) > MAX_TEXT:
        raise Invalid(f"text of {len(text)} characters is over the limit of {MAX_TEXT}", retryable=False)
    return text


def _recursive(text: str, options: Options) -> list[str]:
    pieces = _pieces(text, options, options.separators)
    return _bounded(_pack(pieces, options))


def _pieces(text: str, options: Options, separators: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return (separator before it, piece): every piece fits into a chunk, and together they are the text."""
    if len(text) <= options.chunk_size:
        return [("", text)] if text else []
    index = next((i for i, sep in enumerate(separators) if sep and sep in text), len(separators))
    if index == len(separators):
        step = options.chunk_size
        return [("", text[at : at + step]) for at in range(0, len(text), step)]
    separator, finer = separators[index], separators[index + 1 :]
    found: list[tuple[str, str]] = []
    for number, part in enumerate(text.split(separator)):
        inner = _pieces(part, options, finer) or [("", "")]
        if number:
            inner[0] = (separator, inner[0][1])
        found += inner
    return found


def _pack(pieces: list[tuple[str, str]], options: Options) -> list[str]:
    chunks: list[str] = []
    current: deque[tuple[str, str]] = deque()
    size = 0
    for separator, piece in pieces:
        if current and size + len(separator) + len(piece) > options.chunk_size:
            chunks.append(_join(list(current), options))
            while current and (
                size > options.chunk_overlap or size + len(separator) + len(piece) > options.chunk_size
            ):
                dropped = current.popleft()
                size -= len(dropped[0]) + len(dropped[1])
        current.append((separator, piece))
        size += len(separator) + len(piece)
    if current:
        chunks.append(_join(list(current), options))
    return [chunk for chunk in chunks if chunk.strip()]


def _join(pieces: list[tuple[str, str]], options: Options) -> str:
    first = pieces[0][0] if options.keep_separator else ""
    joined = first + pieces[0][1] + "".join(separator + piece for separator, piece in pieces[1:])
    return joined if options.keep_separator else joined.strip()


def _markdown(text: str, options: Options) -> list[str]:
    references: dict[str, str] = {}
    if options.reference_links:
        text, references = _take_references(text)
    chunks: list[str] = []
    for title, content in _sections(text, options):
        # A heading that would fill half of every chunk is not repeated: it stands as text, once.
        repeated = len(title) <= options.chunk_size // 2
        heading, blocks = (title, content) if repeated else ("", [(False, title), *content])
        head = heading + "\n\n" if heading else ""
        room = Options(
            chunk_size=max(1, options.chunk_size - len(head)),
            chunk_overlap=min(options.chunk_overlap, max(0, options.chunk_size - len(head) - 1)),
            separators=options.separators,
        )
        pieces: list[tuple[str, str]] = []
        for whole, block in blocks:
            inner = [("", block)] if whole else _pieces(block, room, room.separators)
            if inner and pieces:
                inner[0] = ("\n\n", inner[0][1])
            pieces += inner
        packed = _pack(pieces, room) or ([""] if heading else [])
        chunks += [(head + chunk).strip() for chunk in packed]
    if not references:
        return _bounded(chunks)
    size, complete = 0, []
    for chunk in chunks:
        complete.append(_with_references(chunk, references))
        size += len(complete[-1])
        if size > MAX_OUTPUT:
            raise Invalid(
                "reference links make the chunks too large: turn reference_links off", retryable=False
            )
    return _bounded(complete)


def _sections(text: str, options: Options) -> list[tuple[str, list[tuple[bool, str]]]]:
    """Return (headings above, blocks) per section; a block is (must stay whole, text)."""
    sections: list[tuple[str, list[tuple[bool, str]]]] = [("", [])]
    path: list[tuple[int, str]] = []
    for kind, block in _blocks(text):
        if kind == "heading":
            level = len(block) - len(block.lstrip("#"))
            path = [(depth, line) for depth, line in path if depth < level]
            path.append((level, block))
            shown = [line for _, line in path] if options.heading_hierarchy else [block]
            sections.append(("\n".join(shown), []))
        else:
            whole = (kind == "code" and options.code_blocks) or (kind == "table" and options.join_table_rows)
            sections[-1][1].append((whole, block))
    last_empty = [(heading, blocks) for heading, blocks in sections if heading or blocks]
    if not options.heading_hierarchy:
        return last_empty
    return [item for item in last_empty if item[1] or item is last_empty[-1]]


def _blocks(text: str) -> list[tuple[str, str]]:
    blocks: list[tuple[str, str]] = []
    lines: list[str] = []
    kind, fence = "text", ""

    def close(following: str) -> None:
        nonlocal lines, kind
        if any(line.strip() for line in lines):
            blocks.append((kind, "\n".join(lines).strip("\n")))
        lines, kind = [], following

    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                close("text")
        elif mark:
            close("code")
            fence = mark[1]
            lines.append(line)
        elif _HEADING.match(line):
            close("text")
            blocks.append(("heading", line.strip()))
        elif not line.strip():
            close("text")
        else:
            wanted = "table" if line.lstrip().startswith("|") else "text"
            if wanted != kind:
                close(wanted)
            lines.append(line)
    close("text")
    return blocks


def _take_references(text: str) -> tuple[str, dict[str, str]]:
    kept, references = [], {}
    for line in text.split("\n"):
        match = _REFERENCE.match(line)
        if match:
            references[match[1].lower()] = line.strip()
        else:
            kept.append(line)
    return "\n".join(kept), references


def _with_references(chunk: str, references: Mapping[str, str]) -> str:
    used = [match[2] or match[1] for match in _USE.finditer(chunk)]
    lines = [references[name.lower()] for name in dict.fromkeys(used) if name.lower() in references]
    return chunk + "\n\n" + "\n".join(lines) if lines else chunk


def _bounded(chunks: list[str]) -> list[str]:
    if len(chunks) > MAX_CHUNKS:
        raise Invalid(f"more than {MAX_CHUNKS} chunks: choose a larger chunk_size", retryable=False)
    return chunks
