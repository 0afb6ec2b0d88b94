#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# driver.sh SOURCE_DIR BIN_DIR WORK_DIR - eyot-upcc and eyotcc on translated files: they build and run; #include lines of another machine; constants that translators
# write; what is refused, and how. The translator is a stand-in that copies what was translated before: it tests the commands, not the translation.
set -u
source=$1 bin=$2 work=$3
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
  echo "driver.sh: $*" >&2
  exit 1
}
# refuses REGEX COMMAND...: fails with code 2, and says that
refuses() {
  want=$1
  shift
  "$@" >out 2>&1
  [ $? -eq 2 ] || fail "$*: not refused: $(cat out)"
  grep -Eq -e "$want" out || fail "$*: said: $(cat out)"
}
run() { EYOT_UNITS_PER_NODE=2 "$bin/eyotrun" --fabric sim -n "$@"; }

# plain eyotcc
"$bin/eyotcc" -O1 -fcommon "-I$source/include/eyot-upc" "$source/tests/upcr/forms.c" "$source/tests/upcr/forms_w2c.c" "-L$bin/../lib" -leyot-upc -o plain ||
  fail "eyotcc does not build forms.c"
run 3 ./plain || fail "forms.c, built by eyotcc, fails"

# in two steps, with pointers of 16 bytes, and with #include lines that hold nowhere
sed -e 's|#include <stdio.h>|#include</opt/nowhere/include/stdio.h>|' -e '1i #include</opt/nowhere/include/upcr_preinclude/upc_types.h>\
#include</opt/nowhere/include/upcr_config.h>\
#include</home/nobody/own.h>' -e 's|^upcr_shared_ptr_t a;|#define UPCR_SHARED_SIZE_ 16\
upcr_shared_ptr_t a;|' "$source/tests/upcr/stream.c" >stream.c
echo '#define OWN_IS_READ 1' >own.h
"$bin/eyot-upcc" -O1 -c stream.c -o stream.o || fail "eyot-upcc -c fails"
"$bin/eyot-upcc" stream.o -o stream || fail "eyot-upcc does not link"
run 4 ./stream >out || fail "stream.c fails with pointers of 16 bytes"
grep -q '^the triad of 20000 elements' out || fail "stream.c printed: $(cat out)"

# a constant number of threads
"$bin/eyot-upcc" -T 3 "$source/tests/upcr/cpi.c" -o three || fail "eyot-upcc -T 3 fails"
run 3 ./three >out || fail "a program for 3 threads fails with 3"
run 2 ./three >out 2>&1 && fail "a program for 3 threads runs with 2"
grep -q 'upc_init: the program is translated for 3 threads, and runs with 2' out || fail "said: $(cat out)"
{ cat "$source/tests/upcr/cpi.c"; echo 'GASNETT_IDENT(x, "$UPCRConfig: (a.c) VERSION=2.0,SHMEM=none,staticthreads=4 $");'; } >four.c
"$bin/eyot-upcc" four.c -o four || fail "eyot-upcc fails with a constant of the translator's"
run 4 ./four >out || fail "a file for 4 threads fails with 4"
run 2 ./four >out 2>&1 && fail "a file for 4 threads runs with 2"
refuses 'a constant THREADS of 4, and .* has 3' "$bin/eyot-upcc" -T 3 four.c

# UPC, with a stand-in
cat >copies <<END
#!/bin/sh
echo "\$*" >asked
while [ \$# -gt 1 ]; do
  [ "\$1" = -o ] && out=\$2
  shift
done
cp "$source/tests/upcr/\$(basename "\$1" .upc).c" "\$out"
END
chmod +x copies
"$bin/eyot-upcc" --translator=./copies -T 2 '-DWORDS=a b' "$source/examples/upc/cpi.upc" -o cpi || fail "eyot-upcc fails on cpi.upc"
run 2 ./cpi >out || fail "cpi.upc fails"
grep -q 'upcr_preinclude -fno-upc-pre-include .*-D__UPC_ATOMIC__=1 .*-fupc-threads-2 -DWORDS=a b .*cpi.trans.c .*cpi.upc$' asked || fail "the translator was asked: $(cat asked)"
"$bin/eyot-upcc" --translator=./copies -w -include own.h "$source/examples/upc/cpi.upc" -o cpi || fail "eyot-upcc fails with -include"
grep -q ' -w -include own.h ' asked || fail "the translator was asked: $(cat asked)"
"$bin/eyot-upcc" -c -include own.h "$source/tests/upcr/cpi.c" -o cpi.o || fail "-include of a C file fails"
refuses '-include is for .*cpi.upc or for .*gups.c' "$bin/eyot-upcc" --translator=./copies -include own.h "$source/examples/upc/cpi.upc" "$source/tests/upcr/gups.c"
EYOT_UPC2C=./copies EYOT_UPC2C_FLAGS=-P EYOT_FC=f run 2 ./cpi 2>&1 | grep 'is not an option' && fail "a run warns of variables of eyot's drivers"
EYOT_UPC2C=./copies "$bin/eyot-upcc" --trans "$source/examples/upc/gups.upc" && [ -f gups.trans.c ] || fail "--trans leaves no gups.trans.c"
PATH=/usr/bin:/bin refuses 'no UPC to C translator was found: install Clang UPC2C' "$bin/eyot-upcc" "$source/examples/upc/cpi.upc"
cp "$source/examples/upc/cpi.upc" upc.c
refuses 'upc.c is UPC: its name must end in .upc' "$bin/eyot-upcc" upc.c
refuses 'none.upc: no such file' "$bin/eyot-upcc" none.upc
refuses '-T x: expected a number of threads' "$bin/eyot-upcc" -T x "$source/tests/upcr/cpi.c"
echo "driver: ok"
