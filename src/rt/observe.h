/* SPDX-License-Identifier: BSD-3-Clause */
/* observe.h - reports of the layers to the detectors of a fabric that explores schedules (struct
 * fab_check): collective calls, memory, resources that are made and released. For teams, gmem, rma,
 * sync and coll.
 *
 * With every other fabric each report is one branch that is not taken. Local; they cannot fail. */
#ifndef EYOT_RT_OBSERVE_H
#define EYOT_RT_OBSERVE_H

#include "fabric/forward.h"
#include "rt/rt.h"

/* The fabric's own endpoint if the run is explored, else NULL. */
static inline struct fab *eyoti_observe_explored(struct eyot_rt *rt) {
  struct fab *f = *eyoti_forward_last(&rt->fab);
  return f->ops->check != NULL && f->ops->check->begin != NULL ? f : NULL;
}
/* The fabric's own endpoint if it observes at least the run's loads and stores, else NULL. */
static inline struct fab *eyoti_observe_watched(struct eyot_rt *rt) {
  struct fab *f = *eyoti_forward_last(&rt->fab);
  return f->ops->check != NULL ? f : NULL;
}

/* observe.c: for the functions below. */
void eyoti_observe_collective_now(struct eyot_rt *rt, const struct fab_collective *c);
void eyoti_observe_memory_now(struct eyot_rt *rt, fab_seg_t seg, uint64_t off, uint64_t len_bytes,
                              bool alive);
void eyoti_observe_resource_now(struct eyot_rt *rt, const char *kind, uint64_t id, uint64_t bytes,
                                bool made);
void eyoti_observe_owned_now(struct eyot_rt *rt, const void *p, uint64_t len_bytes,
                             enum fab_owned how);
void eyoti_observe_ending_now(struct eyot_rt *rt);
void eyoti_observe_source_now(struct eyot_rt *rt, const void *of, const void *p,
                              uint64_t len_bytes);
void eyoti_observe_saw_now(struct eyot_rt *rt, const void *word);
void eyoti_observe_touch_now(struct eyot_rt *rt, const void *p, uint64_t len_bytes,
                             enum fab_touch how);

/* Reports that a member has entered a collective function of a team of that many units (an interned
 * set). root: or FAB_COLLECTIVE_NONE; bytes: a size that all must pass alike, or 0. */
static inline void eyoti_observe_collective(struct eyot_rt *rt, const void *set, uint64_t team,
                                            uint32_t members, uint32_t root, uint64_t bytes) {
  if (__builtin_expect(rt->observed, 0))
    eyoti_observe_collective_now(
        rt, &(struct fab_collective){
                .set = set, .team = team, .members = members, .root = root, .bytes = bytes});
}
/* Reports that the caller's own [off, off+len) of a segment was allocated, or freed. */
static inline void eyoti_observe_memory(struct eyot_rt *rt, fab_seg_t seg, uint64_t off,
                                        uint64_t len_bytes, bool alive) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_memory_now(rt, seg, off, len_bytes, alive);
}
/* Report a resource that must be released before eyot_finalize: kind is a literal, id tells those
 * of a kind apart. bytes 0: it has no size. */
static inline void eyoti_observe_made(struct eyot_rt *rt, const char *kind, uint64_t id,
                                      uint64_t bytes) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_resource_now(rt, kind, id, bytes, true);
}
static inline void eyoti_observe_released(struct eyot_rt *rt, const char *kind, uint64_t id) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_resource_now(rt, kind, id, 0, false);
}
/* The present value of a word of the caller's own part of a segment: pairs with the release of the
 * signal or atomic that wrote it. A read that is only a hint does not use it. */
static inline uint64_t eyoti_load_own(const void *word) {
  uint64_t value = __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
  struct eyot_rt *rt = eyot_current;
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_saw_now(rt, word);
  return value;
}
/* Report that the public function that the unit is in reads or writes memory of the program itself,
 * not by an operation on it. A collective function reports what it writes from its agreement on,
 * and again at the end. */
static inline void eyoti_observe_reads(struct eyot_rt *rt, const void *p, uint64_t len_bytes) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_touch_now(rt, p, len_bytes, FAB_TOUCH_READ);
}
static inline void eyoti_observe_writes(struct eyot_rt *rt, const void *p, uint64_t len_bytes) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_touch_now(rt, p, len_bytes, FAB_TOUCH_WRITE);
}
/* Reports that the operation posted last, which goes through a buffer of the library, must find
 * this memory of the program untouched until it is locally complete. */
static inline void eyoti_observe_lent(struct eyot_rt *rt, const void *p, uint64_t len_bytes) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_touch_now(rt, p, len_bytes, FAB_TOUCH_LENT);
}
/* Reports who may access a buffer of eyot/own.h from now on. */
static inline void eyoti_observe_owned(struct eyot_rt *rt, const void *p, uint64_t len_bytes,
                                       enum fab_owned how) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_owned_now(rt, p, len_bytes, how);
}
/* What `of` stands for was started, and reads these bytes of the program's until it is completed;
 * the second: now. */
static inline void eyoti_observe_source(struct eyot_rt *rt, const void *of, const void *p,
                                        uint64_t len_bytes) {
  if (__builtin_expect(rt->observed, 0) && p != NULL && len_bytes > 0)
    eyoti_observe_source_now(rt, of, p, len_bytes);
}
static inline void eyoti_observe_completed(struct eyot_rt *rt, const void *of) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_source_now(rt, of, NULL, 0);
}
/* What follows does not belong to the exchange in whose wait the caller is, if it is in one: the
 * result says so to the second. */
bool eyoti_observe_aside_now(struct eyot_rt *rt);
void eyoti_observe_back_now(struct eyot_rt *rt);
static inline bool eyoti_observe_aside(struct eyot_rt *rt) {
  return __builtin_expect(rt->observed, 0) && eyoti_observe_aside_now(rt);
}
static inline void eyoti_observe_back(struct eyot_rt *rt, bool inside) {
  if (__builtin_expect(inside, 0)) eyoti_observe_back_now(rt);
}
static inline void eyoti_observe_ending(struct eyot_rt *rt) {
  if (__builtin_expect(rt->observed, 0)) eyoti_observe_ending_now(rt);
}
#endif
