#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# failures.sh JUNIT... - names the tests that failed, each with the end of what it printed, from files of ctest --output-junit.
# So the last lines of a long log say what is wrong; who reads them may have nothing else.
set -u
for results; do
  [ -e "$results" ] || continue
  awk -v lines=25 '
    function plain(s) {
      gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s); gsub(/&quot;/, "\"", s); gsub(/&apos;/, "\047", s); gsub(/&amp;/, "\\&", s)
      return s
    }
    function attribute(name,  s) { s = $0; sub(".* " name "=\"", "", s); sub(/".*/, "", s); return plain(s) }
    /<testcase / { failed = / status="fail"/; says = n = 0; if (failed) print "failed: " attribute("name") " after " attribute("time") " s" }
    failed && /<system-out>/ { says = 1; sub(/.*<system-out>/, "") }
    says { ended = sub(/<\/system-out>.*/, ""); if ($0 != "") out[n++] = $0 }
    says && ended { says = 0; for (i = n > lines ? n - lines : 0; i < n; i++) print "  " plain(out[i]) }' "$results"
done
