#!/bin/sh
# check_gdb.sh EYOTCHECK PROGRAM - a failing run under gdb: it stops before the step that fails, and where the program fails. Without gdb: skipped.
set -u
check=$1 program=$2
command -v gdb >/dev/null || { echo "skipped: gdb is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
"$check" -n 2 "$program" assert >found 2>&1
[ $? -eq 1 ] || { echo "nothing was found: $(cat found)"; exit 1; }
grep -q 'eyotcheck --replay eyotcheck.run --gdb' found || { echo "the command is not told: $(cat found)"; exit 1; }
# gdb breaks long lines unless told otherwise.
printf 'set width 0\nbt 1\ncontinue\nbt\nkill\nquit\n' | "$check" --replay eyotcheck.run --gdb >seen 2>&1
if grep -q 'ptrace: Operation not permitted\|Could not trace the inferior' seen; then
  echo "skipped: this machine does not let gdb trace"
  exit 77
fi
bad=0
for regex in 'sim_untimed_break .*before the step that fails' 'sim_untimed_break .*unit [01]: aborted' '#[0-9]+ .*in misbehave|misbehave \(came='; do
  grep -Eq "$regex" seen || { echo "expected '$regex'"; bad=1; }
done
[ $bad -eq 0 ] || cat seen
exit $bad
