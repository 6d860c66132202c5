"""Search without diacritics: the index of a built language gets folded forms of its words.

Material's search folds nothing, so "luong tu" would not find "lượng tử". Each entry gets the folded form
of the words that change, in a hidden paragraph: found, but not shown in the teaser. Vietnamese loses its
marks and đ; Russian ё becomes е, and й stays й.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

_WORD = re.compile(r"[^\W\d_]+")
_TAG = re.compile(r"<[^>]*>")


def fold(word: str, lang: str) -> str:
    """The form a hurried person types."""
    if lang == "ru":
        return word.replace("ё", "е").replace("Ё", "Е")
    plain = unicodedata.normalize("NFD", word.replace("đ", "d").replace("Đ", "D"))
    return "".join(c for c in plain if not unicodedata.combining(c))


def fold_index(site: Path, lang: str) -> int:
    """Add folded words to site/search/search_index.json; returns how many entries got some."""
    file = site / "search" / "search_index.json"
    index = json.loads(file.read_text(encoding="utf-8"))
    touched = 0
    for entry in index["docs"]:
        words = _WORD.findall(_TAG.sub(" ", f"{entry['title']} {entry['text']}"))
        folded = dict.fromkeys(f.lower() for w in words if (f := fold(w, lang)) != w)
        if folded:
            entry["text"] += f"<p hidden>{' '.join(folded)}</p>"
            touched += 1
    file.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return touched
