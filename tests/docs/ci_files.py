# SPDX-License-Identifier: BSD-3-Clause
"""ci_files.py SOURCE_DIR BUILD_DIR - lints examples/ci/*.yml, and runs their commands.

Each file must have the form that its system expects, and name only commands, verbs and options that this
build has. The commands then run as they are written, on a program that passes and on one that fails: with
the tools of this build, where `./dev install` is an installation of this build. Exit code 77: python3-yaml
is not installed.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    print("ci_files: skipped: python3-yaml is not installed")
    sys.exit(77)

SOURCE, BUILD = sys.argv[1], sys.argv[2]
TOOLS = ("eyotcheck", "eyotrun", "eyotcc", "eyot-info")
bad = []


class Unique(yaml.SafeLoader):
    """Refuses a key that occurs twice, of which YAML readers keep one without a word."""


def mapping(loader, node, deep=False):
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.YAMLError(f"the key {key!r} occurs twice, {node.start_mark}")
    return yaml.SafeLoader.construct_mapping(loader, node, deep)


Unique.add_constructor("tag:yaml.org,2002:map", mapping)


def want(condition, text):
    if not condition:
        bad.append(text)


def only(name, table, allowed):
    for key in table:
        want(key in allowed, f"{name}: unknown key '{key}'; expected one of {', '.join(sorted(map(str, allowed)))}")


def run_text(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout


def check_commands(name, script):
    """Each option of a tool of eyot, and each verb of ./dev, exists."""
    seen = set()
    for line in script.splitlines():
        for tool in TOOLS:
            if not re.match(rf"{tool}\b", line.strip()):
                continue
            seen.add(tool)
            known = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", run_text([f"{BUILD}/bin/{tool}", "--help"]))
            # Of eyotcc only long options are its own; words after the program belong to the program.
            own = line.split(" ./")[0]
            for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*" if tool != "eyotcc" else r"(?<=\s)--[a-z][a-z-]*", own):
                want(option in known, f"{name}: {tool} has no option {option}")
        for verb in re.findall(r'/dev"? +([a-z]+)', line):
            seen.add("dev")
            want(re.search(rf"^  {verb}\b", run_text([f"{SOURCE}/dev", "help"]), re.M), f"{name}: ./dev has no verb {verb}")
    for command in ("eyotcc", "eyotcheck", "dev"):
        want(command in seen, f"{name}: it does not call {command}")
    for option in ("--sarif", "--junit", "--corpus"):
        want(re.search(rf"^ *eyotcheck .*{option} ", script, re.M), f"{name}: eyotcheck without {option}")


def github(name, tree):
    """The variables, and the scripts of the steps in order."""
    tree = {"on" if key is True else key: value for key, value in tree.items()}  # `on` is a truth value of YAML 1.1
    only(name, tree, {"name", "on", "permissions", "env", "jobs"})
    only(name, tree["on"], {"push", "pull_request"})
    want(tree["permissions"].get("security-events") == "write", f"{name}: upload-sarif needs security-events: write")
    scripts, ids = [], set()
    for job in tree["jobs"].values():
        only(name, job, {"runs-on", "container", "timeout-minutes", "steps"})
        for step in job["steps"]:
            only(name, step, {"name", "id", "if", "run", "uses", "with"})
            want(("run" in step) != ("uses" in step), f"{name}: a step has either run or uses: {step}")
            want(re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step.get("uses", "a/b@v1")), f"{name}: uses: {step.get('uses')}")
            for used in re.findall(r"steps\.(\w+)\.", step.get("if", "")):
                want(used in ids, f"{name}: no step before has the id '{used}'")
            want("${{" not in step.get("run", ""), f"{name}: a script may not contain an expression: {step}")
            ids.add(step.get("id"))
            if "run" in step:
                scripts.append(step["run"])
    text = str(tree["jobs"])
    for action in ("actions/checkout@", "upload-artifact@", "upload-sarif@"):
        want(action in text, f"{name}: no step uses {action}")
    return tree["env"], scripts


def gitlab(name, tree):
    """The variables, and the script of the job."""
    env, scripts = tree.pop("variables"), []
    for job in tree.values():
        only(name, job, {"image", "stage", "timeout", "before_script", "script", "artifacts"})
        only(name, job["artifacts"], {"when", "name", "paths", "reports", "expire_in"})
        want(job["artifacts"]["when"] == "always", f"{name}: failing runs are kept if the job fails only with when: always")
        want(job["artifacts"]["reports"] == {"junit": "check.xml"}, f"{name}: reports: {job['artifacts']['reports']}")
        want("check.sarif" in job["artifacts"]["paths"], f"{name}: check.sarif is not kept")
        lines = job["before_script"] + job["script"]
        want(all(isinstance(line, str) for line in lines), f"{name}: a line of the script is no text: {lines}")
        scripts.append("\n".join(map(str, lines)))
    return env, scripts


# What the runner of the system has: apt-get, and git, which brings eyot's sources.
STAND_INS = {
    "apt-get": "#!/bin/sh\nexit 0\n",
    "git": """#!/bin/sh
