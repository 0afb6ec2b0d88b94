/* SPDX-License-Identifier: BSD-3-Clause */
/* res.h - something that serves one message at a time: a NIC's direction, a link, a NUMA
 * domain's memory, a unit for atomics.
 *
 * Why it exists: reservations are first come, first served, but one may lie in the future (a get's
 * response, a message from far away), and whoever is decided later and arrives earlier must not
 * queue behind it. So besides busy-until the idle gaps before it are remembered, a bounded number
 * of them, and a message fills the idle time from its arrival on, in pieces if need be, as packets
 * do. Work is conserved but for gaps that are forgotten. */
#ifndef EYOT_FABRIC_SIM_MACHINE_RES_H
#define EYOT_FABRIC_SIM_MACHINE_RES_H

#include <stdint.h>

#define SIM_RES_GAPS \
  3u /* what makes one cache line; random gets at 46% load of the NICs then take 0.4 us more than \
      * without load, with 7 gaps 0.1, with none more and more */

struct sim_res_gap {
  uint64_t from_ps, to_ps;
};

struct sim_res {
  uint64_t busy_ps; /* taken until, gaps apart */
  uint32_t n;       /* gaps, in order of time, all before busy_ps */
  uint32_t wire;    /* the owner's: which prices a link has */
  struct sim_res_gap gap[SIM_RES_GAPS];
};

_Static_assert(sizeof(struct sim_res) == 64, "a reservation costs one cache miss");

/* sim_res_claim in all cases. */
uint64_t sim_res_claim_slow(struct sim_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t now_ps,
                            uint64_t *end_ps);

/* Reserves r for span_ps in all from at_ps on at the earliest. Returns when it starts; *end_ps when
 * it ends. now_ps: nobody asks for earlier times any more. The common case is here: an idle
 * resource whose remembered gap, if any, has passed. */
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
