# SPDX-License-Identifier: BSD-3-Clause
"""ci_reports.py json|junit|sarif FILE [CONDITION] - checks a report of --json, --junit or --sarif.

The file must be what a strict parser takes (UTF-8, no key twice, no NaN), and have the members that its
format requires and no others: those of docs/ci.md, those that readers of JUnit files agree on, and those
of SARIF 2.1.0 (OASIS, 2020) for the objects that eyot writes. CONDITION is an expression of Python that
must be true of the file, `d`.
"""
import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree

KIND, FILE = sys.argv[1], sys.argv[2]
bad = []

# A form is a type, a list of one form, a tuple of alternatives, a set of values, a function, or a
# dictionary of members; the name of a member that may be left out ends with "?".
URI = re.compile(r"([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+")


def natural(v):
    return type(v) is int and v >= 0


def positive(v):
    return type(v) is int and v >= 1


def seconds(v):
    return type(v) in (int, float) and v >= 0


def words(v):
    return type(v) is str and v != ""


def relative_uri(v):
    return type(v) is str and URI.fullmatch(v) is not None and urllib.parse.urlsplit(v).scheme == "" and v[0] != "/"


REPORT = {
    "format": {1}, "tool": {"eyotcheck", "eyotrun"}, "version": words, "program": [words], "strategy": words,
    "units": positive, "seed": natural, "runs": natural, "failed": natural, "cut": natural,
    "undecided": natural, "steps": natural, "exhausted": bool, "seconds": seconds, "exit_code": natural,
    "verdict": {"passed", "failed", "inconclusive", "stale", "interrupted"},
    "failure": (type(None), {
        "rule": words, "reason": words, "first": positive, "choices?": natural, "departures?": natural,
        "file?": words, "places": [{"file": words, "line": positive}]}),
}
MESSAGE = {"text": words}
LOCATION = {"physicalLocation": {"artifactLocation": {"uri": relative_uri}, "region": {"startLine": positive}}}
SARIF = {
    "$schema": words, "version": {"2.1.0"},
    "runs": [{
        "tool": {"driver": {"name": words, "version": words, "rules": [{"id": words, "shortDescription": MESSAGE}]}},
        "invocations": [{"executionSuccessful": bool, "exitCode": natural}],
        "results": [{"ruleId": words, "level": {"none", "note", "warning", "error"}, "message": MESSAGE,
                     "locations?": [LOCATION], "relatedLocations?": [LOCATION]}]}],
}
TIME = re.compile(r"[0-9]+(\.[0-9]+)?")
COUNT = re.compile(r"[0-9]+")
ANY = re.compile(r".+", re.S)
# Of each element: its attributes, and its children with the numbers in which they may occur.
JUNIT = {
    "testsuites": ({}, {"testsuite": (1, 1)}),
    "testsuite": ({"name": ANY, "tests": COUNT, "failures": COUNT, "errors": COUNT, "skipped": COUNT, "time": TIME},
                  {"testcase": (1, 1)}),
    "testcase": ({"classname": ANY, "name": ANY, "time": TIME}, {"failure": (0, 1), "error": (0, 1), "system-out": (1, 1)}),
    "failure": ({"type": ANY, "message": ANY}, {}),
    "error": ({"type": ANY, "message": ANY}, {}),
    "system-out": ({}, {}),
}


