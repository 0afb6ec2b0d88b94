#!/bin/sh
# ci_reports.sh SOURCE_DIR BUILD_DIR - the reports of --json, --junit and --sarif have their formats (ci_reports.py) and say what happened, and --corpus replays, refuses and saves files.
# Exit code 77: python3 is not installed.
set -u
source=$1 build=$2
reader=$(cd "$(dirname "$0")" && pwd)/ci_reports.py
python3 -c 'import json, xml.etree.ElementTree' 2>/dev/null || { echo "ci_reports: python3 is not installed"; exit 77; }
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
# json, xml, sarif CONDITION: the report has its format, and that is true of it.
json() { output=$(python3 "$reader" json j "$1" 2>&1) || { echo "$name: --json: $output"; bad=1; }; }
xml() { output=$(python3 "$reader" junit x "$1" 2>&1) || { echo "$name: --junit: $output"; bad=1; }; }
sarif() { output=$(python3 "$reader" sarif s "$1" 2>&1) || { echo "$name: --sarif: $output"; bad=1; }; }
# refuses KIND FILE SED: the reader refuses the report after that change.
refuses() {
  sed "$3" "$2" >damaged
  ! cmp -s "$2" damaged || { echo "refuses: '$3' changes nothing in $2"; bad=1; }
  ! python3 "$reader" "$1" damaged >/dev/null 2>&1 || { echo "refuses: $1 passes after '$3'"; bad=1; }
}

