#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ends.sh CODE COMMAND... - the command ends with this exit code.
want=$1
shift
"$@" </dev/null
got=$?
[ $got -eq "$want" ] || { echo "ends.sh: exit code $got, expected $want"; exit 1; }