def matches(form, value, at):
    if isinstance(form, tuple):
        if value is None and type(None) in form:
            return
        return matches(form[-1], value, at)
    if isinstance(form, set):
        if not any(type(value) is type(v) and value == v for v in form):
            bad.append(f"{at} is {value!r}, expected one of {sorted(form)}")
    elif isinstance(form, list):
        if type(value) is not list:
            return bad.append(f"{at} is no array")
        for i, v in enumerate(value):
            matches(form[0], v, f"{at}[{i}]")
    elif isinstance(form, dict):
        if type(value) is not dict:
            return bad.append(f"{at} is no object")
        for name in value:
            if name not in form and name + "?" not in form:
                bad.append(f"{at} has a member {name!r}, which its format does not have")
        for name, inner in form.items():
            if name.rstrip("?") in value:
                matches(inner, value[name.rstrip("?")], f"{at}.{name.rstrip('?')}")
            elif not name.endswith("?"):
                bad.append(f"{at} has no member {name!r}")
    elif isinstance(form, type):
        if type(value) is not form:
            bad.append(f"{at} is {value!r}, expected {form.__name__}")
    elif not form(value):
        bad.append(f"{at} is {value!r}, not {form.__name__}")


def unique(pairs):
    names = [name for name, _ in pairs]
    for name in set(names):
        if names.count(name) > 1:
            bad.append(f"the member {name!r} occurs twice")
    return dict(pairs)


def no_constant(text):
    bad.append(f"{text} is no JSON")


def read_json():
    with open(FILE, "rb") as f:
        return json.loads(f.read().decode("utf-8"), object_pairs_hook=unique, parse_constant=no_constant)


def check_report(d):
    matches(REPORT, d, "$")
    if bad:
        return
    if (d["failure"] is None) != (d["failed"] == 0) or (d["verdict"] == "failed") != (d["failed"] > 0):
        bad.append("verdict, failed and failure do not agree")
    if (d["verdict"] == "passed") != (d["exit_code"] == 0):
        bad.append("verdict and exit_code do not agree")


def check_sarif(d):
    matches(SARIF, d, "$")
    if bad:
        return
    if len(d["runs"]) != 1:
        bad.append(f"{len(d['runs'])} runs, expected one")
    for run in d["runs"]:
        ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        if len(ids) != len(set(ids)):
            bad.append("two rules have one id")
        for result in run["results"]:
            if result["ruleId"] not in ids:
                bad.append(f"there is no rule {result['ruleId']!r}")


def check_element(e):
    if e.tag not in JUNIT:
        return bad.append(f"<{e.tag}> is not known to readers of JUnit files")
    attributes, children = JUNIT[e.tag]
    if set(e.attrib) != set(attributes):
        bad.append(f"<{e.tag}> has the attributes {sorted(e.attrib)}, expected {sorted(attributes)}")
    for name in set(e.attrib) & set(attributes):
        if not attributes[name].fullmatch(e.attrib[name]):
            bad.append(f"<{e.tag} {name}> is {e.attrib[name]!r}")
    tags = [child.tag for child in e]
    for tag, (least, most) in children.items():
        if not least <= tags.count(tag) <= most:
            bad.append(f"<{e.tag}> has {tags.count(tag)} <{tag}>, expected {least} to {most}")
    for child in e:
        if child.tag not in children:
            bad.append(f"<{e.tag}> has a <{child.tag}>")
        check_element(child)


def check_junit(d):
    if d.tag != "testsuites":
        bad.append(f"the root is <{d.tag}>, expected <testsuites>")
    check_element(d)
    for suite in d.iter("testsuite"):
        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            if suite.get(attribute) != str(sum(1 for _ in suite.iter(tag))):
                bad.append(f"the suite has {attribute}={suite.get(attribute)}, which its cases do not have")


CHECKS = {"json": check_report, "sarif": check_sarif, "junit": check_junit}
d = None
try:
    d = xml.etree.ElementTree.parse(FILE).getroot() if KIND == "junit" else read_json()
    CHECKS[KIND](d)
    if not bad and len(sys.argv) > 3 and eval(sys.argv[3]) is not True:
        bad.append(f"not true: {sys.argv[3]}")
except (ValueError, xml.etree.ElementTree.ParseError, LookupError, TypeError, AttributeError) as e:
    bad.append(f"{type(e).__name__}: {e}")
for line in bad:
    print(f"{KIND}: {line}")
if bad:
    with open(FILE, "rb") as f:
        print(f.read(2000))
sys.exit(1 if bad else 0)
