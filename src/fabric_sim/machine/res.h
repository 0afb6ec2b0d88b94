/* SPDX-License-Identifier: BSD-3-Clause */
/* res.h - a serially reserved resource: a NIC's direction, a link, a NUMA domain's memory, a unit
 * for atomics. It serves one message at a time. For net_reserve.c and the tables of net_tables.h.
 *
 * Why it exists: reservations are first come, first served, but one may lie in the future (a get's
 * response, a message from far away), and a message that is decided later and arrives earlier must
 * not queue after it. So a bounded number of idle gaps before the busy-until time is remembered,
 * and a message fills idle time from its arrival on, in pieces if need be, as packets do. Work is
 * conserved except for gaps that are dropped. */
#ifndef EYOT_FABRIC_SIM_MACHINE_RES_H
#define EYOT_FABRIC_SIM_MACHINE_RES_H

#include <stdint.h>

/* As many gaps as fit in one cache line. Random gets at 46% load of the NICs then take 0.4 us more
 * than without load; with 7 gaps 0.1 us more, with none ever more. */
#define SIM_RES_GAPS 3u

struct sim_res_gap {
  uint64_t from_ps, to_ps;
};

struct sim_res {
  uint64_t busy_ps; /* taken until then, except for the gaps */
  uint32_t n;       /* number of gaps, which are in order of time, all before busy_ps */
  uint32_t wire;    /* for the owner: the costs of a link */
  struct sim_res_gap gap[SIM_RES_GAPS];
};

_Static_assert(sizeof(struct sim_res) == 64, "a reservation costs one cache miss");

/* The general case of sim_res_claim. */
uint64_t sim_res_claim_slow(struct sim_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t now_ps,
                            uint64_t *end_ps);

/* Reserves r for span_ps in all from at_ps on at the earliest. Returns when it starts; *end_ps when
 * it ends. now_ps: no later call has an earlier at_ps. The common case is inline: an idle resource
 * whose remembered gap, if any, has passed. */
static inline uint64_t sim_res_claim(struct sim_res *r, uint64_t at_ps, uint64_t span_ps,
                                     uint64_t now_ps, uint64_t *end_ps) {
  uint64_t idle_ps = r->busy_ps > now_ps ? r->busy_ps : now_ps;
  if (at_ps <= idle_ps || (r->n > 0 && r->gap[r->n - 1].to_ps > now_ps))
    return sim_res_claim_slow(r, at_ps, span_ps, now_ps, end_ps);
  r->gap[0] = (struct sim_res_gap){idle_ps, at_ps};
  r->n = 1;
  r->busy_ps = *end_ps = at_ps + span_ps;
  return at_ps;
}
#endif