for dir; do :; done
[ "$1" = clone ] && mkdir "$dir" || exit 1
cat >"$dir/dev" <<'DEV'
#!/bin/sh
[ "$1" = install ] || exit 1
cmake --install "$BUILD_DIR" --prefix "$2" >/dev/null
DEV
chmod +x "$dir/dev"
""",
}


def execute(name, env, scripts, changes):
    """Runs the scripts in a new folder. Returns the last exit code, the output and the folder."""
    top = tempfile.mkdtemp(dir=WORK)
    place, stand_ins = f"{top}/a place", f"{top}/bin"
    os.mkdir(place)
    os.mkdir(stand_ins)
    for command, text in STAND_INS.items():
        with open(f"{stand_ins}/{command}", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o755)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("EYOT_")}
    variables.update({key: str(value) for key, value in env.items()})
    variables.update({"HOME": top, "BUILD_DIR": BUILD, "REPOSITORY": "here", "LIMIT": "1"})
    variables.update({"GITHUB_PATH": f"{top}/path", "GITHUB_OUTPUT": f"{top}/output"})
    variables.update(changes)
    code, output, added = 0, "", ""
    for script in scripts:
        variables["PATH"] = f"{added}{stand_ins}:{os.environ['PATH']}"
        step = subprocess.run(["sh", "-e", "-c", script], cwd=place, env=variables, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False)
        code, output = step.returncode, output + step.stdout
        if code != 0:
            break
        if os.path.exists(f"{top}/path"):
            with open(f"{top}/path", encoding="utf-8") as file:
                added = "".join(line.strip() + ":" for line in file)
    return code, output, place


def check_runs(name, env, scripts):
    for source, expected in (("hello.c", 0), ("spinlock.c", 1)):
        changes = {"SOURCES": f"{SOURCE}/examples/{source}", "UNITS": "2"}
        code, output, place = execute(name, env, scripts, changes)
        where = f"{name}: {source}"
        want(code == expected, f"{where}: exit code {code}, expected {expected}: {output}")
        try:
            suite = xml.etree.ElementTree.parse(f"{place}/check.xml").getroot()
            want(len(suite.findall(".//failure")) == expected, f"{where}: check.xml has not {expected} failures")
            with open(f"{place}/check.sarif", encoding="utf-8") as file:
                results = json.load(file)["runs"][0]["results"]
            want(len(results) == expected, f"{where}: check.sarif has {len(results)} results, expected {expected}")
            runs = [run for run in os.listdir(f"{place}/{env['CORPUS']}") if run.endswith(".run")]
            want(len(runs) == expected, f"{where}: {len(runs)} failing runs are kept, expected {expected}")
            if name == "github.yml":
                with open(f"{os.path.dirname(place)}/output", encoding="utf-8") as file:
                    want(file.read() == "reports=yes\n", f"{where}: the step does not say that there are reports")
        except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError) as error:
            bad.append(f"{where}: a report is missing or malformed: {error}: {output}")


with tempfile.TemporaryDirectory() as WORK:
    for name, reader in (("github.yml", github), ("gitlab.yml", gitlab)):
        with open(f"{SOURCE}/examples/ci/{name}", encoding="utf-8") as file:
            env, scripts = reader(name, yaml.load(file, Unique))
        want(not [key for key in env if key.startswith("EYOT_")], f"{name}: eyot warns of unknown variables EYOT_*")
        check_commands(name, "\n".join(scripts))
        check_runs(name, env, scripts)
for text in bad:
    print(f"ci_files: {text}")
print("ci_files:", "failed" if bad else "ok")
sys.exit(1 if bad else 0)
