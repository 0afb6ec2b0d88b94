#!/bin/sh
# target.sh CC INCLUDE_DIR - the public headers refuse 32-bit targets by a message of eyot's own, before any other.
# SPDX-License-Identifier: BSD-3-Clause
set -u
cc=$1 include=$2
bad=0
printf '#include <eyot/eyot.h>\n' | $cc -I"$include" -x c -fsyntax-only - || { echo "target: the headers do not compile"; bad=1; }
refused() { # FLAGS
  first=$(printf '#include <eyot/eyot.h>\n' | $cc -I"$include" -x c -fsyntax-only "$@" - 2>&1 | grep -m 1 error)
  case $first in
    *"eyot needs a 64-bit target"*) ;;
    *) echo "target: with $*: expected the message of eyot, got: $first"; bad=1 ;;
  esac
}
refused -U__LP64__ -U_LP64
for flag in -m32 -mx32; do
  printf 'int x;\n' | $cc $flag -x c -fsyntax-only - 2>/dev/null && refused $flag
done
exit $bad
