# /// script
# requires-python = ">=3.11"
# dependencies = ["fonttools>=4.50"]
# ///
"""Makes the bundled typeface, ``assets/fonts``, of the fonts that it is cut from.

``uv run tools/fonts.py INTER NOTO`` takes two folders in which are ``Inter`` and ``Noto Sans JP`` as TrueType files,
one for each weight, as Google Fonts has them (``@expo-google-fonts/inter`` and ``…/noto-sans-jp`` on npm).

- Latin, Greek, Cyrillic and signs come from Inter, kana and the kanji of JIS level 1 from Noto Sans JP; of both, every
  character that a text of the program has.
- Figures are all of one width, wherever a text stands: the tabular ones are what digits mean in these files.
- The families have names of their own, so that a font that a system has cannot stand in for them.
- Hints are left out: letters are drawn as they were designed, the same at every size and on every system.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "assets" / "fonts"
WEIGHTS = {"400Regular": ("Regular", 400), "600SemiBold": ("Bold", 700)}
"""What the semibold letters are called: bold ones of 700 are too heavy for a panel, and of a lighter font Qt would make
its own."""
LATIN, JAPANESE = "Wayfront Sans", "Wayfront Sans JP"
TEXTS = ("assets/**/*.po", "assets/**/*.toml", "gui/**/*.py", "engine/**/*.py")
FEATURES = ("kern", "mark", "mkmk", "ccmp", "locl")
RANGES = (
    (0x0020, 0x024F),  # Latin, with its extensions A and B
    (0x0300, 0x052F),  # accents, Greek, Cyrillic
    (0x1E00, 0x1EFF),  # Latin of Vietnam and others
    (0x2000, 0x22FF),  # punctuation, small figures, currencies, arrows, operators
    (0x2300, 0x23FF),
    (0x25A0, 0x26FF),  # shapes and signs
)
LEVEL_1_ROWS = range(0x21, 0x50)
"""The rows of JIS X 0208 with signs, kana and the kanji of level 1."""
NAMES_KEPT = (0, 7, 8, 9, 11, 13, 14)
"""Whose the font is: copyright, trademark, makers, licence."""


def main(inter: str, noto: str) -> None:
    """Cut both fonts in both weights, and say how large they are."""
    used = set(characters_of_texts())
    latin = used | {code for first, last in RANGES for code in range(first, last + 1)}
    FOLDER.mkdir(exist_ok=True)
    known: set[int] = set()
    for folder, family, wanted in (
        (Path(inter), LATIN, latin),
        (Path(noto), JAPANESE, used | set(kana_and_kanji())),
    ):
        for source, (style, weight) in WEIGHTS.items():
            font = TTFont(next(folder.rglob(f"*_{source}.ttf")))
            make_figures_tabular(font)
            if family == LATIN:
                add_floor_brackets(font)
            add_floor_brackets(font)
            cut(font, wanted - known)
            rename(font, family, style, weight)
            path = FOLDER / f"{family.replace(' ', '')}-{style}.ttf"
            font.save(path)
            print(f"{path.relative_to(ROOT)}: {len(font.getBestCmap()):,} characters, {path.stat().st_size:,} bytes")
        known |= font.getBestCmap().keys()
        licence = next(folder.rglob("LICENSE_FONT")).read_text("utf-8")
        (FOLDER / f"{family.replace(' ', '')}-OFL.txt").write_text(licence, "utf-8")
    missing = "".join(chr(code) for code in sorted(used - known) if code > 0x20)
    print(f"not in either, so the system's: {missing or 'none'}")


def characters_of_texts() -> Iterator[int]:
    """Yield every character that a text of the program may have."""
    for pattern in TEXTS:
        for path in ROOT.glob(pattern):
            yield from map(ord, path.read_text("utf-8"))


def kana_and_kanji() -> Iterator[int]:
    """Yield the characters of JIS X 0208 up to the kanji of level 1, and full and half width forms."""
    for row in LEVEL_1_ROWS:
        for cell in range(0x21, 0x7F):
            try:
                yield ord(bytes((row | 0x80, cell | 0x80)).decode("euc_jp"))
            except UnicodeDecodeError:
                continue
    yield from range(0x3000, 0x3100)
    yield from range(0xFF01, 0xFFA0)


def cut(font: TTFont, wanted: set[int]) -> None:
    """Leave of a font what these characters need."""
    options = subset.Options()
    options.layout_features = list(FEATURES)
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = ["*"]
    options.drop_tables += ["STAT", "vhea", "vmtx", "BASE"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted)
    cutter.subset(font)


def make_figures_tabular(font: TTFont) -> None:
    """Let digits stand for their tabular forms, where a font has such."""
    digits = {ord(digit) for digit in "0123456789"}
    table = font["GSUB"].table if "GSUB" in font else None
    if table is not None:
        instead: dict[str, str] = {}
        for record in table.FeatureList.FeatureRecord:
            if record.FeatureTag == "tnum":
                for index in record.Feature.LookupListIndex:
                    for sub in table.LookupList.Lookup[index].SubTable:
                        instead |= getattr(getattr(sub, "ExtSubTable", sub), "mapping", {})
        for cmap in font["cmap"].tables:
            for code in digits & cmap.cmap.keys():
                cmap.cmap[code] = instead.get(cmap.cmap[code], cmap.cmap[code])
    widths = {font["hmtx"][font.getBestCmap()[code]][0] for code in digits & font.getBestCmap().keys()}
    assert len(widths) <= 1, f"digits of {len(widths)} widths"


def add_floor_brackets(font: TTFont) -> None:
    """Make ⌊ and ⌋, which neither font has, of square brackets: without their upper arms."""
    for bracket, floor, arm in (("[", 0x230A, -1), ("]", 0x230B, 0)):
        source, name = font.getBestCmap()[ord(bracket)], f"uni{floor:04X}"
        glyph = copy.deepcopy(font["glyf"][source])
        across = sorted({x for x, _ in glyph.coordinates})
        middle = (glyph.yMin + glyph.yMax) / 2
        for index, (x, y) in enumerate(glyph.coordinates):
            if y > middle and x == across[arm]:
                glyph.coordinates[index] = (across[1], y)
        font["glyf"][name], font["hmtx"][name] = glyph, font["hmtx"][source]
        for cmap in font["cmap"].tables:
            cmap.cmap[floor] = name
    font.getReverseGlyphMap(rebuild=True)


def rename(font: TTFont, family: str, style: str, weight: int) -> None:
    """Give a font its own name, and say in it whose it is."""
    names: Any = font["name"]
    names.names = [each for each in names.names if each.nameID in NAMES_KEPT]
    for number, text in (
        (1, family),
        (2, style),
        (3, f"wayfront;{family};{style}"),
        (4, f"{family} {style}"),
        (6, f"{family.replace(' ', '')}-{style}"),
    ):
        names.setName(text, number, 3, 1, 0x409)
    bold = weight > 400
    font["OS/2"].usWeightClass = weight
    font["OS/2"].fsSelection = font["OS/2"].fsSelection & ~0x61 | (0x20 if bold else 0x40)
    font["head"].macStyle = int(bold)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(str(__doc__))
    main(*sys.argv[1:])
