# SPDX-License-Identifier: BSD-3-Clause
# result.sh - reads the line that `eyotrun --seeds --result FILE` and `eyotcheck --result FILE` write. To be sourced.

# result_of FILE KEY: the value, without quotes. Exit code 1, after a message, where FILE is not exactly one line of results with this key.
result_of() {
  awk -v want="$2" -v file="$1" '
    function fail(text) { print "result.sh: " file ": " text >"/dev/stderr"; failed = 1; exit 1 }
    NR == 1 && sub(/^result: /, "") {
      while ($0 != "") {
        if (!match($0, /^[a-z]+=/)) fail("no key=value at: " $0)
        key = substr($0, 1, RLENGTH - 1)
        $0 = substr($0, RLENGTH + 1)
        if (substr($0, 1, 1) == "\"") {
          if (!match($0, /^"([^"\\]|\\.)*"/)) fail("no closing quote: " $0)
          value = substr($0, 2, RLENGTH - 2)
          gsub(/\\"/, "\"", value)
          gsub(/\\\\/, "\\", value)
        } else if (!match($0, /^[^ ]+/)) {
          fail("no value of " key)
        } else {
          value = substr($0, 1, RLENGTH)
        }
        $0 = substr($0, RLENGTH + 1)
        sub(/^ /, "")
        if (key == want) { found++; answer = value }
      }
      next
    }
    { fail("not a line of results: " $0) }
    END {
      if (failed) exit 1
      if (NR != 1) fail("there is no line of results")
      if (found != 1) fail("there is no value of " want)
      print answer
    }' "$1"
}
