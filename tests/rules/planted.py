# SPDX-License-Identifier: BSD-3-Clause
"""planted.py ROOT [LEAST] - can each fault of tests/mutants be planted, and do the tests exist that catch it?

Why it exists: a run of mutants plants some of them. The text of another one that has moved would be
found weeks later, and the fault would meanwhile count as one that is caught.
"""
import os
import re
import sys


def sections(text):
    """The lines before the first section by their keys, and the text of each section."""
    parts = re.split(r"^== (\w+)\n", text, flags=re.M)
    keys = dict(re.findall(r"^(\w+): (.*)$", parts[0], flags=re.M))
    return keys, dict(zip(parts[1::2], parts[2::2]))


def complaints(root, path, names):
    with open(path, encoding="utf-8") as f:
        keys, parts = sections(f.read())
    source = keys.get("in", keys.get("file", ""))
    for each in {source, keys.get("file", "")}:
        if not os.path.isfile(os.path.join(root, each)):
            return ["there is no file '%s'" % each]
    with open(os.path.join(root, source), encoding="utf-8") as f:
        count = f.read().count(parts.get("original", "").rstrip("\n"))
    found = []
    if not parts.get("original"):
        found.append("no original text")
    elif count != 1:
        found.append("its original text occurs %d times in %s" % (count, source))
    elif parts["original"] == parts.get("replacement"):
        found.append("original and replacement are the same")
    if not keys.get("fault"):
        found.append("no line 'fault: ...'")
    if not any(parts.get(each) for each in ("tests", "check", "named")):
        found.append("no tests")
    for line in parts.get("named", "").splitlines():
        runs, _, name = line.partition(" ")
        if not runs.isdigit() or name not in names:
            found.append("'%s' is not RUNS NAME of a test" % line)
    return found


def main():
    root = sys.argv[1]
    folder = os.path.join(root, "tests", "mutants")
    with open(os.path.join(root, "tests", "baseline", "ctest.txt"), encoding="utf-8") as f:
        names = set(f.read().split())
    bad = 0
    files = sorted(name for name in os.listdir(folder) if name.endswith(".mutant"))
    for name in files:
        for text in complaints(root, os.path.join(folder, name), names):
            print("planted: %s: %s" % (name, text))
            bad += 1
    print("planted: %d faults, %d complaints" % (len(files), bad))
    least = int(sys.argv[2]) if len(sys.argv) > 2 else 690
    if len(files) < least:
        print("planted: expected at least %d faults" % least)
    return 1 if bad or len(files) < least else 0


sys.exit(main())
