# words.sh - what no message may have, for the tests of messages: well_said NAME judges $output.

well_said() {
  refused_words 'an internal name' '(^|[^a-z_])(eyoti|fab|sim|fmpi|chk)_[a-z_]+'
  refused_words 'an address' '0x(7[ef]|5[56])[0-9a-f]{10}'
  refused_words 'a number near 2^64' '1844674407[0-9]{10}'
  refused_words 'an unknown place' 'an unknown place'
  errors=$(printf '%s\n' "$output" | grep -E '^eyot: \[unit [0-9]+\] error: ' | grep -Ev 'error: eyot_[a-z0-9_]+: .*\(EYOT_E[A-Z]+: [^()]*\), called at [a-z_]+\.(c|h):[0-9]+ \([a-z_0-9]+\)$')
  [ -z "$errors" ] || { echo "$1: without the public call or the line: $errors"; bad=1; }
}

# refused_words WHAT REGEX
refused_words() {
  found_words=$(printf '%s\n' "$output" | grep -v '^  #' | grep -E -- "$2")
  [ -z "$found_words" ] || { echo "$name: $1 in: $found_words"; bad=1; }
}
