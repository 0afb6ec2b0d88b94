/* SPDX-License-Identifier: BSD-3-Clause */
/* net_test.h - helpers that the tests of the simulated machine share. */
#ifndef EYOT_NET_TEST_H
#define EYOT_NET_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric_sim/machine/net.h"

#define QUIET_PS 1000000000ull /* 1 ms between measurements: everything is idle again */

static inline struct sim_net *net_open(const char *platform, uint32_t n_units,
                                       uint32_t units_per_node) {
  struct sim_net_opts opts = {
      .platform = platform, .n_units = n_units, .units_per_node = units_per_node};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  assert_non_null(net);
  return net;
}

/* Opening must fail and print `words`; the output stays unchanged. Returns the code. */
static inline int net_refuses_opts(const struct sim_net_opts *opts, const char *words) {
  struct sim_net *net = NULL;
  char said[4096] = "";
  FILE *log = tmpfile();
  assert_non_null(log);
  int saved = dup(STDERR_FILENO);
  dup2(fileno(log), STDERR_FILENO);
  int rc = sim_net_open(opts, &net);
  dup2(saved, STDERR_FILENO);
  close(saved);
  rewind(log);
  said[fread(said, 1, sizeof said - 1, log)] = '\0';
  fclose(log);
  if (rc == 0 || strstr(said, words) == NULL)
    fail_msg("'%s' with %u units: code %d, said '%s'; expected '%s'", opts->platform, opts->n_units,
             rc, said, words);
  assert_null(net);
  return rc;
}

static inline void net_refuses(const char *platform, uint32_t n_units, uint32_t units_per_node,
                               int code, const char *words) {
  struct sim_net_opts opts = {
      .platform = platform, .n_units = n_units, .units_per_node = units_per_node};
  assert_int_equal(net_refuses_opts(&opts, words), code);
}

static inline uint64_t net_overhead_ps(const struct sim_net *net, enum sim_msg kind, uint32_t src,
                                       uint32_t dst, uint64_t bytes) {
  return sim_net_overhead_ps(net, kind, sim_net_by_memory(net, src, dst), bytes);
}

/* Time of one blocking operation on an idle machine, overhead included; advances *clock_ps so that
 * it is idle again. */
static inline uint64_t net_blocking_ps(struct sim_net *net, enum sim_msg kind, uint32_t src,
                                       uint32_t dst, uint64_t bytes, uint64_t *clock_ps) {
  struct sim_timing t;
  *clock_ps += QUIET_PS + bytes * 1000;
  uint64_t o = net_overhead_ps(net, kind, src, dst, bytes);
  sim_net_reserve(net, kind, src, dst, bytes, *clock_ps + o, &t);
  assert_true(t.sent_ps >= *clock_ps && t.target_at >= t.sent_ps && t.done_at >= t.target_at);
  return t.done_at - *clock_ps;
}

static inline void net_near(const char *what, double value, double expected, double tolerance) {
  if (value < expected * (1 - tolerance) || value > expected * (1 + tolerance))
    fail_msg("%s is %.1f, expected %.1f within %.1f%%", what, value, expected, 100 * tolerance);
}
#endif
