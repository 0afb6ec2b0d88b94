#!/bin/sh
# elf.sh BUILD_DIR - every ELF file that the build makes, and every one that it installs, looks for libraries in absolute
# folders or in folders relative to itself only: an empty or relative entry is the folder of whoever runs it. The library,
# its fabrics and its tools have relocations that are read-only once they run (RELRO, BIND_NOW), and guard their stacks;
# where they are optimized, their calls of the C library know the sizes of buffers (FORTIFY_SOURCE).
# SPDX-License-Identifier: BSD-3-Clause
set -u
build=$(cd "${1:?elf.sh BUILD_DIR}" && pwd) || exit 2
command -v readelf >/dev/null || { echo "elf: readelf is not installed" >&2; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
bad=0 files=0 ours=0

# paths FILE: refuses entries of RPATH and RUNPATH that are empty or relative.
paths() {
  readelf -d "$1" 2>/dev/null | sed -n 's/.*(R\(UN\)*PATH).*\[\(.*\)\]$/\2/p' >"$work/entries"
  while IFS= read -r entries; do
    case ":$entries:" in *::*) echo "elf: $1: empty entry in the search path of libraries: '$entries'"; return 1 ;; esac
    old=$IFS IFS=:
    for entry in $entries; do
      case $entry in /* | '$ORIGIN' | '$ORIGIN/'*) ;; *) IFS=$old; echo "elf: $1: relative entry in the search path of libraries: '$entry'"; return 1 ;; esac
    done
    IFS=$old
  done <"$work/entries"
}
hard() {
  readelf -lW "$1" | grep -q GNU_RELRO || { echo "elf: $1 has no RELRO"; return 1; }
  readelf -dW "$1" | grep -Eq 'BIND_NOW|FLAGS_1.*NOW' || { echo "elf: $1 has no BIND_NOW"; return 1; }
}

# Sanitizers, and builds without optimization, have no checked calls.
checked=$(grep -Eq '^CMAKE_BUILD_TYPE:STRING=(Rel|MinSize)' "$build/CMakeCache.txt" && ! grep -Eq '^EYOT_(COVERAGE:BOOL=(ON|1|TRUE)|SANITIZE:STRING=.+)$' "$build/CMakeCache.txt" && echo yes)
guarded() {
  readelf -W --dyn-syms "$1" >"$work/symbols"
  grep -Eq ' __stack_chk_fail(@|$)' "$work/symbols" || { echo "elf: $1 has no stack protector"; return 1; }
  [ -z "$checked" ] || grep -Eq ' __[a-z]+printf_chk(@|$)' "$work/symbols" || { echo "elf: $1 has no checked calls (FORTIFY_SOURCE)"; return 1; }
}

find "$build/bin" "$build/lib" "$build/tests" "$build/examples" "$work/installed" -type f \( -perm -u+x -o -name '*.so*' \) ! -path '*/CMakeFiles/*' 2>/dev/null >"$work/all"
while IFS= read -r file; do
  [ "$(head -c 4 "$file" | od -An -tx1 | tr -d ' ')" = 7f454c46 ] || continue
  files=$((files + 1))
  paths "$file" || bad=1
  case $file in
    "$build"/bin/* | "$build"/lib/* | "$work"/installed/*) ours=$((ours + 1)); hard "$file" && guarded "$file" || bad=1 ;;
  esac
done <"$work/all"
[ $files -ge 10 ] && [ $ours -ge 6 ] || { echo "elf: $files files, $ours of them of the library: expected 10 and 6"; bad=1; }
exit $bad
