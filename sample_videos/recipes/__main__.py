"""`python -m sample_videos.recipes OUT.toml [NAME…]`: search the strokes of the library anew."""

from __future__ import annotations

import sys

from sample_videos.recipes import RECIPES, find, stroke_toml


def main(arguments: list[str]) -> int:
    """Search the recipes named (or all) and append what is found to the file."""
    out, names = arguments[0], arguments[1:] or list(RECIPES)
    for name in names:
        found = find(RECIPES[name])
        print(name, "found" if found else "NOT FOUND", flush=True)
        if found:
            with open(out, "a", encoding="utf-8") as file:
                file.write(stroke_toml(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
