"""Checks of the source tree: clang-format, layout of BUILD files, file length, layering of includes.

Prints one line per finding, `file:line: what`, and exits with 1 if there are any. `--fix` formats C++ files in place.
"""

import concurrent.futures
import re
import subprocess
import sys

MAX_LINES = 800
# Longer files, each with its reason.
LONG_FILES = {
    "frontend/tree/nacre/detail/fields_ladder.h": "generated",
}

# Folder -> folders that its files may include, besides itself. The longest matching prefix counts.
LAYERS = {
    "runtime": set(),
    "collectives": set(),
    "ir": set(),
    "passes": {"ir"},
    "codegen": {"ir", "passes", "runtime"},
    "frontend/tree": {"runtime"},
    "frontend/io": {"frontend/tree", "runtime"},
    "frontend": {"frontend/tree", "frontend/io", "ir", "passes", "codegen", "runtime"},
    "tools": {"ir", "passes", "codegen", "runtime", "frontend"},
    "samples": {"frontend", "runtime"},
    "bench": {"frontend", "runtime", "codegen", "passes", "ir", "samples"},
    "tests": {"frontend", "runtime", "codegen", "passes", "ir", "samples", "tools"},
}
# Tests beside the code may use the oracle, the test helpers and the compiler.
TEST_EXTRA = {"tests", "ir", "passes", "codegen", "runtime", "frontend"}

INCLUDE = re.compile(r'^\s*#include "([^"]+)"')


def tracked_files():
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True,
                         capture_output=True, text=True).stdout
    return [f for f in out.splitlines() if not f.startswith("third_party/")]


def layer_of(path):
    matching = [layer for layer in LAYERS if path == layer or path.startswith(layer + "/")]
    return max(matching, key=len) if matching else None


def check_format(path, fix):
    if fix:
        subprocess.run(["clang-format-14", "-i", path], check=True)
        return []
    run = subprocess.run(["clang-format-14", "--dry-run", path], capture_output=True, text=True)
    first = re.search(r":(\d+):\d+: warning", run.stderr)
    return [f"{path}:{first.group(1)}: not formatted; run ./bazelw run //tools/lint -- --fix"] if first else []


def check_source(path, text):
    findings = []
    lines = text.splitlines()
    if len(lines) > MAX_LINES and path not in LONG_FILES:
        findings.append(f"{path}:{len(lines)}: longer than {MAX_LINES} lines; split it by idea")
    layer = layer_of(path)
    is_test = "_test." in path or "/test_" in path or path.startswith("tests/")
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match.group(1)
        target = layer_of(included)
        if included.startswith("nacre/"):
            target = "frontend"
            if layer and layer.startswith("frontend"):
                continue
        if target is None or layer is None or target == layer:
            continue
        allowed = LAYERS[layer] | (TEST_EXTRA if is_test else set())
        if target not in allowed and target.split("/")[0] not in allowed:
            findings.append(f"{path}:{number}: {layer} may not include {target} ({included})")
    if path.startswith("frontend/nacre/") and re.search(r'#include "(mlir|llvm|ir|passes|codegen)/', text):
        findings.append(f"{path}:1: public headers may not include MLIR or the compiler")
    return findings


def check_build(path, text):
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        if line != line.rstrip():
            findings.append(f"{path}:{number}: trailing space")
        indent = len(line) - len(line.lstrip(" "))
        if "\t" in line or indent % 4:
            findings.append(f"{path}:{number}: indent by multiples of 4 spaces")
        if re.search(r"(?<![\w\"])'[^'\"]*'", line.split("#")[0]) and '"' not in line:
            findings.append(f"{path}:{number}: strings take double quotes")
    for match in re.finditer(r"deps = \[\n((?:\s+\"[^\"]+\",\n)+)\s*\]", text):
        names = re.findall(r'"([^"]+)"', match.group(1))
        if names != sorted(names, key=lambda n: (n.startswith("//"), n.replace(":", "!"))):
            number = text.count("\n", 0, match.start()) + 1
            findings.append(f"{path}:{number}: deps are not sorted (own package first)")
    return findings


def main():
    fix = "--fix" in sys.argv[1:]
    unknown = [a for a in sys.argv[1:] if a != "--fix"]
    if unknown:
        sys.exit(f"lint: unknown argument {unknown[0]}; the only one is --fix")
    findings, sources = [], []
    for path in tracked_files():
        if path.endswith((".h", ".cc", ".td", ".py", ".bzl")) or path.endswith("BUILD.bazel"):
            try:
                text = open(path, encoding="utf-8").read()
            except FileNotFoundError:  # deleted, not yet committed
                continue
            if path.endswith("BUILD.bazel"):
                findings += check_build(path, text)
            else:
                findings += check_source(path, text)
            if path.endswith((".h", ".cc")) and path not in LONG_FILES:
                sources.append(path)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda p: check_format(p, fix), sources):
            findings += found
    for finding in findings:
        print(finding)
    print(f"lint: {len(findings)} findings in {len(sources)} C++ files")
    sys.exit(1 if findings else 0)


main()
