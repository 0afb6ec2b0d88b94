#!/bin/sh
# must.sh pass|fail REGEX COMMAND... - runs the command; its exit code must be zero (pass) or not zero (fail), and its output must match the extended REGEX.
# What a sanitizer reports is never the failure that was asked for. Both outputs are caught apart: launchers cut lines of one by those of the other.
want=$1 regex=$2
shift 2
errors=$(mktemp) || exit 1
trap 'rm -f "$errors"' EXIT
output=$("$@" 2>"$errors")
code=$?
output="$output
$(cat "$errors")"
printf '%s\n' "$output"
case $want in
  pass) [ $code -eq 0 ] || { echo "must.sh: exit code $code, expected 0"; exit 1; } ;;
  fail) [ $code -ne 0 ] || { echo "must.sh: exit code 0, expected a failure"; exit 1; } ;;
esac
printf '%s\n' "$output" | grep -Eq 'ERROR: [A-Za-z]+Sanitizer|WARNING: ThreadSanitizer|: runtime error: ' && { echo "must.sh: a sanitizer reported"; exit 1; }
printf '%s\n' "$output" | grep -Eq -- "$regex" || { echo "must.sh: the output does not match: $regex"; exit 1; }
