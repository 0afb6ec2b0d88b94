#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# translate.sh UPCC TRANSLATOR - writes the translated programs of this folder again, from those of examples/upc, by Clang UPC2C;
# run it after a change of one of them. UPCC: eyot-upcc of a build.
set -eu
upcc=$1 translator=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
for program in cpi gups stencil stream collectives; do
  # -P: no #line, so that the test's messages name these files. Relative names: no folder of a machine stands in them.
  EYOT_UPC2C_FLAGS=-P "$upcc" --translator="$translator" --trans "examples/upc/$program.upc"
  {
    echo "/* SPDX-License-Identifier: BSD-3-Clause */"
    echo "/* $program.c - examples/upc/$program.upc as Clang UPC2C translates it (translate.sh). */"
    sed '1s|$|\n/* its own headers after it */|' "$program.trans.c"
  } >"tests/upcr/$program.c"
  rm "$program.trans.c"
  clang-format -i "tests/upcr/$program.c"
done
