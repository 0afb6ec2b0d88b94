#!/bin/sh
# slow_lines.sh EYOTRUN PROGRAM - a report waits for source lines longer than the watchdog does for a program: a slow addr2line ends no run, and
# nothing is said of the program. (It is slow once; the watchdog counts its own ticks, so that a loaded machine changes nothing.)
eyotrun=$1 program=$2
real=$(command -v addr2line) || { echo "addr2line (binutils) is not installed"; exit 1; }
tools=$(mktemp -d) || exit 1
trap 'rm -rf "$tools"' EXIT
printf '#!/bin/sh\n[ -e "%s/asked" ] || { : >"%s/asked" && sleep 1.3; }\nexec "%s" "$@"\n' "$tools" "$tools" "$real" >"$tools/addr2line"
chmod +x "$tools/addr2line"
output=$(PATH="$tools:$PATH" "$eyotrun" --fabric sim -n 1 --watchdog 1s "$program" alive 2>&1)
code=$?
[ -e "$tools/asked" ] || { echo "slow_lines: addr2line was not asked: $output"; exit 1; }
case $code:$output in
  *wall-clock*) echo "slow_lines: the watchdog took the wait for the program's: $output"; exit 1 ;;
  0:*"eyot_team_alloc at bad_words.c:"*) echo "slow_lines: ok" ;;
  *) echo "slow_lines: exit code $code, expected 0 and the line of an allocation: $output"; exit 1 ;;
esac
