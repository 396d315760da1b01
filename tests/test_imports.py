"""The house has floors: imports run downwards only, and the rules are pure."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# sample_videos makes the training data of models
FLOORS = ("calibration", "sample_videos", "models", "vision", "referee")
# pure: no clock, no file, no image, no randomness
FORBIDDEN_TO_RULES = {
    "numpy",
    "scipy",
    "cv2",
    "av",
    "time",
    "datetime",
    "random",
    "os",
    "io",
    "pathlib",
    "json",
    "sys",
    "logging",
    "threading",
}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Full names of what a module imports, inside functions too; relative imports are made absolute."""
    names = set()
    package = ".".join(path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return names


@pytest.mark.parametrize("floor", FLOORS)
def test_imports_run_downwards(floor: str) -> None:
    above = set(FLOORS[FLOORS.index(floor) + 1 :]) | {"tests"}
    assert modules(floor)
    upwards = {
        f"{path.relative_to(ROOT)} imports {name}" for path in modules(floor) for name in imported(path) if name.split(".")[0] in above
    }
    assert not upwards


def test_rules_are_pure() -> None:
    impure = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("referee/rules")
        for name in imported(path)
        if name.split(".")[0] in FORBIDDEN_TO_RULES
    }
    opened = {
        f"{path.relative_to(ROOT)} opens a file"
        for path in modules("referee/rules")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "print", "input")
    }
    assert not impure | opened


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("referee.rules", ("numpy", "cv2", "av", "scipy", "pydantic")),
        ("referee.cli", ("numpy", "cv2", "av", "scipy", "openvino", "torch", "lark", "pymorphy3")),
        ("vision.shot", ("numpy", "cv2", "av")),
    ],
)
def test_light_modules_stay_light(module: str, heavy: tuple[str, ...]) -> None:
    """Also through what they import in turn."""
    code = f"import sys, {module}; print(*(m for m in {heavy!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == ""


def test_no_private_name_crosses_a_package() -> None:
    """No package reads another's privates."""
    private = set()
    for floor in FLOORS:
        for path in modules(floor):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in set(FLOORS) - {floor}:
                    private |= {f"{path.relative_to(ROOT)}: {node.module}.{a.name}" for a in node.names if a.name.startswith("_")}
    assert not private
