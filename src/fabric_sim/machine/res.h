/* SPDX-License-Identifier: BSD-3-Clause */
/* res.h - a serially reserved resource: a NIC's direction, a link, a NUMA domain's memory, a unit
 * for atomics. It serves one message at a time. For net_*.c and the tables of net_tables.h.
 *
 * Why it exists: reservations are first come, first served, but one may lie in the future (a get's
 * response, a message from far away), and a message that is decided later and arrives earlier must
 * not queue after it. So a bounded number of idle gaps before the busy-until time is remembered,
 * and a message fills idle time from its arrival on, in pieces if need be, as packets do. Short
 * messages drop gaps that are too many. Long ones move them to res_gaps.c: flows that wait
 * elsewhere reserve far ahead, one gap each. On a shared network a short message does not queue
 * behind pieces of long ones: it waits for a packet, and pushes the rest back. */
#ifndef EYOT_FABRIC_SIM_MACHINE_RES_H
#define EYOT_FABRIC_SIM_MACHINE_RES_H

#include <stdint.h>

/* As many gaps as fit in one cache line. Random gets at 46% load of the NICs then take 0.4 us more
 * than without load; with 7 gaps 0.1 us more, with none ever more. */
#define SIM_RES_GAPS 3u
#define SIM_RES_WIRES (1u << 29) /* wires have smaller numbers */

struct sim_res_gaps; /* res_gaps.h */

struct sim_res {
  uint64_t busy_ps; /* taken until then, except for the gaps */
  uint64_t long_ps; /* until then with long messages, which short ones pass */
  uint64_t pass_ps; /* those that pass would take it until then, alone */
  /* idle gaps in order of time, all before busy_ps: their beginnings and lengths */
  union {
    uint64_t gap_ps[SIM_RES_GAPS];
    struct {
      uint64_t last_ps; /* with `many`: gap_ps[0] is the last gap, or one after it */
      struct sim_res_gaps *gaps;
    };
  };
  uint32_t gap_len[SIM_RES_GAPS]; /* of a gap of more than 4.2 ms, its beginning */
  uint32_t n : 2;                 /* number of gaps */
  uint32_t many : 1;              /* they are in *gaps, and n is 1, or 0 if all are over */
  uint32_t wire : 29;             /* for the owner: the costs of a link */
};

_Static_assert(sizeof(struct sim_res) == 64, "a reservation costs one cache miss");

/* When a message has the resource; returned in registers. */
struct sim_turn {
  uint64_t start_ps, end_ps;
};

/* The general case of sim_res_claim. */
struct sim_turn sim_res_claim_slow(struct sim_res *r, uint64_t at_ps, uint64_t span_ps,
                                   uint64_t now_ps);

static inline uint32_t sim_res_gap_len(uint64_t ps) {
  return ps < UINT32_MAX ? (uint32_t)ps : UINT32_MAX;
}
static inline uint64_t sim_res_gap_end(const struct sim_res *r, uint32_t i) {
  return r->gap_ps[i] + r->gap_len[i];
}

/* Reserves r for span_ps in all from at_ps on at the earliest. Returns when it starts; *end_ps when
 * it ends. now_ps: no later call has an earlier at_ps. The common cases are inline: an idle or
 * busy resource whose remembered gaps, if any, have passed. */
static inline uint64_t sim_res_claim(struct sim_res *r, uint64_t at_ps, uint64_t span_ps,
                                     uint64_t now_ps, uint64_t *end_ps) {
  uint64_t idle_ps = r->busy_ps > now_ps ? r->busy_ps : now_ps, start_ps = r->busy_ps;
  if (span_ps == 0 || (r->n > 0 && sim_res_gap_end(r, r->n - 1) > now_ps)) {
    struct sim_turn turn = sim_res_claim_slow(r, at_ps, span_ps, now_ps);
    *end_ps = turn.end_ps;
    return turn.start_ps;
  }
  r->n = 0;
  if (at_ps >= start_ps) {
    start_ps = at_ps;
    if (at_ps > idle_ps) {
      r->gap_ps[0] = idle_ps;
      r->gap_len[0] = sim_res_gap_len(at_ps - idle_ps);
      r->n = 1;
    }
  }
  r->busy_ps = *end_ps = start_ps + span_ps;
  return start_ps;
}

/* The same for a long message on a shared network: no gap is dropped. */
struct sim_res_pool;
struct sim_turn sim_res_claim_long_slow(struct sim_res *r, struct sim_res_pool *pool,
                                        uint64_t at_ps, uint64_t span_ps, uint64_t now_ps);
static inline uint64_t sim_res_claim_long(struct sim_res *r, struct sim_res_pool *pool,
                                          uint64_t at_ps, uint64_t span_ps, uint64_t now_ps,
                                          uint64_t *end_ps) {
  if (r->n < SIM_RES_GAPS && !r->many) return sim_res_claim(r, at_ps, span_ps, now_ps, end_ps);
  struct sim_turn turn = sim_res_claim_long_slow(r, pool, at_ps, span_ps, now_ps);
  *end_ps = turn.end_ps;
  return turn.start_ps;
}

/* The same for a message that queues with its like, but not behind long ones: of what is reserved
 * there it waits for packet_ps at most. That stays where it is; later reservations come span_ps
 * later. */
struct sim_turn sim_res_pass_long(struct sim_res *r, uint64_t at_ps, uint64_t span_ps,
                                  uint64_t packet_ps, uint64_t now_ps);
static inline uint64_t sim_res_pass(struct sim_res *r, uint64_t at_ps, uint64_t span_ps,
                                    uint64_t packet_ps, uint64_t now_ps, uint64_t *end_ps) {
  if (__builtin_expect(at_ps >= r->long_ps, 1))
    return sim_res_claim(r, at_ps, span_ps, now_ps, end_ps);
  struct sim_turn turn = sim_res_pass_long(r, at_ps, span_ps, packet_ps, now_ps);
  *end_ps = turn.end_ps;
  return turn.start_ps;
}
/* What was reserved until end_ps is a long message. */
static inline void sim_res_long(struct sim_res *r, uint64_t end_ps) {
  if (r->long_ps < end_ps) r->long_ps = end_ps;
}
#endif