# shellcheck disable=SC2086 # the words of $reports
{
  code passed 0 "$check" -n 2 --runs 20 $reports "$programs/check_cli" plain
  json 'd["verdict"] == "passed" and d["runs"] == 20 and d["program"][1] == "plain"'
  xml 'len(d.findall(".//failure")) == 0 and len(d.findall(".//error")) == 0'
  sarif 'd["runs"][0]["results"] == []'
  code deadlock 1 "$check" -n 2 --runs 20 $reports "$programs/check_cli" late
  json 'd["failure"]["rule"] == "deadlock" and d["failure"]["file"] == "eyotcheck.run" and "deep/folder/check_cli.c" in [p["file"] for p in d["failure"]["places"]]'
  xml '[f.get("type") for f in d.iter("failure")] == ["deadlock"] and "eyotcheck.run" in d.find(".//failure").text'
  sarif '[r["ruleId"] for r in d["runs"][0]["results"]] == ["deadlock"]'
  sarif 'd["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "deep/folder/check_cli.c"'
  code race 1 "$check" -n 2 --runs 20 $reports "$build/examples/spinlock"
  json 'd["failure"]["rule"] == "race"'
  sarif '[(r["ruleId"], r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], len(r["relatedLocations"]) >= 1) for r in d["runs"][0]["results"]] == [("race", "deep/spinlock.c", True)]'
  refuses sarif s 's/"level": "error"/"level": "fatal"/'
  refuses sarif s 's/"startLine": [0-9]*/"startLine": 0/'
  refuses sarif s 's/"ruleId": "race"/"ruleId": "unknown"/'
  refuses sarif s 's/"uri": "deep/"uri": "a folder/'
  refuses sarif s 's/"message": {"text"/"message": {"words"/'
  refuses sarif s 's/"version": "2.1.0"/"version": "2.1.0", "version": "2.1.0"/'
  refuses json j 's/"cut": 0/"cut": -1/'
  refuses json j 's/"failed": 1/"failed": 0/'
  refuses json j '1s/{/{"more": 1,/'
  refuses junit x 's/failures="1"/failures="0"/'
  refuses junit x 's/<failure type="race"/<failure/'
  refuses junit x 's/&#60;\|&#62;\|<system-out>/</'
  code inconclusive 5 "$check" -n 2 --seed 4 --runs 20 --max-run 200 $reports "$programs/seeds" poll 4
  json 'd["verdict"] == "inconclusive" and d["cut"] == 20'
  xml '[e.get("type") for e in d.iter("error")] == ["inconclusive"]'
  sarif 'd["runs"][0]["invocations"][0]["executionSuccessful"] is False'
  code quoted 0 "$check" -n 2 --runs 2 $reports "$programs/check_cli" 'a "b" <c> & \d'"$(printf '\001\303')"
  json 'd["program"][1].startswith("a \"b\" <c> & \\d")'
  xml 'd.find(".//testcase").get("name").count("a \"b\" <c> & \\d") == 1'
  sarif 'd["runs"][0]["results"] == []'
  code seeds 3 "$run" --fabric sim -n 3 --seeds 5 $reports "$programs/seeds" deadlock 2
  json 'd["tool"] == "eyotrun" and d["failure"]["rule"] == "deadlock" and d["seed"] == 2'
  xml '[f.get("type") for f in d.iter("failure")] == ["deadlock"]'
  sarif 'd["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "deep/folder/seeds.c"'
  for other in 5 6; do # codes that mean something else of eyotcheck
    code "seeds_$other" $other "$run" --fabric sim -n 2 --seeds 3 --keep-going $reports "$programs/campaign" 1 0 0 $other
    json 'd["verdict"] == "failed" and d["failed"] == 3'
    xml 'len(d.findall(".//failure")) > 0 and len(d.findall(".//error")) == 0'
  done
  code seeds_passed 0 "$run" --fabric sim -n 3 --seeds 5 $reports "$programs/seeds" fail 9
  json 'd["verdict"] == "passed" and d["runs"] == 5'
  # Paths that a URI cannot hold as they are.
  mkdir -p 'odd #1 50%'
  mv deep/spinlock.c 'odd #1 50%'
  code odd 1 "$check" -n 2 --runs 20 $reports "$build/examples/spinlock"
  json '"odd #1 50%/spinlock.c" in [p["file"] for p in d["failure"]["places"]]'
  sarif 'urllib.parse.unquote(d["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == "odd #1 50%/spinlock.c"'
  # Characters above ASCII in words and paths, and bytes that are no UTF-8.
  mkdir 'größe-日本'
  cp "$source/tests/programs/check_cli.c" 'größe-日本'
  mv deep/folder/check_cli.c . && mv check_cli.c "$dir/away"
  code utf8 1 "$check" -n 2 --runs 20 $reports "$programs/check_cli" late 'größe 日本 𝄞'
  json 'd["program"][2] == "größe 日本 𝄞" and "größe-日本/check_cli.c" in [p["file"] for p in d["failure"]["places"]]'
  xml 'd.find(".//testcase").get("name").endswith("late größe 日本 𝄞")'
  sarif 'd["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "gr%C3%B6%C3%9Fe-%E6%97%A5%E6%9C%AC/check_cli.c"'
  # overlong, surrogate, above U+10FFFF, truncated; XML cannot hold the control character, nor U+FFFF
  code invalid 0 "$check" -n 2 --runs 2 $reports "$programs/check_cli" plain "$(printf 'a\300\257b\355\240\200c\364\220\200\200d\001\357\277\277\344\270')"
  json 'd["program"][2] == "a\ufffd\ufffdb\ufffd\ufffd\ufffdc\ufffd\ufffd\ufffd\ufffdd\u0001\uffff\ufffd\ufffd"'
  xml 'd.find(".//testcase").get("name").endswith("plain a\ufffd\ufffdb\ufffd\ufffd\ufffdc\ufffd\ufffd\ufffd\ufffdd\ufffd\ufffd\ufffd\ufffd")'
  long=$(printf '%01500d' 0)
  code long 0 "$check" -n 2 --runs 2 $reports "$programs/check_cli" plain "$long" 'ö'
  xml 'd.find(".//testcase").get("name").endswith("0 ö")'
  code unwritable 2 "$check" -n 2 --json /nowhere/j "$programs/check_cli" plain
}

code corpus_new 1 "$check" -n 2 --runs 20 --corpus kept "$programs/check_cli" late
[ "$(ls kept/check_cli-*.run | wc -l)" -eq 1 ] || { echo "corpus_new: no file: $(ls -a kept)"; bad=1; }
code corpus_again 1 "$check" -n 2 --runs 20 --corpus kept --json j "$programs/check_cli" late
printf '%s\n' "$output" | grep -q 'corpus: kept/check_cli-.*run fails' || { echo "corpus_again: $output"; bad=1; }
json 'd["failure"]["rule"] == "deadlock" and d["failure"]["file"].startswith("kept/check_cli-")'
[ "$(find kept -type f | wc -l)" -eq 1 ] || { echo "corpus_again: it was saved twice"; bad=1; }
code corpus_stale 6 "$check" -n 2 --runs 20 --corpus kept "$programs/check_cli" plain
printf '%s\n' "$output" | grep -q 'no longer applies: remove it' || { echo "corpus_stale: $output"; bad=1; }
echo broken >kept/broken.run
code corpus_broken 2 "$check" -n 2 --runs 20 --corpus kept "$programs/check_cli" plain
code corpus_empty 0 "$check" -n 2 --runs 20 --corpus fresh "$programs/check_cli" plain
[ $bad -eq 0 ] && echo "ci_reports: ok"
exit $bad
