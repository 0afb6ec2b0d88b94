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
import shutil
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
# What the commands of a file must ask for.
NEEDS = {
    "check": [("eyotcheck", ("--sarif", "--junit", "--corpus"))],
    "seeds": [("eyotrun", ("--seeds", "--keep-going", "--shard", "--journal")), ("eyotrun", ("--merge", "--junit", "--json"))],
}
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


def check_commands(name, kind, script):
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
    for command in ("eyotcc", "dev"):
        want(command in seen, f"{name}: it does not call {command}")
    for command, options in NEEDS[kind]:
        for option in options:
            want(re.search(rf"^ *{command} .*{option} ", script, re.M), f"{name}: {command} without {option}")


def github(name, kind, tree):
    """The variables, and the scripts of each job's steps in order."""
    tree = {"on" if key is True else key: value for key, value in tree.items()}  # `on` is a truth value of YAML 1.1
    only(name, tree, {"name", "on", "permissions", "env", "jobs"})
    only(name, tree["on"], {"push", "pull_request", "schedule"})
    if kind == "check":
        want(tree["permissions"].get("security-events") == "write", f"{name}: upload-sarif needs security-events: write")
    jobs, ids = [], set()
    for job in tree["jobs"].values():
        only(name, job, {"runs-on", "container", "timeout-minutes", "steps", "strategy", "env", "needs", "if"})
        want(job.get("needs") in (None, *tree["jobs"]), f"{name}: no job is called '{job.get('needs')}'")
        scripts = []
        for step in job["steps"]:
            only(name, step, {"name", "id", "if", "run", "uses", "with"})
            want(("run" in step) != ("uses" in step), f"{name}: a step has either run or uses: {step}")
            want(re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step.get("uses", "a/b@v1")), f"{name}: uses: {step.get('uses')}")
            for used in re.findall(r"steps\.(\w+)\.", step.get("if", "")):
                want(used in ids, f"{name}: no step before has the id '{used}'")
            for used in re.findall(r"matrix\.(\w+)", str(step) + str(job.get("env", ""))):
                want(used in job.get("strategy", {}).get("matrix", {}), f"{name}: the matrix has no '{used}'")
            want("${{" not in step.get("run", ""), f"{name}: a script may not contain an expression: {step}")
            ids.add(step.get("id"))
            if "run" in step:
                scripts.append(step["run"])
        jobs.append(scripts)
    text = str(tree["jobs"])
    uses = {"check": ("actions/checkout@", "upload-artifact@", "upload-sarif@"),
            "seeds": ("actions/checkout@", "upload-artifact@", "download-artifact@")}
    for action in uses[kind]:
        want(action in text, f"{name}: no step uses {action}")
    return tree["env"], jobs


def gitlab(name, kind, tree):
    """The variables, and the scripts of each job."""
    env, stages, jobs = tree.pop("variables"), tree.pop("stages", ["test"]), []
    for job in tree.values():
        only(name, job, {"image", "stage", "timeout", "before_script", "script", "artifacts", "parallel", "when"})
        only(name, job["artifacts"], {"when", "name", "paths", "reports", "expire_in"})
        want(job["stage"] in stages, f"{name}: no stage is called '{job['stage']}'")
        want(job["artifacts"].get("when") == "always" or job["artifacts"]["paths"] == ["program"],
             f"{name}: what a job that fails has written is kept only with when: always")
        lines = job["before_script"] + job["script"]
        want(all(isinstance(line, str) for line in lines), f"{name}: a line of the script is no text: {lines}")
        jobs.append(["\n".join(map(str, lines))])
    last = list(tree.values())[-1]["artifacts"]
    report = {"check": "check.xml", "seeds": "seeds.xml"}[kind]
    want(last["reports"] == {"junit": report}, f"{name}: reports: {last['reports']}")
    kept = {"check": "check.sarif", "seeds": "campaign.jsonl"}[kind]
    want(kept in last["paths"], f"{name}: {kept} is not kept")
    return env, jobs


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


