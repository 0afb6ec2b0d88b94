# SPDX-License-Identifier: BSD-3-Clause
# calibrate.awk - the table of suite_calibrate.sh: wall times measured on this machine, virtual
# times predicted for it, and the error of each prediction: the median over the rounds of predicted
# / mean of the two measurements around the calibration. A row whose A/A spread exceeds 10 % is
# listed and not judged. Variables: csv.
$1 ~ /^(measured|again|predicted)$/ && NF == 3 {
  if (!($2 in seen)) { seen[$2] = 1; name[++names] = $2 }
  key = $1 SUBSEP $2
  sample[key, ++count[key]] = $3 + 0
}
function sorted(key, i, j, v) {
  for (i = 2; i <= count[key]; i++) {
    v = sample[key, i]
    for (j = i - 1; j >= 1 && sample[key, j] > v; j--) sample[key, j + 1] = sample[key, j]
    sample[key, j + 1] = v
  }
}
function quantile(key, part, at, i) {
  at = 1 + part * (count[key] - 1)
  i = int(at)
  return i < count[key] ? sample[key, i] + (at - i) * (sample[key, i + 1] - sample[key, i]) : sample[key, i]
}
END {
  print "workload,measured_wall_us,low,high,again_wall_us,predicted_virtual_us,error,error_low,error_high" > csv
  print "| workload | measured, wall us | quartiles | A/A | predicted, virtual us | error | quartiles |"
  print "|---|---|---|---|---|---|---|"
  for (n = 1; n <= names; n++) {
    w = name[n]
    m = "measured" SUBSEP w; a = "again" SUBSEP w; p = "predicted" SUBSEP w
    if (count[m] == 0 || count[a] != count[m] || count[p] != count[m]) continue
    e = "error" SUBSEP w
    for (i = 1; i <= count[p]; i++) sample[e, ++count[e]] = sample[p, i] / ((sample[m, i] + sample[a, i]) / 2) - 1
    sorted(m); sorted(a); sorted(p); sorted(e)
    is = quantile(m, 0.5); same = quantile(a, 0.5); says = quantile(p, 0.5)
    aa = (same > is ? same / is : is / same) - 1
    error = quantile(e, 0.5)
    judged = aa <= 0.10
    if (judged) errors[++judged_n] = error < 0 ? -error : error
    printf "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.4f,%.4f,%.4f\n", w, is / 1e3, quantile(m, 0.25) / 1e3, quantile(m, 0.75) / 1e3, same / 1e3, says / 1e3, error, quantile(e, 0.25), quantile(e, 0.75) > csv
    printf "| %s | %.4g | %.4g to %.4g | %+.1f %% | %.4g | %+.1f %%%s | %+.1f to %+.1f |\n", w, is / 1e3, quantile(m, 0.25) / 1e3, quantile(m, 0.75) / 1e3, 100 * (same / is - 1), says / 1e3, 100 * error, judged ? "" : ", not judged", 100 * quantile(e, 0.25), 100 * quantile(e, 0.75)
  }
  for (i = 2; i <= judged_n; i++) {
    v = errors[i]
    for (j = i - 1; j >= 1 && errors[j] > v; j--) errors[j + 1] = errors[j]
    errors[j + 1] = v
  }
  if (judged_n > 0)
    printf "\n%d of %d rows judged; error: median %.1f %%, worst %.1f %%\n", judged_n, names, 100 * (judged_n % 2 ? errors[(judged_n + 1) / 2] : (errors[judged_n / 2] + errors[judged_n / 2 + 1]) / 2), 100 * errors[judged_n]
}
