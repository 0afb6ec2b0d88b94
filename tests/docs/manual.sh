#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# manual.sh SOURCE_DIR BUILD_DIR - the manual pages have no warnings of man or mandoc, and hold each option and each word of the
# tools' help. Exit code 77: neither is installed.
set -u
source=$1 build=$2
bad=0 checked=
LC_ALL=C.UTF-8 MANWIDTH=80
export LC_ALL MANWIDTH
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
words() { tr -cs 'A-Za-z0-9_' '\n' <"$1" | sort -u; }
fault() { echo "manual: $*"; bad=1; }

for tool in eyotrun eyotcheck eyot-info eyot-calibrate eyotcc; do
  page=$build/pages/$tool.1
  [ -s "$page" ] || { fault "$page is missing"; continue; }
  "$build/bin/$tool" --help >"$work/help"
  if man --version >/dev/null 2>&1; then
    checked=1
    # Neither hyphens nor columns may divide a word.
    man --warnings --no-hyphenation --no-justification -P cat -l "$page" >"$work/shown" 2>"$work/warnings" || fault "man cannot show $page"
    [ ! -s "$work/warnings" ] || fault "$page: $(cat "$work/warnings")"
    words "$work/shown" >"$work/in_page"
    words "$work/help" | grep -vx usage >"$work/in_help"
    [ "$(wc -l <"$work/in_help")" -ge 30 ] || fault "$tool --help has only $(wc -l <"$work/in_help") words"
    lost=$(comm -23 "$work/in_help" "$work/in_page" | tr '\n' ' ')
    [ -z "$lost" ] || fault "$page does not show these words of the help: $lost"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'SEE ALSO'; do
      grep -qx "$section" "$work/shown" || fault "$page has no section $section"
    done
    for option in $(sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$work/help"); do
      grep -Eq "^ +(-[a-z], )?$option( |=|\$)" "$work/shown" || fault "$page does not show $option in a line of its own"
    done
  fi
  if command -v mandoc >/dev/null; then
    checked=1
    mandoc -Tlint -W error "$page" >"$work/warnings" 2>&1 || fault "$page: $(cat "$work/warnings")"
  fi
done
if [ $bad -eq 0 ] && [ -z "$checked" ]; then echo "manual: skipped: neither man nor mandoc is installed"; exit 77; fi
# A help text without rows is refused, not turned into an empty page.
if echo "usage: none" | awk -v form=man -v tool=none -f "$source/tools/pages.awk" >/dev/null 2>&1; then fault "pages.awk accepts a help without options"; fi
[ $bad -ne 0 ] || echo "manual: ok"
exit $bad
