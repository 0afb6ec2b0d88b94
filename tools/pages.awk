# SPDX-License-Identifier: BSD-3-Clause
# pages.awk - makes a manual page or a completion of bash from the help text of a tool.
#
#   awk -v form=man|bash -v tool=NAME -v version=VERSION -v what="what it does" -v others="OTHER TOOLS" -f pages.awk HELP [EXIT_CODES]
#
# HELP has the form that tool_help_row writes: "usage:" and its continuations, paragraphs, headings
# that end with a colon, and rows "  --option VALUE    text" whose text begins in column 33. A line
# of the text that begins with "word: " is a value of an option that takes a NAME or WHAT.
# EXIT_CODES is the table of eyot-info --exit-codes.

function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }

# Ends the row that is being read.
function flush(  i, n, words, last) {
  if (left == "") return
  rows++
  row_left[rows] = left; row_text[rows] = text; row_values[rows] = values; left = ""
  if (values == "" && match(text, /: [a-z][a-z0-9-]*(\|[a-z0-9-]+)+( \[[^]]*\])?$/)) {
    last = substr(text, RSTART + 2); sub(/ .*/, "", last); gsub(/\|/, " ", last); row_values[rows] = last
  }
  item[++items] = "row  " rows
}

FNR == 1 { file++ }
file == 2 {
  n = split($0, cell, / *\| */)
  if (n < 6 || cell[2] !~ /^[0-9]/ || (cell[4] != "all" && (", " cell[4] ",") !~ (", " tool ","))) next
  codes++; code[codes] = cell[2]; meaning[codes] = cell[5]
  next
}
/^usage: / { usage[++usages] = substr($0, 8); in_usage = 1; next }
in_usage && /^       [^ ]/ { usage[++usages] = trim($0); next }
{ in_usage = 0 }
/^$/ { flush(); if (paragraph != "") item[++items] = "text " paragraph; paragraph = ""; next }
/^[a-z].*:$/ { flush(); item[++items] = "head " substr($0, 1, length($0) - 1); next }
/^  -/ {
  flush()
  long_left = length($0) > 32 && substr($0, 33, 1) != " "
  left = trim(long_left ? $0 : substr($0, 3, 30)); text = long_left ? "" : trim(substr($0, 34)); values = ""
  next
}
/^          / && left != "" {
  line = trim($0)
  if (line ~ /^[a-z]+: / && left ~ /(NAME|WHAT)/) {
    word = line; sub(/:.*/, "", word); values = values (values == "" ? "" : " ") word; text = text "\n" line
  } else text = text (text == "" ? "" : " ") line
  next
}
{ flush(); paragraph = paragraph (paragraph == "" ? "" : " ") trim($0) }

function escaped(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); return s }
function line_out(s) { s = escaped(s); if (s ~ /^[.']/) s = "\\&" s; print s }
# Options in bold, what they take in italics.
function styled(s,  n, i, words, out, comma) {
  n = split(s, words, " ")
  for (i = 1; i <= n; i++) {
    comma = sub(/,$/, "", words[i]) ? "," : ""
    out = out (i > 1 ? " " : "") "\\f" (words[i] ~ /^-/ ? "B" : "I") escaped(words[i]) "\\fR" comma
  }
  return out
}

function man(  i, j, n, kind, rest, in_options, lines, names) {
  printf ".\\\" Made from %s --help by tools/pages.awk.\n.TH %s 1 \"\" \"eyot %s\" \"eyot\"\n", tool, toupper(tool), version
  print ".SH NAME"; print escaped(tool) " \\- " escaped(what)
  print ".SH SYNOPSIS"
  for (i = 1; i <= usages; i++) { if (i > 1) print ".br"; line_out(usage[i]) }
  print ".SH DESCRIPTION"
  for (i = 1; i <= items; i++) {
    kind = substr(item[i], 1, 4); rest = substr(item[i], 6)
    if (kind == "text") { print ".PP"; line_out(rest) }
    if (kind == "head") {
      if (!in_options) print ".SH OPTIONS"
      in_options = 1
      print ".SS " escaped(rest)
    }
    if (kind == "row ") {
      print ".TP"; print styled(row_left[rest])
      n = split(row_text[rest], lines, "\n")
      for (j = 1; j <= n; j++) { if (j > 1) print ".br"; line_out(lines[j]) }
    }
  }
  if (codes > 0) print ".SH EXIT STATUS"
  for (i = 1; i <= codes; i++) { print ".TP"; print ".B " code[i]; line_out(meaning[i]) }
  print ".SH SEE ALSO"
  n = split(others, names, " ")
  for (i = 1; i <= n; i++) print ".BR " escaped(names[i]) " (1)" (i < n ? "," : "")
}

function bash(  i, j, n, words, name, options, takes, shown, eq, cases, any_place, function_name) {
  for (i = 1; i <= rows; i++) {
    n = split(row_left[i], words, /,? +/); name = ""
    for (j = 1; j <= n && words[j] ~ /^-/; j++) {
      eq = index(words[j], "=")
      shown = eq > 0 ? substr(words[j], 1, eq) : words[j]
      options = options (options == "" ? "" : " ") shown
      sub(/=$/, "", shown); name = name (name == "" ? "" : "|") shown
    }
    if (j <= n) takes = takes (takes == "" ? "" : "|") name
    if (row_values[i] != "") cases = cases "    " name ") words=\"" row_values[i] "\" ;;\n"
    else if (j <= n) files = files (files == "" ? "" : "|") name
  }
  function_name = "_" tool; gsub(/-/, "_", function_name)
  any_place = tool == "eyotcc"
  printf "# Completion of %s for bash, and for zsh through bashcompinit; made from %s --help by tools/pages.awk.\n", tool, tool
  printf "%s() {\n  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= prefix= i\n  COMPREPLY=()\n", function_name
  if (!any_place) {
    print "  # The options end at the program."
    print "  for ((i = 1; i < COMP_CWORD; i++)); do\n    case ${COMP_WORDS[i]} in\n      =) ((i++)) ;;"
    if (takes != "") print "      " takes ") [[ ${COMP_WORDS[i+1]} == = ]] || ((i++)) ;;"
    print "      -*) ;;\n      *) return ;;\n    esac\n  done"
  }
  print "  # --option=value is three words in bash, and one in zsh."
  print "  if [[ $current == --*=* ]]; then before=${current%%=*} prefix=${current%%=*}= current=${current#*=}"
  print "  elif [[ $current == = ]]; then current=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi"
  print "  case $before in"
  printf "%s", cases
  if (files != "") print "    " files ") return ;; # a file, a number"
  printf "    *) [[ $current != -* ]] || words=\"%s\" ;;\n", options
  print "  esac"
  print "  [[ -n $words ]] || return"
  print "  COMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"$current\"))"
  print "  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[*]} == *= ]]; then compopt -o nospace 2>/dev/null || :; fi"
  print "}"
  # Without a reply, names of files are completed.
  printf "complete -o default -F %s %s%s\n", function_name, tool, tool == "eyotcc" ? " eyotcxx" : (tool == "eyot-oshcc" ? " eyot-oshc++" : (tool == "eyot-mpicc" ? " eyot-mpicxx" : ""))
}

END {
  flush()
  if (paragraph != "") item[++items] = "text " paragraph
  if (usages == 0 || rows == 0) { print "pages.awk: the help of " tool " has no usage or no options" >"/dev/stderr"; exit 1 }
  if (form == "man") man(); else bash()
}
