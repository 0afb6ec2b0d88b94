#!/bin/sh
# prog_libraries.sh BIN_DIR - a program that finds its library by $ORIGIN runs on the simulator, from any folder, and one whose library has no name is refused with the remedy.
set -u
bin=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() {
  echo "prog_libraries: $*"
  exit 1
}
cat >half.c <<'END'
int half(int x) { return x / 2; }
END
cat >main.c <<'END'
#include <eyot/eyot.h>
#include <stdio.h>
int half(int x);
int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  if (eyot_me().id == 0) printf("half: %d\n", half(84));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
END
mkdir lib || exit 1
named() {
  "$bin/eyotcc" -fPIC -shared "$@" half.c -o lib/libhalf.so || fail "the library was not built"
}
named -Wl,-soname,libhalf.so
for origin in '$ORIGIN/lib' '${ORIGIN}/lib' '/nowhere:$ORIGIN/./lib:$ORIGIN'; do
  "$bin/eyotcc" main.c -Llib -lhalf "-Wl,-rpath,$origin" -o main || fail "the program was not built"
  (cd / && "$bin/eyotrun" --fabric sim -n 3 "$dir/main") >said 2>&1 || fail "$origin: $(cat said)"
  grep -q '^half: 42$' said || fail "$origin: $(cat said)"
done
named
if "$bin/eyotrun" --fabric sim -n 3 ./main >said 2>&1 || ! grep -q 'cannot open .* -Wl,-soname' said; then fail "without a name: $(cat said)"; fi
