# SPDX-License-Identifier: BSD-3-Clause
# table.awk - turns the lines of a suite into a Markdown table on stdout and a CSV file.
#   value CASE METRIC UNIT NUMBER          one measurement; several of one case and metric give median, low and high
#   reference CASE METRIC REFERENCE_CASE   the case that it is compared with (median of the same metric)
# Variables: suite, csv.
$1 == "value" && NF == 5 {
  key = $2 SUBSEP $3
  if (!(key in count)) { order[++keys] = key; name[key] = $2; metric[key] = $3; unit[key] = $4 }
  sample[key, ++count[key]] = $5
}
$1 == "reference" && NF == 4 { reference[$2 SUBSEP $3] = $4 }
function sort_samples(key, i, j, v) {
  for (i = 2; i <= count[key]; i++) {
    v = sample[key, i]
    for (j = i - 1; j >= 1 && sample[key, j] + 0 > v + 0; j--) sample[key, j + 1] = sample[key, j]
    sample[key, j + 1] = v
  }
}
function median(key, n) {
  n = count[key]
  return n % 2 ? sample[key, (n + 1) / 2] : (sample[key, n / 2] + sample[key, n / 2 + 1]) / 2
}
END {
  print "suite,case,metric,unit,value,low,high,reference,reference_value,ratio" > csv
  print "| case | metric | unit | median | low | high | compared with | its median | ratio | difference |"
  print "|---|---|---|---|---|---|---|---|---|---|"
  for (k = 1; k <= keys; k++) sort_samples(order[k])
  for (k = 1; k <= keys; k++) {
    key = order[k]
    m = median(key)
    ref = rv = ratio = diff = ""
    other = reference[key] SUBSEP metric[key]
    if (reference[key] != "" && (other in count)) {
      ref = reference[key]
      rv = sprintf("%.6g", median(other))
      ratio = rv != 0 ? sprintf("%.4f", m / rv) : ""
      diff = sprintf("%+.4g", m - rv)
    }
    low = sample[key, 1]; high = sample[key, count[key]]
    printf "%s,%s,%s,%s,%.6g,%.6g,%.6g,%s,%s,%s\n", suite, name[key], metric[key], unit[key], m, low, high, ref, rv, ratio > csv
    printf "| %s | %s | %s | %.6g | %.6g | %.6g | %s | %s | %s | %s |\n", name[key], metric[key], unit[key], m, low, high, ref, rv, ratio, diff
  }
}
