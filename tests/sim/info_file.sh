#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# info_file.sh SOURCE_DIR BUILD_DIR - eyot-info prints figures and predictions for those SimGrid platforms alone that a run would take:
# it refuses the others as eyotrun does, with its reason and code 2. For a preset it does not load SimGrid.
set -u
source=$1 build=$2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
bad=0
program=$build/tests/bin/bad_end
info=$build/bin/eyot-info
cp "$source/tests/sim/platform.xml" right.xml

# takes NAME WORDS COMMAND...
takes() {
  name=$1 words=$2
  shift 2
  out=$("$@" 2>&1)
  code=$?
  [ $code -eq 0 ] && echo "$out" | grep -q -- "$words" || { echo "$name: code $code, expected 0 and '$words', got: $out"; bad=1; }
}
# refuses NAME REASON COMMAND...: prints nothing but the reason.
refuses() {
  name=$1 reason=$2
  shift 2
  out=$("$@" 2>err)
  code=$?
  [ $code -eq 2 ] && [ -z "$out" ] && grep -q -- "$reason" err || { echo "$name: code $code, expected 2 and '$reason' alone, got: $out $(cat err)"; bad=1; }
}
# What it prints can be given back.
takes "whole numbers" "^reach_2 *33554432 " "$info" --platform xc40:reach_2=33554432
takes "fractions" "^rx *300.125 " "$info" --platform xc40:rx=300.125
# all_refuse NAME REASON PLATFORM: a run, the figures and the predictions.
all_refuse() {
  refuses "run, $1" "$2" "$build/bin/eyotrun" --fabric sim -n 2 --units-per-node 1 --platform "$3" "$program"
  refuses "figures, $1" "$2" "$info" --platform "$3"
  refuses "predictions, $1" "$2" "$info" --coll allreduce --units 2 --per-node 1 --platform "$3"
}

xml() {
  printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">%s</platform>\n' "$2" >"$1"
}
two='<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us"/>'
xml two.xml "$two<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>"
xml lost.xml "$two</zone>"
xml none.xml '<zone id="z" routing="Full"></zone>'
xml slow.xml "$(echo "$two<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>" | sed 's/1GBps/0GBps/')"
xml fast.xml "$(echo "$two<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>" | sed 's/1GBps/1e300Bps/')"
xml late.xml "$(echo "$two<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>" | sed 's/latency="[^"]*"/latency="1e300s"/')"
echo '<platform' >broken.xml
: >empty.xml
mkdir folder.xml

all_refuse "a missing file" "nowhere.xml cannot be read: No such file" nowhere.xml
all_refuse "a folder" "folder.xml is not a file" folder.xml
all_refuse "a broken file" "cannot use platform broken.xml: Parse error at broken.xml:1" broken.xml
all_refuse "a broken file with keys" "cannot use platform broken.xml: Parse error at broken.xml:1" broken.xml:overhead=250
all_refuse "an empty file" "cannot use platform empty.xml: Parse error" empty.xml
all_refuse "no hosts" "none.xml: it has no hosts" none.xml
all_refuse "no routes" "cannot use platform lost.xml" lost.xml
all_refuse "a link without a rate" "slow.xml: link l has a bandwidth of 0 bytes/s, expected 1 to 1e18" slow.xml
all_refuse "a link with too high a rate" "fast.xml: link l has a bandwidth of 1e+300 bytes/s, expected 1 to 1e18" fast.xml
all_refuse "a link with too long a latency" "late.xml: link l has a latency of 1e+300 s, expected 0 to 1000" late.xml
all_refuse "domains that divide no host" "right.xml:numa=3: numa=3 does not divide the 4 cores of host 0" right.xml:numa=3

# As many units as the hosts hold.
takes "figures of one unit a host" "overhead_put" "$info" --platform two.xml
takes "as many as fit" " taken, " "$info" --coll allreduce --units 32 --per-node 4 --platform right.xml
refuses "one more" "33 units do not fit on platform right.xml: it holds 32 on 8 hosts" "$info" --coll allreduce --units 33 --per-node 4 --platform right.xml
refuses "one more, a run" "33 units do not fit on platform right.xml: it holds 32 on 8 hosts" "$build/bin/eyotrun" --fabric sim -n 33 --platform right.xml "$program"
refuses "one more barrier" "3 units do not fit on platform two.xml: it holds 2 on 2 hosts" "$info" --coll barrier --units 3 --per-node 1 --platform two.xml
takes "more on a host" " taken, " "$info" --coll barrier --units 4 --per-node 2 --platform two.xml

# Without SimGrid's part there are no platform files, and presets as before.
mkdir modules
export EYOT_FABRIC_DIR="$dir/modules"
takes "a preset without SimGrid" "overhead_put" "$info" --platform xc40
takes "a prediction without SimGrid" " taken, " "$info" --coll allreduce --units 8
refuses "a file without SimGrid" "cannot load SimGrid's part of the sim fabric" "$info" --platform right.xml
exit $bad
