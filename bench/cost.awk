# SPDX-License-Identifier: BSD-3-Clause
# cost.awk - turns lines `cost NAME P PUBLISHED_NS MEDIAN_NS LOW_NS HIGH_NS ROUND_TRIPS MESSAGES`
# (bench_cost.c) into a Markdown table and a CSV file. Variables: csv.
BEGIN {
  print "name,units,published_ns,median_ns,low_ns,high_ns,ratio,round_trips,messages" > csv
  print "| call | units | published (ns) | ours, virtual: median (ns) | low | high | ours/published | round trips | messages |"
  print "|---|---|---|---|---|---|---|---|---|"
}
$1 == "cost" && NF == 9 {
  ratio = $4 > 0 ? sprintf("%.2f", $5 / $4) : ""
  line[$2, ++count[$2]] = sprintf("| %s | %d | %.0f | %.0f | %.0f | %.0f | %s | %d | %d |", $2, $3, $4, $5, $6, $7, ratio, $8, $9)
  if (count[$2] == 1) order[++names] = $2
  printf "%s,%d,%s,%s,%s,%s,%s,%d,%d\n", $2, $3, $4, $5, $6, $7, ratio, $8, $9 > csv
}
END {
  for (i = 1; i <= names; i++)
    for (j = 1; j <= count[order[i]]; j++) print line[order[i], j]
}
