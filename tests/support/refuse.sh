# refuse.sh - for scripts that start many runs that must fail, or must not: sourced. `bad` becomes 1 when something is not as expected.
bad=0

# refused NAME REGEX COMMAND...: must end non-zero and print REGEX.
refused() {
  name=$1 regex=$2
  shift 2
  output=$("$@" 2>&1 </dev/null)
  code=$?
  if [ $code -eq 0 ]; then
    echo "$name: not refused: $output"
    bad=1
  elif ! printf '%s\n' "$output" | grep -Eq -- "$regex"; then
    echo "$name: expected '$regex', got: $output"
    bad=1
  else
    echo "$name: ok"
  fi
}

# runs NAME REGEX COMMAND...: must end with 0 and print REGEX; standard input is the caller's.
runs() {
  name=$1 regex=$2
  shift 2
  output=$("$@" 2>&1)
  code=$?
  if [ $code -eq 0 ] && printf '%s\n' "$output" | grep -Eq -- "$regex"; then
    echo "$name: ok"
  else
    echo "$name: code $code, expected 0 and '$regex', got: $(printf '%s' "$output" | head -c 2000)"
    bad=1
  fi
}