def execute(env, scripts, changes, files=(), home=None):
    """Runs the scripts in a new folder with these files, and in a new home or that of other jobs. Returns the last exit code, the output and the folder."""
    top = tempfile.mkdtemp(dir=WORK)
    place, stand_ins = f"{top}/a place", f"{top}/bin"
    os.mkdir(place)
    os.mkdir(stand_ins)
    home = home or top
    shutil.rmtree(f"{home}/eyot", ignore_errors=True)
    for file in files:
        shutil.copy(file, place)
    for command, text in STAND_INS.items():
        with open(f"{stand_ins}/{command}", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o755)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("EYOT_")}
    variables.update({key: str(value) for key, value in env.items()})
    variables.update({"HOME": home, "BUILD_DIR": BUILD, "REPOSITORY": "here", "LIMIT": "1"})
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


def check_runs(name, env, jobs):
    (scripts,) = jobs
    for source, expected in (("hello.c", 0), ("spinlock.c", 1)):
        changes = {"SOURCES": f"{SOURCE}/examples/{source}", "UNITS": "2"}
        code, output, place = execute(env, scripts, changes)
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


SHARDS = 2


def check_seeds(name, env, jobs):
    """The program, each shard in a folder of its own, then the merge with all journals: the outcome is that of all seeds."""
    build, run, merge = jobs
    for source, order, failed in (("hello.c", "strict", False), ("spinlock.c", "chaos", True)):
        where, journals, codes = f"{name}: {source}", [], []
        changes = {"SOURCES": f"{SOURCE}/examples/{source}", "UNITS": "3", "SEEDS": "40", "OPTIONS": f"--order {order}"}
        home = tempfile.mkdtemp(dir=WORK)
        code, output, place = execute(env, build, changes, (), home)
        want(code == 0, f"{where}: exit code {code} of the compilation: {output}")
        program = f"{place}/program"
        for shard in range(1, SHARDS + 1):
            numbers = {"SHARD": str(shard), "SHARDS": str(SHARDS), "CI_NODE_INDEX": str(shard), "CI_NODE_TOTAL": str(SHARDS)}
            code, output, place = execute(env, run, {**changes, **numbers}, (program,), home)
            codes.append(code)
            journals.append(f"{place}/seeds.{shard}.jsonl")
            want(os.path.exists(journals[-1]), f"{where}: shard {shard} wrote no journal: {output}")
        want((max(codes) != 0) == failed, f"{where}: exit codes {codes} of the shards: {output}")
        code, output, place = execute(env, merge, changes, filter(os.path.exists, journals), home)
        want((code != 0) == failed, f"{where}: exit code {code} of the merge: {output}")
        try:
            with open(f"{place}/seeds.json", encoding="utf-8") as file:
                outcome = json.load(file)
            want(outcome["runs"] == 40, f"{where}: {outcome['runs']} runs instead of 40")
            want((outcome["failed"] > 0) == failed, f"{where}: {outcome['failed']} runs failed")
            suite = xml.etree.ElementTree.parse(f"{place}/seeds.xml").getroot()
            want((len(suite.findall(".//failure")) > 0) == failed, f"{where}: failures of seeds.xml")
            want(os.path.getsize(f"{place}/campaign.jsonl") > 0, f"{where}: an empty campaign.jsonl")
        except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError) as error:
            bad.append(f"{where}: a report is missing or malformed: {error}: {output}")


FILES = (
    ("github.yml", "check", github), ("gitlab.yml", "check", gitlab),
    ("github-seeds.yml", "seeds", github), ("gitlab-seeds.yml", "seeds", gitlab),
)
with tempfile.TemporaryDirectory() as WORK:
    want(sorted(os.listdir(f"{SOURCE}/examples/ci")) == sorted(name for name, _, _ in FILES), "examples/ci has other files than are tested")
    for name, kind, reader in FILES:
        with open(f"{SOURCE}/examples/ci/{name}", encoding="utf-8") as file:
            env, jobs = reader(name, kind, yaml.load(file, Unique))
        want(not [key for key in env if key.startswith("EYOT_")], f"{name}: eyot warns of unknown variables EYOT_*")
        check_commands(name, kind, "\n".join(script for scripts in jobs for script in scripts))
        {"check": check_runs, "seeds": check_seeds}[kind](name, env, jobs)
for text in bad:
    print(f"ci_files: {text}")
print("ci_files:", "failed" if bad else "ok")
sys.exit(1 if bad else 0)
