/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.h - the trace hash: a hash of all events of a run in their order, without pointers
 * (sim_seg_trace_off). Both engines add to the world's (world.h). Equal runs have equal hashes,
 * whatever the executor and the address space. */
#ifndef EYOT_FABRIC_SIM_ENGINE_TRACE_H
#define EYOT_FABRIC_SIM_ENGINE_TRACE_H

#include <stdint.h>

struct sim_trace {
  uint64_t hash;
};

static inline void sim_trace_init(struct sim_trace *t) {
  t->hash = 0xcbf29ce484222325u;
}

/* Mixes in one event: time, kind, unit or origin, target, offset. */
static inline void sim_trace_event(struct sim_trace *t, uint64_t time_ps, uint32_t kind, uint32_t a,
                                   uint32_t b, uint64_t off) {
  uint64_t h = t->hash;
  h = (h ^ time_ps) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29) ^ ((uint64_t)a << 32 | b)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 32) ^ (off << 4) ^ kind) * 0x94d049bb133111ebu;
  t->hash = h ^ (h >> 31);
}
#endif
