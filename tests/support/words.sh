# words.sh - for the tests of messages, in the simulator and over MPI: runs a command, judges what it prints, and sets bad=1 where it is wrong.

# ends NAME CODE [NAME=VALUE...] COMMAND...: must end with this code; its output is left in $output.
ends() {
  name=$1 want=$2
  shift 2
  output=$(timeout 60 env "$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$want" ] || { echo "$name: exit code $got, expected $want: $output"; bad=1; }
  well_said "$name"
}

# shows REGEX: a line of $output has it. lines REGEX N: N lines have it.
shows() { printf '%s\n' "$output" | grep -Eq -- "$1" || { echo "$name: expected '$1', got: $output"; bad=1; }; }
lines() { [ "$(printf '%s\n' "$output" | grep -Ec -- "$1")" -eq "$2" ] || { echo "$name: expected $2 lines '$1', got: $output"; bad=1; }; }

# at PLACE: a regex of the line of bad_words.c that the comment "PLACE here" marks, up to the function's name.
at() { echo "bad_words\\.c:$(grep -n "/\\* $1 here \\*/" "$(dirname "$0")/../programs/bad_words.c" | cut -d: -f1) \\("; }

# well_said NAME: judges $output by what no message may have.
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
