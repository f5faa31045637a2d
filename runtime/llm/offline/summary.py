"""A text is made shorter by leaving sentences out: those stay that hold most of what the text speaks of.

No sentence is invented or changed, and the order stays. The size is kept in bytes, which are never fewer than
characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from runtime.llm.request import Message, text_of

DEFAULT_SIZE = 4000

_SIZE = re.compile(r"(\d[\d,]*)\s+characters")
_RULE = re.compile(r"^-{3,}\s*$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_STRONG = re.compile(
    r"^\s*(?:user|question)\s*:|[?]\s*$|\b(?:decided|must|never|error|result)\b", re.IGNORECASE
)
MAX_SENTENCE = 600


def summarize(messages: Sequence[Message]) -> str:
    """Return what the messages ask to be shortened, in at most the size that they name."""
    asked = "\n".join(text_of(message) for message in messages if message["role"] == "user")
    rules = list(_RULE.finditer(asked))
    material, words = asked, asked
    if len(rules) >= 2:
        material, words = asked[rules[0].end() : rules[-1].start()].strip(), asked[: rules[0].start()]
    sizes = [int(size.replace(",", "")) for size in _SIZE.findall(words)]
    return shorten(material, sizes[0] if sizes else DEFAULT_SIZE)


def shorten(text: str, size: int) -> str:
    """Return at most `size` bytes of whole sentences of `text`; one that alone is too long is cut."""
    if len(text.encode()) <= size:
        return text
    sentences = _sentences(text)
    chosen: set[int] = set()
    room = size
    for index in _ranked(sentences):
        needed = len(sentences[index].encode()) + 1
        if needed <= room:
            chosen.add(index)
            room -= needed
    if not chosen:
        return sentences[0].encode()[:size].decode("utf-8", "ignore") if sentences else ""
    return "\n".join(sentences[index] for index in sorted(chosen))


def _sentences(text: str) -> list[str]:
    pieces = (piece.strip() for line in text.splitlines() for piece in re.split(r"(?<=[.!?])\s+", line))
    cut = (piece if len(piece) <= MAX_SENTENCE else piece[:MAX_SENTENCE].rstrip() + "..." for piece in pieces)
    return list(dict.fromkeys(piece for piece in cut if piece))


def _ranked(sentences: Sequence[str]) -> list[int]:
    """Return the sentences, best first: by how often their words occur, with weight on both ends.

    Sentences of the same words count less each time, so a refrain does not fill the summary.
    """
    words = [frozenset(_WORD.findall(sentence.lower())) for sentence in sentences]
    counts = Counter(word for each in words for word in each)
    repeated: Counter[frozenset[str]] = Counter()
    last = len(sentences) - 1
    scores: list[float] = []
    for index, sentence in enumerate(sentences):
        repeated[words[index]] += 1
        common = sum(counts[word] for word in words[index]) / (len(words[index]) + 4)
        ends = 3.0 if index == 0 or index > last - 3 else 0.0
        strong = 2.0 if _STRONG.search(sentence) else 0.0
        scores.append((common + 1.0) / repeated[words[index]] ** 2 + ends + strong)
    return sorted(range(len(sentences)), key=lambda index: (-scores[index], index))
