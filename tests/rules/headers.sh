#!/bin/sh
# headers.sh SOURCE_DIR CC CXX - every public header compiles alone, as C17 and as C++17, without warnings; every internal one as C17.
root=$1 cc=$2 cxx=$3
bad=0
for h in "$root"/include/eyot/*.h; do
  echo "#include <eyot/$(basename "$h")>" | "$cc" -std=c17 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -I"$root/include" -x c - || bad=1
  echo "#include <eyot/$(basename "$h")>" | "$cxx" -std=c++17 -Wall -Wextra -Werror -Wno-missing-field-initializers -fsyntax-only -I"$root/include" -x c++ - || bad=1
done
for h in "$root"/src/base/*.h "$root"/src/rt/*.h "$root"/src/fabric/fabric.h "$root"/src/fabric/ctl.h "$root"/src/teams/*.h "$root"/src/gmem/*.h "$root"/src/rma/*.h \
  "$root"/src/sync/*.h "$root"/src/coll/*.h; do
  [ -f "$h" ] || continue
  echo "#include \"$h\"" | "$cc" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only -I"$root/include" -I"$root/src" -x c - || { echo "headers: $h"; bad=1; }
done
[ $bad -eq 0 ] && echo "headers: ok"
exit $bad
