#!/bin/sh
# ci_reports.sh SOURCE_DIR BUILD_DIR - the reports of --json, --junit and --sarif are well-formed and say what happened, and --corpus replays, refuses and saves files. Exit code 77: xmllint
# (libxml2-utils) or jq is not installed.
set -u
source=$1 build=$2
for tool in xmllint jq; do
  command -v $tool >/dev/null || { echo "ci_reports: $tool is not installed"; exit 77; }
done
check=$build/bin/eyotcheck run=$build/bin/eyotrun programs=$build/tests/bin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir -p deep/folder
cp "$source/tests/programs/check_cli.c" "$source/tests/programs/seeds.c" deep/folder
cp "$source/examples/spinlock.c" deep
bad=0
reports="--json j --junit x --sarif s"

# code NAME CODE COMMAND...
code() {
  name=$1 want=$2
  shift 2
  rm -f j x s
  output=$("$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$want" ] || { echo "$name: exit code $got, expected $want: $output"; bad=1; }
}
# json FILE FILTER: true of the file.  xml XPATH: a number other than 0.
json() { jq -e "$2" "$1" >/dev/null 2>&1 || { echo "$name: $1 is not as wanted: $2: $(head -c 2000 "$1")"; bad=1; }; }
xml() { [ "$(xmllint --xpath "number($1)" x 2>/dev/null)" = 1 ] || { echo "$name: not in the XML: $1: $(cat x)"; bad=1; }; }
# What the schema of SARIF 2.1.0 requires of the members that are there.
sarif() {
  json s '.version == "2.1.0" and (.runs | length == 1) and (.runs[0].tool.driver.name | type == "string") and ([.runs[0].tool.driver.rules[].id] | length == (unique | length))'
  json s '[.runs[0].results[] | (.message.text | type == "string") and (.level == "error")] | all'
  json s '[.runs[0].tool.driver.rules[].id] as $ids | [.runs[0].results[].ruleId | IN($ids[])] | all'
  json s '[.runs[0].results[] | (.locations // []) + (.relatedLocations // []) | .[].physicalLocation | (.region.startLine >= 1) and (.artifactLocation.uri | startswith("/") | not)] | all'
  json s '[.runs[0].invocations[].executionSuccessful | type == "boolean"] | all'
}

# shellcheck disable=SC2086 # the words of $reports
{
  code passed 0 "$check" -n 2 --runs 20 $reports "$programs/check_cli" plain
  json j '.verdict == "passed" and .runs == 20 and .failure == null and .exit_code == 0 and .program[1] == "plain"'
  xml 'count(/testsuites/testsuite/testcase) = 1 and count(//failure) = 0 and count(//error) = 0'
  sarif
  json s '.runs[0].results == []'
  code deadlock 1 "$check" -n 2 --runs 20 $reports "$programs/check_cli" late
  json j '.verdict == "failed" and .failure.rule == "deadlock" and .failure.file == "eyotcheck.run" and ([.failure.places[].file] | index("deep/folder/check_cli.c") != null)'
  xml 'count(//failure[@type="deadlock"]) = 1 and //testsuite/@failures = 1'
  sarif
  json s '.runs[0].results[0].ruleId == "deadlock" and .runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri == "deep/folder/check_cli.c"'
  code race 1 "$check" -n 2 --runs 20 $reports "$build/examples/spinlock"
  sarif
  json s '.runs[0].results[0] | .ruleId == "race" and .locations[0].physicalLocation.artifactLocation.uri == "deep/spinlock.c" and (.relatedLocations | length >= 1)'
  code inconclusive 5 "$check" -n 2 --seed 4 --runs 20 --max-run 200 $reports "$programs/seeds" poll 4
  json j '.verdict == "inconclusive" and .cut == 20'
  xml 'count(//error[@type="inconclusive"]) = 1 and //testsuite/@errors = 1'
  code quoted 0 "$check" -n 2 --runs 2 $reports "$programs/check_cli" 'a "b" <c> & \d'"$(printf '\001\303')"
  json j '.program[1] | startswith("a \"b\" <c> & \\d")'
  xml 'count(//testcase) = 1'
  code seeds 3 "$run" --fabric sim -n 3 --seeds 5 $reports "$programs/seeds" deadlock 2
  json j '.tool == "eyotrun" and .failure.rule == "deadlock" and .seed == 2'
  xml 'count(//failure[@type="deadlock"]) = 1'
  sarif
  json s '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri == "deep/folder/seeds.c"'
  code seeds_passed 0 "$run" --fabric sim -n 3 --seeds 5 $reports "$programs/seeds" fail 9
  json j '.verdict == "passed" and .runs == 5'
  code unwritable 2 "$check" -n 2 --json /nowhere/j "$programs/check_cli" plain
}

code corpus_new 1 "$check" -n 2 --runs 20 --corpus kept "$programs/check_cli" late
[ "$(ls kept/check_cli-*.run | wc -l)" -eq 1 ] || { echo "corpus_new: no file: $(ls -a kept)"; bad=1; }
code corpus_again 1 "$check" -n 2 --runs 20 --corpus kept --json j "$programs/check_cli" late
printf '%s\n' "$output" | grep -q 'corpus: kept/check_cli-.*run fails' || { echo "corpus_again: $output"; bad=1; }
json j '.failure.rule == "deadlock" and (.failure.file | startswith("kept/check_cli-"))'
[ "$(find kept -type f | wc -l)" -eq 1 ] || { echo "corpus_again: it was saved twice"; bad=1; }
code corpus_stale 6 "$check" -n 2 --runs 20 --corpus kept "$programs/check_cli" plain
printf '%s\n' "$output" | grep -q 'no longer applies: remove it' || { echo "corpus_stale: $output"; bad=1; }
echo broken >kept/broken.run
code corpus_broken 2 "$check" -n 2 --runs 20 --corpus kept "$programs/check_cli" plain
code corpus_empty 0 "$check" -n 2 --runs 20 --corpus fresh "$programs/check_cli" plain
[ $bad -eq 0 ] && echo "ci_reports: ok"
exit $bad
