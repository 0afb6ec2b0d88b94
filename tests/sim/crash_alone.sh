#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# crash_alone.sh EYOTRUN ENGINE_FAIL PLAIN_POLL - the watchdog's notice and a crash report do not get into each other where source lines take
# long to find: a crash report is no silence of the unit, and a notice that is being printed is printed first. (The watchdog counts its own
# ticks, so that a loaded machine changes nothing.)
eyotrun=$1 crashes=$2 polls=$3 bad=0
real=$(command -v addr2line) || { echo "addr2line (binutils) is not installed"; exit 1; }
tools=$(mktemp -d) || exit 1
trap 'rm -rf "$tools"' EXIT
printf '#!/bin/sh\nsleep 0.3\nexec "%s" "$@"\n' "$real" >"$tools/addr2line"
chmod +x "$tools/addr2line"
export PATH="$tools:$PATH"

# apart NAME CODE COMMAND... - ends with that code, and the numbers of calls rise after each message
apart() {
  name=$1 want=$2
  shift 2
  output=$("$@" 2>&1)
  code=$?
  wrong=$(printf '%s\n' "$output" | awk '/^eyot: / { last = -1; messages++ } /^  #[0-9]+ / { n = substr($1, 2) + 0; if (n <= last) print; last = n; calls++ }
                                         /^eyot: .*at virtual/ { crashed = 1 } /wall-clock time, and no/ && crashed { print }
                                         END { if (calls < 4) print messages " messages, " calls " calls" }')
  [ "$code" -eq "$want" ] && [ -z "$wrong" ] && return
  echo "crash_alone: $name: exit code $code, expected $want, and messages one after the other; '$wrong' in: $output"
  bad=1
}
# the notice's calls are printed when the watchdog ends the run
apart ended 134 "$eyotrun" --fabric sim -n 4 --watchdog 1200ms "$polls" volatile
# the notice would be due while a crash is reported
apart crashed 139 timeout --preserve-status -s SEGV 0.8 "$eyotrun" --fabric sim -n 4 --watchdog 10s "$polls" never
apart refused 139 "$eyotrun" --fabric sim -n 2 --watchdog 400ms "$crashes" segv
exit $bad
