#!/bin/sh
# names.sh SOURCE_DIR BUILD_DIR COMPILER [PAGES_DIR] - every function, option, variable and path of the repository that pages, public headers and help texts name exists.
#
# Known are: identifiers of the public headers (without comments) and symbols of libeyot, functions of CMake and shell; the options that the tools' help lists; the variables of eyot-info,
# macros and enumerators of the headers and options of CMake. names-foreign.txt lists what belongs to other programs. A name that ends with _ stands for its family. Of docs/renames.tsv
# and old sections of CHANGELOG.md nothing is checked: they name what is gone. PAGES_DIR: pages to check instead, for the test of this test.
set -u
source=$1 build=$2 compiler=$3 pages=${4:-}
LEAST=400 # fewer names are a sign that nothing was read
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$source" || exit 1
bad=0

words() { tr -c 'A-Za-z0-9_' '\n'; }
{
  for file in include/eyot/*.h src/base/conf.c src/base/*.def src/rt/*.h src/fabric/*.h src/fabric_sim/module.c src/init/module.[ch]; do
    "$compiler" -fpreprocessed -dD -E -P -x c "$file" 2>/dev/null
  done
  cat CMakeLists.txt cmake/*.cmake cmake/*.in tests/*/*.cmake tests/CMakeLists.txt tests/*/CMakeLists.txt tools/CMakeLists.txt tests/rules/*.sh tests/soak/soak.sh tools/eyotcc.in tools/eyot-upcc.in tools/eyot-mpicc.in
} | words | grep -E '^(eyot|EYOT)_' | sort -u >"$dir/known"
nm -D --defined-only "$build/lib/libeyot.so" | awk '{print $NF}' | grep '^eyot_' >>"$dir/known"
# names that macros put together: eyot_fetch_##op##_u64; of those that begin with what is pasted, eyot_##op##_double, the expansion
cat include/eyot/*.h | grep -oE 'eyot_[a-z0-9][a-z0-9_]*##' | tr -d '#' | sort -u >"$dir/pasted"
for header in include/eyot/*.h; do echo "#include <eyot/${header##*/}>"; done | "$compiler" -E -P -Iinclude -x c - 2>/dev/null | words | grep -E '^eyot_' >>"$dir/known"
sort -u "$dir/known" -o "$dir/known"

for tool in eyotrun eyotcheck eyotcc eyot-upcc eyot-mpicc eyot-info eyot-calibrate; do "$build/bin/$tool" --help 2>&1; done >"$dir/help"
for example in "$build"/examples/* "$build"/examples/*/*; do
  [ -f "$example" ] && [ -x "$example" ] && "$example" --help 2>&1 </dev/null
done >"$dir/example_help"
{ cat "$dir/help" "$dir/example_help" dev bench/run.sh tests/suites/suites.sh; cat examples/*/*.c examples/*/*.h tests/programs/*.c tests/mutants/*.sh bench/*/*.c bench/*.sh 2>/dev/null; } | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u >"$dir/options"
sed -n 's/^\(--[a-z][a-z0-9-]*\).*/\1/p' tests/docs/names-foreign.txt >>"$dir/options"
sed -n 's/^\([eE][yY][oO][tT]_[A-Za-z0-9_]*\).*/\1/p' tests/docs/names-foreign.txt >>"$dir/known"

if [ -n "$pages" ]; then
  ls "$pages"/*.md >"$dir/pages"
  : >"$dir/help"
else
  ls README.md CONTRIBUTING.md docs/*.md docs/adr/*.md include/eyot/*.h src/base/options.def >"$dir/pages"
fi
total=0
unknown() { echo "$1: $2 does not exist"; bad=1; }
while read -r page; do
  [ "$page" != docs/glossary.md ] || continue # lists retired words
  words <"$page" | grep -E '^(eyot_[a-z]|EYOT_[A-Z])' | sort -u >"$dir/names"
  total=$((total + $(wc -l <"$dir/names")))
  for name in $(grep -vxFf "$dir/known" "$dir/names"); do
    case $name in *_) grep -q "^$name" "$dir/known" && continue ;; esac
    pasted=0
    while read -r start; do case $name in "$start"*) pasted=1 ;; esac; done <"$dir/pasted"
    [ $pasted -eq 1 ] || unknown "$page" "$name"
  done
  case $page in *.h) continue ;; esac
  grep -oE -- '(^|[^A-Za-z0-9_-])--[a-z][a-z0-9-]+' "$page" | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u >"$dir/names"
  total=$((total + $(wc -l <"$dir/names")))
  for option in $(grep -vxFf "$dir/options" "$dir/names"); do unknown "$page" "the option $option"; done
  case $page in *.md) ;; *) continue ;; esac
  for path in $(grep -v '^[-+]' "$page" | grep -oE '(^|[^A-Za-z0-9_./$}-])(src|tests|tools|docs|include|cmake|bench)/[A-Za-z0-9_.*/-]+' | grep -oE '(src|tests|tools|docs|include|cmake|bench)/.*' | sed 's/[.]*$//; s|/$||' | sort -u); do
    total=$((total + 1))
    case $path in *NAME* | *LAYER* | *.mutant | tests/bin*) continue ;; esac
    # shellcheck disable=SC2086 # a pattern may stand for several
    ls -d $path >/dev/null 2>&1 || ls -d build/$path >/dev/null 2>&1 || grep -qx -- "$path" tests/docs/names-foreign.txt || unknown "$page" "$path"
  done
  # links to files of the repository
  for link in $(grep -oE '\]\([^)# ]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:' | sort -u); do
    total=$((total + 1))
    [ -e "$(dirname "$page")/$link" ] || unknown "$page" "the link $link"
  done
done <"$dir/pages"
for name in $(words <"$dir/help" | grep -E '^(eyot_[a-z]|EYOT_[A-Z])' | sort -u); do
  grep -qx -- "$name" "$dir/known" || unknown "the tools' help" "$name"
done
if [ -z "$pages" ] && [ $total -lt $LEAST ]; then
  echo "names.sh: only $total names were seen, expected at least $LEAST"
  bad=1
fi
[ $bad -ne 0 ] || echo "names: ok, $total names"
exit $bad
