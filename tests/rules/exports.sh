#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# exports.sh SOURCE_DIR LIB_DIR - the shared libraries of LIB_DIR export what is declared, and nothing else: libeyot the names
# of tests/baseline/symbols.txt, of which each eyot_ name is declared in a public header; each fabric module its table only.
set -u
source=$1 lib=$2
LEAST=150 # fewer names are a sign that nothing was read
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0
fault() { echo "exports: $*"; bad=1; }
exported() { nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | LC_ALL=C sort; }

exported "$lib/libeyot.so" >"$work/has"
awk '/^# /{ on = ($2 == "libeyot.so"); next } on && NF > 0 { print $2 }' "$source/tests/baseline/symbols.txt" | LC_ALL=C sort >"$work/declared"
[ "$(wc -l <"$work/has")" -ge $LEAST ] || fault "libeyot.so exports only $(wc -l <"$work/has") names; expected at least $LEAST"
LC_ALL=C comm -23 "$work/has" "$work/declared" >"$work/stray"
LC_ALL=C comm -13 "$work/has" "$work/declared" >"$work/gone"
while read -r name; do fault "libeyot.so exports $name: make it static or hidden, or add it to tests/baseline/symbols.txt"; done <"$work/stray"
while read -r name; do fault "libeyot.so does not export $name: it is in tests/baseline/symbols.txt"; done <"$work/gone"
cat "$source"/include/eyot/*.h | tr -c 'A-Za-z0-9_' '\n' | LC_ALL=C sort -u >"$work/public"
# names that macros put together: eyot_fetch_##op##_u64
cat "$source"/include/eyot/*.h | grep -oE 'eyot_[a-z0-9][a-z0-9_]*##' | tr -d '#' | sort -u >"$work/pasted"
LC_ALL=C comm -23 "$work/has" "$work/public" | grep '^eyot_' >"$work/undeclared"
while read -r name; do
  found=0
  while read -r start; do case $name in "$start"*) found=1 ;; esac; done <"$work/pasted"
  [ $found -eq 1 ] || fault "libeyot.so exports $name, which no header of include/eyot declares"
done <"$work/undeclared"

modules=0
for module in "$lib"/eyot/eyot-*.so; do
  [ -f "$module" ] || continue
  modules=$((modules + 1))
  case $module in */eyot-simgrid.so) table=eyot_simgrid_module ;; *) table=eyot_fabric_module ;; esac
  names=$(exported "$module" | tr '\n' ' ')
  [ "$names" = "$table " ] || fault "${module##*/} exports: $(printf '%.400s' "$names"); expected $table only"
done
[ $modules -ge 1 ] || fault "$lib/eyot has no fabric module"
[ $bad -ne 0 ] || echo "exports: ok, $(wc -l <"$work/has") names of libeyot, $modules modules"
exit $bad
