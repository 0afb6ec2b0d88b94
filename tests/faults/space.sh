#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# space.sh BUILD_DIR - starts over MPI where shared memory or address space is short: eyot says first what is short and what to do, and the default heap takes what is there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/refuse.sh"
build=$(cd "$1" && pwd) || exit 2
run="timeout -k 5 60 $build/bin/eyotrun --fabric mpi -n 2"
program=$build/tests/bin/start_faults

# limited KIB COMMAND...: with `ulimit -v`.
limited() { (ulimit -v "$1" && shift && exec "$@"); }
# shellcheck disable=SC2086 # words of the command are words
{
  runs "little address space" "^ok$" limited 700000 $run "$program"
  refused "too little address space" "the limit of address space .ulimit -v. leaves [0-9]+ for each: raise the limit, lower EYOT_HEAP_SIZE" \
    limited 700000 $run --heap-size 1G "$program"
}

# first NAME REGEX OUTPUT: the first line that is not empty.
first() {
  if printf '%s\n' "$3" | grep -v '^ *$' | head -n 1 | grep -Eq -- "$2"; then echo "$1: ok"; else echo "$1: expected '$2' first, got: $3"; bad=1; fi
}
own="--mount"
[ "$(id -u)" -eq 0 ] || own="--user --map-root-user --mount"
# tiny SIZE: the output of a start with a /dev/shm of that size.
tiny() {
  # shellcheck disable=SC2086
  unshare $own sh -c 'mount -t tmpfs -o "size=$1" eyot /dev/shm && shift && exec "$@"' sh "$1" $run "$program" 2>&1
  code=$?
}
# shellcheck disable=SC2086
if unshare $own mount -t tmpfs eyot /dev/shm 2>/dev/null; then
  output=$(tiny 1m; echo "exit code $code")
  first "tiny shared memory" "^eyot: warning: eyot_init: /dev/shm has [0-9]+ bytes left for 2 processes, and MPI needs some [0-9]+ for each" "$output"
  case $output in *"exit code 0" | *"exit code 124") echo "tiny shared memory: $output"; bad=1 ;; esac
  output=$(tiny 32m; echo "exit code $code")
  case $output in *"exit code 0") echo "little shared memory: ok" ;; *) echo "little shared memory: $output"; bad=1 ;; esac
else
  echo "tiny shared memory: skipped: mount namespaces are not permitted here"
fi
exit $bad
