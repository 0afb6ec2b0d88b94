# SPDX-License-Identifier: BSD-3-Clause
# tidy.awk - what tidy.sh asks of each C and C++ file. Prints one line for each violation, `KIND FILE TEXT`, and at last the counts.
# Variables: root (with a slash at its end), retired (words or WORD:FOLDER, separated by blanks), plain (names that may have one).

function bad(kind, text) { print kind, file, text }

function end_of_file() {
  if (file == "") return
  lines += FNR_last
  if (FNR_last > 500) bad("file", FNR_last " lines, at most 500")
  if (spdx != 1) bad("spdx", "the SPDX tag stands " spdx " times, expected once")
  if (opening) bad("opening", "the opening comment does not end")
}

# Removes comments and the contents of string and character literals.
function code_of(text,   out, c, two, n, i, quote) {
  out = ""
  n = length(text)
  for (i = 1; i <= n; i++) {
    c = substr(text, i, 1)
    two = substr(text, i, 2)
    if (in_comment) {
      if (two == "*/") { in_comment = 0; i++ }
    } else if (two == "/*") {
      in_comment = 1
      i++
    } else if (two == "//") {
      break
    } else if (c == "\"" || c == "'") {
      quote = c
      for (i++; i <= n && (c = substr(text, i, 1)) != quote; i++) if (c == "\\") i++
      out = out quote quote
    } else {
      out = out c
    }
  }
  return out
}

# A retired word is a part of a name between underscores, or the plural of one.
function words_of(code,   name, parts, n, i, word, good) {
  while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
    name = substr(code, RSTART, RLENGTH)
    code = substr(code, RSTART + RLENGTH)
    if (name in seen_good) continue
    names++
    good = 1
    n = split(tolower(name), parts, "_")
    for (i = 1; i <= n; i++) {
      word = parts[i]
      if (!(word in retired_word) && substr(word, length(word)) == "s") word = substr(word, 1, length(word) - 1)
      if (!(word in retired_word) || name in plain_name) continue
      good = 0 # is to be asked again in another folder
      if (retired_word[word] == "" || index(file, retired_word[word]) == 1) bad("word", name " on line " FNR ": " word " is a retired word")
    }
    if (good) seen_good[name] = 1
  }
}

BEGIN {
  n = split(retired, list, " ")
  for (i = 1; i <= n; i++) { # WORD, or WORD:FOLDER where another sense of it stays
    m = split(list[i], parts, ":")
    retired_word[parts[1]] = m > 1 ? parts[2] : ""
  }
  n = split(plain, list, " ")
  for (i = 1; i <= n; i++) plain_name[list[i]] = 1
}

FNR == 1 {
  end_of_file()
  file = substr(FILENAME, length(root) + 1)
  area = file
  sub(/\/.*/, "", area)
  files++
  spdx = opening = in_comment = start = body = 0
  if ($0 != "/* SPDX-License-Identifier: BSD-3-Clause */") bad("spdx", "line 1 is not the SPDX tag alone")
}

{
  FNR_last = FNR
  columns = $0
  gsub(/[\200-\277]/, "", columns) # bytes that continue a character of UTF-8
  if (length(columns) > 100) bad("columns", "line " FNR " has " length(columns) ", at most 100")
  if (index($0, "SPDX-License-Identifier") > 0) spdx++
}

FNR == 2 {
  if (substr($0, 1, 2) != "/*") bad("opening", "no comment on line 2 says what the file is")
  else opening = 1
}
opening && /\*\// {
  comments++
  if (FNR - 1 > 12) bad("opening", (FNR - 1) " lines of opening comment, at most 12")
  opening = 0
}

# Functions, as clang-format writes them: from a line at column 0 to a brace alone at column 0.
/^[A-Za-z_]/ && !body && !start && !/^extern "C"/ { start = FNR; name = $0 }
start && !body && /{$/ { body = 1 }
start && !body && /[;}]$/ { start = 0 } # a declaration, or all on one line
/^}/ {
  if ($0 == "}" && body) {
    functions++
    if (FNR - start + 1 > 70) bad("function", (FNR - start + 1) " lines, at most 70: line " start ": " name)
    if (FNR - start + 1 > longest) longest = FNR - start + 1
  }
  start = body = 0
}

area == "src" || area == "include" || area == "tools" {
  code = code_of($0)
  words_of(code)
  if (area == "src" && match(code, /(struct|union|enum) [A-Za-z_][A-Za-z0-9_]* *\{/)) {
    tag = substr(code, RSTART, RLENGTH)
    sub(/^[a-z]+ /, "", tag)
    sub(/ *\{$/, "", tag)
    tags++
    if (tag in tag_file && tag != "sim_exec") bad("tag", "line " FNR ": `" tag "` is also a tag of " tag_file[tag])
    tag_file[tag] = file
  }
}

END {
  end_of_file()
  print "counts", files + 0, lines + 0, functions + 0, comments + 0, names + 0, tags + 0, longest + 0
}
