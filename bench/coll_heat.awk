# SPDX-License-Identifier: BSD-3-Clause
# coll_heat.awk - turns the lines of coll_places.sh into heat maps: for each function the algorithm
# that wins and what the choice loses, over shapes (rows) and bytes (columns); and one line that says
# at how many places the choice is within the limit. Other lines are passed over. A place that was to
# be measured and was not, by an algorithm or at all, is complained of, and the exit code is 1.
#
# Of several rounds the ratio of the choice's time to that of an algorithm is taken in each round:
# the median, and its quartiles. The winner is the algorithm to which the choice loses most, or the
# choice itself if it loses to none. Where the algorithm that the choice takes was measured by a rule
# too, the same thing was measured twice: the share of places where that agrees says how far such
# ratios can be trusted. On a machine that other programs use, few rounds are undisturbed: a second
# line has the ratios of the least times of all rounds.
# Variables: limit (1.1), most (1.5); brief=1: no maps, but each place beyond the limit; check=1: the
# exit code is 1 if more than a tenth of the places are beyond `limit`, or one beyond `most`; csv: a
# file with a line for each place.
BEGIN {
  if (limit == "") limit = 1.1
  if (most == "") most = 1.5
}
function add_place(at, shape, fun, bytes) {
  if (at in place) return
  place[at] = ++places
  at_of[places] = at
  if (!(fun in shapes)) name[++functions] = fun
  if (!((fun, shape) in row)) { row[fun, shape] = ++shapes[fun]; shape_of[fun, shapes[fun]] = shape }
  if (!((fun, bytes) in column)) { column[fun, bytes] = ++sizes[fun]; bytes_of[fun, sizes[fun]] = bytes }
}
$1 == "want" && NF == 4 { add_place($2 SUBSEP $3 SUBSEP $4, $2, $3, $4) }
$1 == "may" && NF == 6 {
  at = $2 SUBSEP $3 SUBSEP $4
  add_place(at, $2, $3, $4)
  if (!((at, $5) in may)) { may[at, $5] = 1; candidate[at, ++candidates[at]] = $5 }
  if ($6 == "taken") taken[at] = $5
}
$1 == "place" && NF == 6 {
  at = $2 SUBSEP $3 SUBSEP $4
  sample[at, $5, ++count[at, $5]] = $6 + 0
  if (!($6 + 0 > 0)) wrong[at] = wrong[at] " " $5 " " $6
  if (count[at, $5] == 1 || $6 + 0 < least[at, $5]) least[at, $5] = $6 + 0
  if (count[at, $5] > most_rounds) most_rounds = count[at, $5]
}
function sort_ratios(n, i, j, v) {
  for (i = 2; i <= n; i++) {
    v = ratio[i]
    for (j = i - 1; j >= 1 && ratio[j] > v; j--) ratio[j + 1] = ratio[j]
    ratio[j + 1] = v
  }
}
# Sets median, low and high of the choice's time by that of an algorithm; 0 if there is none.
function compare(at, how, n, i) {
  n = count[at, "choice"] < count[at, how] ? count[at, "choice"] : count[at, how]
  for (i = 1; i <= n; i++) ratio[i] = sample[at, how, i] > 0 ? sample[at, "choice", i] / sample[at, how, i] : 0
  sort_ratios(n)
  if (n == 0) return 0
  median = n % 2 ? ratio[(n + 1) / 2] : (ratio[n / 2] + ratio[n / 2 + 1]) / 2
  low = ratio[int((n + 3) / 4)]
  high = ratio[n + 1 - int((n + 3) / 4)]
  return n
}
function judge_least(at, i, how, r) {
  least_loss[at] = 1
  for (i = 1; i <= candidates[at]; i++) {
    how = candidate[at, i]
    if (count[at, how] == 0 || least[at, how] == 0) continue
    r = least[at, "choice"] / least[at, how]
    if (how == taken[at]) least_agree += r <= limit && r >= 1 / limit
    else if (r > least_loss[at]) least_loss[at] = r
  }
  if (least_loss[at] > limit) least_over++
  if (least_loss[at] > least_worst) { least_worst = least_loss[at]; least_where = at }
}
function judge(at, i, how, n) {
  wins[at] = taken[at]
  loss[at] = 1
  for (i = 1; i <= candidates[at]; i++) {
    how = candidate[at, i]
    n = compare(at, how)
    if (n == 0) { missing[at] = missing[at] " " how; continue }
    if (how == taken[at]) {
      twice++
      again[at] = median
      if (median <= limit && median >= 1 / limit) agree++
    } else if (median > loss[at]) {
      wins[at] = how
      loss[at] = median
      from[at] = low
      to[at] = high
      rounds[at] = n
    }
  }
  judge_least(at)
  if (candidates[at] == 0 && taken[at] == "") missing[at] = " any"
  if (wrong[at] != "") complain(at, "has no time:" wrong[at])
  if (missing[at] != "") complain(at, "was not measured by:" missing[at])
  if (taken[at] == "") complain(at, "eyot-info names no choice")
}
function complain(at, text, part) {
  split(at, part, SUBSEP)
  printf "coll_heat: %s, %s units, %s bytes: %s\n", part[2], part[1], part[3], text
  bad = 1
}
function size(b) { return b >= 1048576 && b % 1048576 == 0 ? b / 1048576 " MiB" : b >= 1024 && b % 1024 == 0 ? b / 1024 " KiB" : b " B" }
function lost(at) {
  if (rounds[at] < 2) return sprintf("%.2f", loss[at])
  return sprintf("%.2f (%.2f to %.2f)", loss[at], from[at], to[at])
}
function head(fun, what, c, dashes) {
  printf "\n### %s: %s\n\n| units ", fun, what
  dashes = "|---"
  for (c = 1; c <= sizes[fun]; c++) { printf "| %s ", size(bytes_of[fun, c]); dashes = dashes "|---" }
  print "|\n" dashes "|"
}
function shape_text(s, part) { return split(s, part, "/") == 2 ? part[1] ", " part[2] " a node" : s }
function map(fun, losses, r, c, at) {
  for (r = 1; r <= shapes[fun]; r++) {
    printf "| %s ", shape_text(shape_of[fun, r])
    for (c = 1; c <= sizes[fun]; c++) {
      at = shape_of[fun, r] SUBSEP fun SUBSEP bytes_of[fun, c]
      if (!(at in place)) printf "|  "
      else printf (loss[at] > limit ? "| **%s** " : "| %s "), losses ? lost(at) : wins[at]
    }
    print "|"
  }
}
function place_text(at, part) {
  split(at, part, SUBSEP)
  return part[2] ", " shape_text(part[1]) " units, " part[3] " bytes"
}
function summary(what, beyond, worst, where, agreed) {
  printf "%s: places=%d within_%d_percent=%d worst=%.3f (%s)", what, places, percent, places - beyond, worst, where
  if (twice > 0) printf "; the same algorithm twice: places=%d within_%d_percent=%d", twice, percent, agreed
  print ""
}
END {
  if (csv != "") print "function,shape,bytes,winner,choice,loss,low,high,again" > csv
  for (p = 1; p <= places; p++) {
    at = at_of[p]
    judge(at)
    split(at, part, SUBSEP)
    if (csv != "") printf "%s,%s,%s,%s,%s,%.4f,%s,%s,%s\n", part[2], part[1], part[3], wins[at], taken[at], loss[at], from[at], to[at], again[at] > csv
    if (loss[at] > worst) { worst = loss[at]; where = place_text(at) }
    if (loss[at] <= limit) continue
    over++
    if (brief) printf "coll_heat: %s, %s units, %s bytes: %s takes %.2f of the time of %s\n", part[2], part[1], part[3], taken[at], loss[at], wins[at]
  }
  for (i = 1; i <= functions && !brief; i++) {
    head(name[i], "who wins (bold: the choice loses more than " int((limit - 1) * 100 + 0.5) " %)")
    map(name[i], 0)
    head(name[i], "the time of the choice, of the winner's = 1")
    map(name[i], 1)
  }
  percent = int((limit - 1) * 100 + 0.5)
  if (!brief) print ""
  summary("choice", over, worst, where, agree)
  if (most_rounds > 1) summary("choice, by the least of " most_rounds " rounds", least_over, least_worst, place_text(least_where), least_agree)
  if (bad || (check && (places == 0 || over > places / 10 || worst > most))) exit 1
}
