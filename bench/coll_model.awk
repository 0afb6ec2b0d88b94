# SPDX-License-Identifier: BSD-3-Clause
# coll_model.awk - turns the lines of bench_coll_scale into lines `value SERIES@UNITS WHAT UNIT
# NUMBER` for the suite coll-scale, and adds to each measured time what is possible on the machine
# whose figures (eyot-info --platform) are the first file:
#   bound  no algorithm is faster. LogP over nodes: a node that knows sends a message each gap, by
#          whichever core, and what a message brings is known L = overhead + tx + router + rx later;
#          units of a node cost nothing (R. Karp, A. Sahay, E. Santos, K. Schauser, Optimal
#          broadcast and summation in the LogP model, SPAA 1993). Bytes take their time at the NIC.
#          Of alltoall and allgather the bytes or messages of a node at its NIC, one message for
#          each pair of nodes, and L. From 64 KiB on: the copies at the memory of a NUMA domain.
#   model  multi-object with the best radix k (PiP-MColl, arXiv 2305.10612): each of ceil(log_(k+1)
#          N) rounds posts k messages of a node from its c cores; before and after them one core
#          looks at a word of each other core
# Both are rough where messages are long: they know no pipelines.
FNR == NR {
  if ($3 == "ns" || $3 == "GB/s") figure[$1] = $2 + 0
  else if ($2 ~ /^[0-9]+$/) figure[$1] = $2 + 0
  if ($1 == "lat_green") dragonfly = 1
  next
}
function ceil(x) { return x == int(x) ? x : int(x) + 1 }
function most(a, b) { return a > b ? a : b }
function bytes_ns(bytes, rate) { return rate > 0 ? bytes / rate : 0 } # GB/s are bytes a nanosecond
# The hops of the longest minimal route between two of N nodes that are placed one after the other.
function hops_ns(N, routers, s) {
  routers = ceil(N / figure["nodes"])
  if (!dragonfly) { # a box that is near a cube, of a torus: half of each side, of three
    for (s = 1; s * s * s < routers; s++);
    return s < 2 ? 0 : int(s / 2) * (figure["lat_x"] + figure["lat_y"] + figure["lat_z"])
  }
  if (routers <= 1) return 0
  if (routers <= figure["blades"]) return figure["lat_green"]
  if (routers <= figure["blades"] * figure["chassis"]) return figure["lat_green"] + figure["lat_black"]
  return 2 * (figure["lat_green"] + figure["lat_black"]) + figure["lat_blue"]
}
function latency_ns() { return figure["overhead_put"] + figure["tx"] + figure["router"] + figure["rx"] }
# Time until N nodes know: by nanoseconds, sends[t] messages begin at t.
function logp_ns(N, bytes, gap, L, t, knows, news, sends) {
  if (N < 2) return 0
  gap = most(1, ceil(most(figure["gap"], bytes_ns(bytes, figure["bw_nic_put"]))))
  L = ceil(latency_ns() + bytes_ns(bytes, figure["bw_nic_put"]))
  knows = 1
  for (t = 0; knows < N; t++) {
    news = t == 0 ? 1 : t >= L ? sends[t - L] : 0
    if (t > 0) knows += news
    sends[t] = news + (t >= gap ? sends[t - gap] : 0)
  }
  return t - 1
}
function multi_ns(N, bytes, steps, c, near, L, gap, k, rounds, reach, ns, best) {
  near = figure["overhead_node"] + figure["lat_node"] + (figure["cores"] - 1) * figure["poll"]
  L = figure["tx"] + figure["router"] + figure["rx"] + hops_ns(N) + bytes_ns(bytes, figure["bw_nic_put"])
  gap = most(figure["gap"], bytes_ns(bytes, figure["bw_nic_put"]))
  for (k = 1; k < N; k++) {
    rounds = 0
    for (reach = 1; reach < N; reach *= k + 1) rounds++
    ns = rounds * (most(ceil(k / figure["cores"]) * figure["overhead_put"], k * gap) + L)
    if (best == "" || ns < best) best = ns
  }
  return 2 * near + best
}
function bound_ns(what, bytes, p, N, c, node) {
  c = p < figure["cores"] ? p : figure["cores"]
  N = ceil(p / figure["cores"])
  if (what ~ /^alltoall|^allgather$|^gather$|^scatter$/) {
    node = what ~ /^alltoall/ ? (p - c) * c * bytes : (p - c) * bytes
    return N < 2 ? 0 : latency_ns() + most((N - 1) * figure["gap"], bytes_ns(node, figure["bw_nic_put"]))
  }
  if (bytes < 65536) return logp_ns(N, bytes)
  # Each unit's copy is read and written once at its domain; a sum moves so much twice.
  node = 2 * (what ~ /^allreduce/ ? 2 : 1) * bytes * c / figure["numa"]
  return most(bytes_ns(node, figure["bw_memory"]), N < 2 ? 0 : latency_ns() + bytes_ns(bytes, figure["bw_nic_put"]))
}
function size(b) { return b == 0 ? "" : b >= 1048576 ? "_" b / 1048576 "MiB" : b >= 1024 ? "_" b / 1024 "KiB" : "_" b "B" }
function say(series, what, unit, number) { printf "value %s@%d %s %s %.5g\n", series, $6, what, unit, number }
$1 == "case" {
  what = $2; bytes = $4; p = $6
  if (what == "alltoall_once") { say("eyot", "alltoall_8B_wall", "s", $10); next }
  name = what size(bytes)
  say("eyot", name, "us", $8 / 1000)
  ns = bound_ns(what, bytes, p)
  if (ns > 0) say("bound", name, "us", ns / 1000)
  if (what ~ /^(barrier|broadcast|allreduce|allreduce_double)$/ && bytes <= 64 && p > figure["cores"])
    say("model", name, "us", multi_ns(ceil(p / figure["cores"]), bytes) / 1000)
}
