/* SPDX-License-Identifier: BSD-3-Clause */
/* observe.c - implements observe.h: passes reports of the layers to the fabric that explores or
 * watches the run. */
#include "rt/observe.h"

void eyoti_observe_collective_now(struct eyot_rt *rt, const struct fab_collective *c) {
  struct fab *f = eyoti_observe_explored(rt);
  if (f != NULL) f->ops->check->collective(f, c);
}

void eyoti_observe_memory_now(struct eyot_rt *rt, fab_seg_t seg, uint64_t off, uint64_t len_bytes,
                              bool alive) {
  struct fab *f = eyoti_observe_watched(rt);
  if (f != NULL) f->ops->check->memory(f, seg, off, len_bytes, alive);
}

void eyoti_observe_resource_now(struct eyot_rt *rt, const char *kind, uint64_t id, uint64_t bytes,
                                bool made) {
  struct fab *f = eyoti_observe_explored(rt);
  if (f != NULL) f->ops->check->resource(f, kind, id, bytes, made);
}

void eyoti_observe_owned_now(struct eyot_rt *rt, const void *p, uint64_t len_bytes,
                             enum fab_owned how) {
  struct fab *f = eyoti_observe_watched(rt);
  if (f != NULL) f->ops->check->owned(f, p, len_bytes, how);
}

void eyoti_observe_source_now(struct eyot_rt *rt, const void *of, const void *p,
                              uint64_t len_bytes) {
  struct fab *f = eyoti_observe_explored(rt);
  if (f != NULL) f->ops->check->source(f, (uintptr_t)of, p, len_bytes);
}

void eyoti_observe_ending_now(struct eyot_rt *rt) {
  struct fab *f = eyoti_observe_explored(rt);
  if (f != NULL) f->ops->check->ending(f);
}

void eyoti_observe_saw_now(struct eyot_rt *rt, const void *word) {
  struct fab *f = eyoti_observe_watched(rt);
  if (f != NULL) f->ops->check->saw(f, word);
}

void eyoti_observe_touch_now(struct eyot_rt *rt, const void *p, uint64_t len_bytes,
                             enum fab_touch how) {
  struct fab *f = eyoti_observe_watched(rt);
  if (f != NULL && p != NULL && len_bytes > 0) f->ops->check->touches(f, p, len_bytes, how);
}

bool eyoti_observe_aside_now(struct eyot_rt *rt) {
  struct fab *f = eyoti_observe_watched(rt);
  return f != NULL && f->ops->check->exchange != NULL &&
         f->ops->check->exchange(f, NULL, FAB_EXCHANGE_OUTSIDE);
}

void eyoti_observe_back_now(struct eyot_rt *rt) {
  struct fab *f = eyoti_observe_watched(rt);
  (void)f->ops->check->exchange(f, NULL, FAB_EXCHANGE_INSIDE);
}
