"""From a text to known words: splitting, morphology (pymorphy3, loaded at the first Russian word), numerals, small typing errors."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache

from referee.calls import lexicon
from referee.calls.errors import CallError

MAX_LENGTH = 1000
MAX_WORDS = 150

Gram = tuple[str, str, str]  # case, number, gender ("" in the plural)
NO_CASE: frozenset[Gram] = frozenset()

_PIECE = re.compile(r"[^\W\d_]+|\d+|[,;+&>=→\n—–−-]|\S")
_SEPARATORS = {
    ",": "AND",
    "+": "AND",
    "&": "AND",
    "—": "AND",
    "–": "AND",
    "−": "AND",
    "→": "AND",
    ">": "AND",
    "=": "AND",
    ";": "HARD",
    "\n": "HARD",
}
_IGNORED = set(".:!?«»\"'“”„()/[]…’`*")
_ORDINAL_ENDS = frozenset(("х", "ух", "ех", "мя", "го", "м", "й", "я", "ю", "е", "ая", "ый", "ого", "му", "ой", "ом", "ти"))
_ELISIONS = frozenset(("m", "ll", "d", "ve", "re", "s"))
_SAID_FIRST = "double call two both 2 balls straight pots my два оба обоих шара прямых удара двойной заказ дабл мой"
_HEADINGS = frozenset(_SAID_FIRST.split())
_HOMOGLYPHS = str.maketrans("aceopxykmthb", "асеорхукмтнв")
_ALPHABET_RU = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
_ALPHABET_EN = "abcdefghijklmnopqrstuvwxyz"
BOTH = "both"  # the own ball and another one
_BOTH = {"оба": "nomn", "обоих": "gent", "both": ""}
# What may follow «к» the preposition; before anything else «к» is short for «красный».
_AFTER_TO = {"COLOUR", "OWNER", "BALLNOUN", "SIDE", "END", "CLASS", "LUZA", "BORT", "CADJ"}
_PLACES = {"SIDE", "END", "CLASS", "LUZA"}


@dataclass(frozen=True, slots=True)
class Word:
    """A known word. `grams` are the case, number and gender that its form may have (empty: the form does not tell)."""

    kind: str
    value: str
    text: str
    start: int
    end: int
    grams: frozenset[Gram] = NO_CASE

    @property
    def cases(self) -> frozenset[str]:
        return frozenset(case for case, _, _ in self.grams)


def normalise(text: str) -> str:
    """Lower case, «ё» as «е», no stress marks; the length is kept wherever the text is plain."""
    composed = unicodedata.normalize("NFC", text).replace("\u0301", "").replace("\u00ad", "")
    return composed.lower().replace("ё", "е").replace("\r", " ").replace("’", "'")


def words_of(text: str) -> list[Word]:
    """The known words of `text` in order, fillers left out. Raises CallError for a word that is not known."""
    plain = normalise(text)
    if len(plain) > MAX_LENGTH:
        raise CallError(f"a call has at most {MAX_LENGTH} characters", part=plain[:40] + "…")
    pieces = [(match.group(), match.start(), match.end()) for match in _PIECE.finditer(plain)]
    pieces = [piece for piece in _without_headings(_joined(pieces, plain)) if piece[0] not in _IGNORED]
    if len(pieces) > MAX_WORDS:
        raise CallError(f"a call has at most {MAX_WORDS} words", part=plain[:40] + "…")
    return _in_context([word for word in _known(pieces) if word.kind != "FILLER"])


def _joined(pieces: list[tuple[str, int, int]], plain: str) -> list[tuple[str, int, int]]:
    """Numbers with their endings («2-х», «1го») become one piece; a hyphen between letters is a space, one between spaces a dash."""
    out: list[tuple[str, int, int]] = []
    skip = 0
    for i, (piece, start, end) in enumerate(pieces):
        if skip:
            skip -= 1
            continue
        if piece.isdecimal():
            rest = pieces[i + 1 : i + 3]
            if rest and rest[0][0] in _ORDINAL_ENDS and rest[0][1] == end:
                out.append((piece, start, rest[0][2]))
                skip = 1
                continue
            if rest and rest[0][0] == ")":
                out.append((";", start, rest[0][2]))  # «1) …, 2) …»
                skip = 1
                continue
            if len(rest) == 2 and rest[0][0] == "-" and rest[1][0] in _ORDINAL_ENDS and rest[1][1] == end + 1:
                out.append((piece, start, rest[1][2]))
                skip = 2
                continue
        if piece == "w" and plain[end : end + 1] == "/":
            out.append(("with", start, end))  # «w/», «w/o»
            skip = 1
            if plain[end : end + 2] == "/o" and not plain[end + 2 : end + 3].isalpha():
                out[-1], skip = ("without", start, end + 2), 2
            continue
        if piece in _ELISIONS and start and plain[start - 1] == "'":
            continue  # «I'm», «I'll», «opponent's»
        if piece == "-":
            spaced = start == 0 or plain[start - 1].isspace() or end == len(plain) or plain[end].isspace()
            if not spaced:
                continue
            piece = "—"
        out.append((piece, start, end))
    return out


def _without_headings(pieces: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """«double: …», «два шара: …» announce two balls; without the colon «double» is a cushion."""
    colon = next((i for i, piece in enumerate(pieces) if piece[0] == ":"), 0)
    start = colon
    while start and pieces[start - 1][0] in _HEADINGS:
        start -= 1
    return pieces[:start] + pieces[colon:]


def _known(pieces: list[tuple[str, int, int]]) -> list[Word]:
    words: list[Word] = []
    i = 0
    while i < len(pieces):
        phrase, length = _phrase_at(pieces, i)
        if phrase is not None:
            text = " ".join(piece[0] for piece in pieces[i : i + length])
            words.append(Word(phrase[0], phrase[1], text, pieces[i][1], pieces[i + length - 1][2]))
            i += length
            continue
        text, start, end = pieces[i]
        shorthand = lexicon.SHORTHAND.get(text)
        words += [Word(kind, value, text, start, end) for kind, value in shorthand] if shorthand else [_word(text, start, end)]
        i += 1
    return words


def _phrase_at(pieces: list[tuple[str, int, int]], i: int) -> tuple[tuple[str, str] | None, int]:
    for length in (5, 4, 3, 2, 1):
        key = tuple(piece[0] for piece in pieces[i : i + length])
        if len(key) == length:
            found = lexicon.PHRASES_RU.get(key) or lexicon.PHRASES_EN.get(key)
            if found is not None:
                return found, length
    return None, 0


def _word(piece: str, start: int, end: int) -> Word:
    if piece in _SEPARATORS:
        return Word(_SEPARATORS[piece], "", piece, start, end)
    if piece.isdecimal():
        return Word("NUM", str(int(piece)) if len(piece) < 4 else "999", piece, start, end)
    found = _english(piece) if piece.isascii() else _russian(piece)
    if found is None and piece.isascii():
        found = _russian(piece.translate(_HOMOGLYPHS)) if set(piece) <= set("aceopxykmthb") else None
    if found is None:
        raise CallError(f"«{piece}» is not understood", part=piece)
    kind, value, grams = found
    return Word(kind, value, piece, start, end, grams)


Entry = tuple[str, str, frozenset[Gram]]


def _english(piece: str) -> Entry | None:
    found = lexicon.ENGLISH.get(piece)
    if found is None and piece.endswith("s"):
        found = lexicon.ENGLISH.get(piece[:-1]) if len(piece) > 4 else None
    if found is None and len(piece) >= 5:
        found = _only({lexicon.ENGLISH[near] for near in _neighbours(piece, _ALPHABET_EN) if len(near) >= 4 and near in lexicon.ENGLISH})
    return (found[0], found[1], NO_CASE) if found is not None else None


def _russian(piece: str) -> Entry | None:
    for table in (lexicon.FIXED, lexicon.SHORT_BALLS):
        if piece in table:
            return (*table[piece], NO_CASE)
    forms = _forms()
    if piece in forms:
        return forms[piece]
    if not set(piece) <= set(_ALPHABET_RU) and not piece.isascii():
        return _russian(mended) if (mended := piece.translate(_HOMOGLYPHS)) != piece else None  # «yгол» with a Latin y
    if not set(piece) <= set(_ALPHABET_RU):
        return None  # the dictionary trips over letters of rare alphabets
    morph = _morph()
    lemmas = {parse.normal_form.replace("ё", "е") for parse in morph.parse(piece)}
    if lemmas & lexicon.KNOCK_LEMMAS:
        return ("KNOCK", "", NO_CASE)
    if lemmas & lexicon.FILLER_LEMMAS:
        return ("FILLER", "", NO_CASE)
    heard = piece[:-2] + "го" if piece.endswith(("ова", "ово", "ева", "ево")) else ""  # «чужова» as it is heard
    if heard[:-3] + "ого" in forms and heard:
        return forms[heard[:-3] + "ого"]
    if len(piece) >= 5 and not morph.word_is_known(piece):
        return _only({forms[near] for near in _neighbours(piece, _ALPHABET_RU) if len(near) >= 4 and near in forms})
    return None


def _only(found: set) -> tuple | None:
    """The one word that was meant, or None if there is none or more than one (forms of one word are the same word)."""
    if len({entry[:2] for entry in found}) != 1:
        return None
    first = next(iter(found))
    if len(first) == 2:
        return first
    if first[0] in ("COLOUR", "OWNER", "BALLNOUN"):  # a ball's case says what it does: forms of different cases are different meanings
        shared = frozenset.intersection(*(entry[2] for entry in found))
        return (*first[:2], shared) if shared else None
    return (*first[:2], frozenset().union(*(entry[2] for entry in found)))


def _neighbours(word: str, alphabet: str) -> set[str]:
    """All strings one typing error away (a letter lost, added, changed, or two exchanged)."""
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    lost = {a + b[1:] for a, b in splits if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    changed = {a + c + b[1:] for a, b in splits if b for c in alphabet}
    added = {a + c + b for a, b in splits for c in alphabet}
    return lost | swapped | changed | added


@cache
def _morph():
    import pymorphy3  # 0.2 s: only when a Russian call is read

    return pymorphy3.MorphAnalyzer()


@cache
def _forms() -> dict[str, Entry]:
    """Every form of every inflected word: kind, value and what the form may be."""
    collected: dict[str, tuple[str, str, set[Gram]]] = {}
    groups = [
        (lexicon.ADJECTIVES, ("ADJF",)),
        (lexicon.NOUNS, ("NOUN",)),
        ({k: ("NUM", v) for k, v in lexicon.NUMERALS.items()}, ("NUMR",)),
    ]
    for group, parts in groups:
        for lemma, (kind, value) in group.items():
            for form, gram in _lexeme(lemma, parts):
                entry = collected.setdefault(form, (kind, value, set()))
                if entry[:2] == (kind, value):
                    entry[2].add(gram)
    return {form: (kind, value, frozenset(grams)) for form, (kind, value, grams) in collected.items()}


def _lexeme(lemma: str, parts: tuple[str, ...]) -> list[tuple[str, Gram]]:
    parses = _morph().parse(lemma)
    chosen = next((p for p in parses if p.tag.POS in parts and p.normal_form.replace("ё", "е") == lemma), parses[0])
    out = []
    for form in chosen.lexeme:
        tag = form.tag
        if tag.POS not in parts or tag.case is None:
            continue
        number = tag.number or "plur"
        case = {"loc2": "loct", "gen2": "gent", "acc2": "accs"}.get(tag.case, tag.case)
        out.append((form.word.replace("ё", "е"), (case, number, (tag.gender or "") if number == "sing" else "")))
    return out


def _counts(after: Word | None) -> bool:
    return after is not None and after.kind in ("BORT", "CADJ", "BALLNOUN", "CONTACT", "EXTRA", "CUSHN")


def _stands_for_cushion(words: list[Word], i: int) -> bool:
    """«от короткого (и длинного) в угол»: the noun goes without saying; not in «от короткого и длинного борта»."""
    kinds = [word.kind for word in words]
    led = kinds[i - 1 : i] if kinds[i - 2 : i] != ["CADJ", "AND"] else kinds[i - 3 : i - 2]
    if not i or not set(led) & {"OFF", "WITHFROM", "THROUGH"} or kinds[i + 1 : i + 3] == ["AND", "CADJ"]:
        return False
    return not set(kinds[i + 1 : i + 2]) & {"BORT", "CADJ", "CLASS", "LUZA", "SIDE", "END"}


def _own_said(words: list[Word], before: list[Word]) -> bool:
    """Whether a ball was named that may go in off another: any before, or the own ball anywhere."""
    return any(w.kind in _BALLS for w in before) or any(w.kind in _BALLS and w.value == "own" for w in words)


def _knocking(words: list[Word]) -> list[Word]:
    """«сбить фишку», «фишку сбить», «сбить жёлтым фишку» are «по фишке»; of another ball the verb is one more word for a stroke."""
    out = [word for word in words if word.kind != "KNOCK"]
    knocks = [word for word in words if word.kind == "KNOCK"]
    blacks = [i for i, word in enumerate(out) if word.value == "black" and (i == 0 or out[i - 1].value != "black")]
    if knocks and len(blacks) == 1:
        black = out[blacks[0]]
        if blacks[0] == 0 or out[blacks[0] - 1].kind not in _LEADS:
            out.insert(blacks[0], replace(knocks[0], kind="TO", start=black.start, end=black.start))
    return out


_LEADS = {"OFF", "WITHFROM", "THROUGH", "TO", "AGAINST", "BY", "WITH", "OVER", "LEAP"}
_BALLS = {"COLOUR", "OWNER", "BALLNOUN"}


def _with_both(words: list[Word]) -> list[Word]:
    """«оба (шара) в угол» is the own ball and another one; after two balls («свой и чужой, оба в угол») the word adds nothing."""
    out: list[Word] = []
    skip = False
    for i, word in enumerate(words):
        if skip:
            skip = False
            continue
        before, after = (words[i - 1] if i else None), (words[i + 1] if i + 1 < len(words) else None)
        if word.text not in _BOTH or word.kind != "NUM" or (before is not None and before.kind in _LEADS):
            out.append(word)
            continue
        said = [w for w in words[:i] if w.kind not in ("AND", "HARD")]
        if (said and said[-1].kind in _BALLS) or _two_follow(words[i + 1 :]):
            continue
        if _counts_things(after):
            out.append(word)
            continue
        case = _BOTH[word.text]
        out.append(Word("OWNER", BOTH, word.text, word.start, word.end, frozenset({(case, "plur", "")} if case else ())))
        skip = after is not None and after.kind == "BALLNOUN" and (not after.grams or "gent" in after.cases)
    return out


def _two_follow(words: list[Word]) -> bool:
    """«both own and other»."""
    kinds = [word.kind for word in words[:5] if word.kind != "BALLNOUN" or word.value]
    return len(kinds) > 2 and kinds[0] in _BALLS and kinds[1] == "AND" and kinds[2] in _BALLS


def _counts_things(after: Word | None) -> bool:
    """«оба борта», «оба чужих»: a number all the same."""
    if after is None:
        return False
    return after.kind in ("BORT", "CADJ", "CUSHN", "OWNER", "COLOUR") or (after.kind == "BALLNOUN" and after.value != "")


def _in_context(words: list[Word]) -> list[Word]:
    """Abbreviations whose meaning their neighbours tell: «б» (white, near, cushion), «r» (red, right), «hit» and «touch»."""
    out: list[Word] = []
    words = _with_both(_knocking(words))
    for i, word in enumerate(words):
        before, after = (words[i - 1] if i else None), (words[i + 1] if i + 1 < len(words) else None)
        kind, value = word.kind, word.value
        place_next = after is not None and after.kind in _PLACES
        place_before = before is not None and before.kind in _PLACES
        if word.text == "б":
            if before is not None and before.kind in ("NUM", "OFF", "WITHFROM", "THROUGH"):
                kind, value = "BORT", ""
            elif place_next or place_before:
                kind, value = "END", "home"
        elif word.text == "к" and (after is None or after.kind not in _AFTER_TO):
            kind, value = "COLOUR", "red"
        elif word.text == "с" and before is not None and before.kind == "TO":
            kind, value = "CLASS", "middle"
        elif word.text == "c" and before is not None and before.kind == "NUM":
            kind, value = "BORT", ""
        elif word.text == "r" and (place_next or place_before):
            kind, value = "SIDE", "right"
        elif word.text == "one" and before is not None and before.kind in ("COLOUR", "OWNER") and not _counts(after):
            continue  # «the yellow one»
        elif word.text in ("jump", "jumps") and after is not None and after.kind == "COLOUR":
            kind = "LEAP"
        elif kind == "CROSS":  # «cross corner» is a bank, «cross bank» one too
            if not place_next:
                continue
            kind = "BORT"
        elif kind == "NUM" and word.text.startswith("двойн") and (after is None or after.kind != "BORT"):
            continue  # «двойной заказ»
        elif word.value == "1" and kind == "CUSHN" and word.text.isascii() and after is not None and after.text == "bank":
            value = "2"  # «double bank», also mistyped
        elif kind == "CADJ" and not value and _stands_for_cushion(words, i):
            out.append(word)
            kind = "BORT"
        elif word.text == "in off" and after is not None and after.kind in _BALLS and not _own_said(words, out):
            out.append(Word("OWNER", "own", word.text, word.start, word.end))  # «in-off the yellow»
        elif word.text == "any" and (place_next or (after is not None and after.text == "one")):
            kind, value = "CLASS", "any"
        elif word.text in ("hit", "hits", "hitting") and after is not None and after.value == "black":
            kind = "TO"  # «hit the black with the yellow»
        elif word.text in ("hit", "hits", "hitting", "touch") and (before is None or before.kind not in ("NUM", "EXTRA")):
            continue
        out.append(Word(kind, value, word.text, word.start, word.end, word.grams))
    return out
