"""Labels that programs trip over: delimiters, quotes, numbers, look-alikes, sets, tags, groups of the same name."""

from __future__ import annotations

import random

PLAIN = [f"{letter}{digit}" for digit in ("", "1", "2") for letter in "abcdefgh"]
ODD = [
    "007", "7", "07", "7.0", "1e3", "-0", "+7", "10^20", "nan", "NaN", "None", "null", "true", "inf",
    "a,b", "a;b", "a|b", "a\tb", 'a"b', '"a"', "'a'", "a b", " a", "a ", "a  b", "\u00a0a",
    "(a,b)", "(b,a)", "(a)", "()", "(a,b,c)", '(a,"b, c")', "{a,b}", "[1:2]", "[a]", "*", "(all)", "?",
    "A.a", "B.a", "A.b", "A+B", "A.*", "A.foo", "foo", "items", "group", "label", "parent", "item", "id", "node",
    "a*1", "a*2", "a*2*1", "*2", "a=b", "d=x", "d=", "=1+1", "@x", "-x", "#a", "\\", "/", "a/b", "./a", "..",
    "HIV", "hiv", "ＨＩＶ", "H\u200bIV", "HIV ", "é", "e\u0301", "ß", "ss", "SS", "İ", "ı", "𝒜", "😀", "א", "\u202eabc",
    "a | b", "a..b", "a…", "has", "not a", "others", "all", "none", "x" * 60, "a" * 300, "%s", "{0}", "[bold]", "<b>",
    "&amp;", "--k", "-", "_", ".", ",", ";", "|",
]  # fmt: skip
HOSTILE = [
    "a\nb",
    "a\rb",
    "a\r\nb",
    "\x1b[2J",
    "a\0b",
    "\ufeffa",
    "\x85",
    "\u2028",
    "\ud7ff",
    "\x0b",
    "\x0c",
    '"',
    '""',
]


def items(random_: random.Random, count: int) -> list[str]:
    """Different labels of items: mostly plain ones, or mostly odd ones."""
    odd = random_.choice((0.0, 0.0, 0.1, 0.5, 0.9))
    labels: dict[str, None] = {}
    while len(labels) < count:
        if random_.random() >= odd:
            label = random_.choice(PLAIN)
        else:
            label = random_.choice(ODD if random_.random() < 0.97 else HOSTILE)
        labels[label] = None
    return list(labels)


def group(random_: random.Random, taken: set[str], names: list[str], at: int) -> str:
    """A label of a group: plain, odd, or made of those of items; mostly a new one."""
    roll = random_.random()
    label = f"G{at}"
    if roll < 0.15:
        label = random_.choice(ODD)
    elif roll < 0.25 and len(names) > 1:
        label = f"({','.join(sorted(random_.sample(names, 2)))})"
    elif roll < 0.3:
        label = f"{random_.choice(names)} | {random_.choice(names)}"
    elif roll < 0.33:
        label = random_.choice(names).partition(".")[2] or label
    while label in taken or not label.strip():
        label += "'"
    return label
