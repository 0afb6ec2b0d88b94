/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_op.c - the detectors `source` and `destination`: local buffers of operations in flight
 * that the program changes. See detect.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/run.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_proc.h"

#define INSIDE_BYTES 16u
#define FIRST_NOTES 64u

/* The record of the operation with the same index in the pool. */
struct detect_note {
  struct sim_detect_call call;
  bool known;  /* the origin knows that it is locally complete */
  bool handed; /* the program itself has the request */
  bool filled; /* the destination */
  union {      /* the destination as it was */
    unsigned char inside[INSIDE_BYTES];
    unsigned char *outside;
  } was;
  unsigned char *posted; /* a copy of a source that the network will read later (order tso) */
};

struct sim_detect_ops {
  struct detect_note *note;
  uint32_t n;
};

struct sim_detect_ops *sim_detect_ops_new(void) {
  return calloc(1, sizeof(struct sim_detect_ops));
}

void sim_detect_ops_delete(struct sim_detect_ops *o) {
  if (o == NULL) return;
  free(o->note); /* destinations are restored with the run */
  free(o);
}

static struct sim_detect_ops *detect_of(struct sim_world *w) {
  return w->untimed->run->detect->ops;
}

static struct detect_note *detect_note_of(struct sim_world *w, uint32_t index) {
  struct sim_detect_ops *o = detect_of(w);
  if (index >= o->n) {
    uint32_t n = o->n == 0 ? FIRST_NOTES : o->n;
    while (n <= index) n *= 2;
    o->note = realloc(o->note, n * sizeof *o->note);
    if (o->note == NULL) eyoti_no_memory(n * sizeof *o->note, "notes on %u operations", n);
    memset(o->note + o->n, 0, (n - o->n) * sizeof *o->note);
    o->n = n;
  }
  return &o->note[index];
}

static bool detect_carries_bytes(const struct sim_op *op) {
  return op->kind == SIM_OP_PUT || op->kind == SIM_OP_SIGNAL;
}

static bool ends_in_nb(const char *what) {
  size_t n = strlen(what);
  return n > 3 && strcmp(what + n - 3, "_nb") == 0;
}

static void detect_fill(struct detect_note *n, const struct sim_op *op) {
  uint64_t len = sim_op_result_bytes(op);
  unsigned char *was = len <= INSIDE_BYTES ? n->was.inside : sim_deliver_alloc(len);
  memcpy(was, op->local, len);
  if (len > INSIDE_BYTES) n->was.outside = was;
  memset(op->local, SIM_DETECT_FILL, len);
  n->filled = true;
}

/* The network has yet to read the source. Stores of the unit before the post may still be in its
 * store buffer, and reach memory later: that is no change. */
static void note_unread(struct sim_unit *u, const struct sim_op *op, struct detect_note *n) {
  struct sim_world *w = u->world;
  n->known = w->untimed->run->units[u->fab.me].n_stores > 0;
  if (n->known || !sim_detect_on(w, FAB_DETECT_SOURCE)) return;
  n->posted = sim_deliver_alloc(op->len);
  memcpy(n->posted, op->local, op->len);
}

void sim_detect_post(struct sim_unit *u, struct sim_op *op) {
  struct sim_world *w = u->world;
  struct detect_note *n = detect_note_of(w, op->index);
  *n = (struct detect_note){.call = sim_detect_here(u)};
  n->handed = (op->flags & SIM_F_REQ) != 0 && ends_in_nb(n->call.function);
  if ((w->untimed->detect & FAB_DETECT_DESTINATION) != 0 && sim_op_result_bytes(op) > 0)
    detect_fill(n, op);
  if (op->unread) note_unread(u, op, n);
  sim_detect_freed(w, op, &n->call, false);
  sim_detect_access_op(u, op, &n->call);
}

/* Finds, in the words of that part, the first byte of the source that differs from the posted
 * one. */
static bool changed(const struct sim_op *op, const unsigned char *posted, uint32_t part,
                    uint64_t *where) {
  const unsigned char *now = op->local;
  uint64_t i = 0;
  for (uint64_t at = 0; at < op->len; i++) {
    uint64_t n = 8 - (op->off + at) % 8;
    if (n > op->len - at) n = op->len - at;
    if (sim_deliver_part_of(op, i) == part && memcmp(now + at, posted + at, n) != 0) {
      while (now[at] == posted[at]) at++;
      *where = at;
      return true;
    }
    at += n;
  }
  return false;
}

/* What the operation accesses at its target. A member may still be inside the collective call that
 * allocates it: then the origin knows it. */
static const char *target_words(struct sim_world *w, const struct sim_op *op,
                                char words[EYOTI_WORDS]) {
  struct eyoti_run_object there;
  eyoti_made_describe(&w->units[op->target].rt, op->seg, op->off, &there);
  uint32_t knows = there.at == EYOTI_AT_NOWHERE ? op->origin : op->target;
  return eyoti_words(&w->units[knows].rt, op->seg, op->off, false, words);
}

static void compare_source(struct sim_world *w, struct sim_op *op, const struct detect_note *n,
                           uint32_t part, const char *when) {
  const unsigned char *posted = n->posted != NULL ? n->posted : sim_op_payload(op);
  struct sim_untimed *c = w->untimed;
  char where[SIM_DETECT_WHERE], words[EYOTI_WORDS];
  uint64_t at = 0;
  c->reads = "source: the source buffer of a put in flight is no longer mapped";
  bool differs = memcmp(op->local, posted, op->len) != 0 && changed(op, posted, part, &at);
  unsigned now = differs ? ((const unsigned char *)op->local)[at] : 0;
  c->reads = NULL;
  if (!differs) return;
  sim_untimed_failed(
      w,
      "source: unit %u: the source of %s, %" PRIu64
      " bytes to unit %u, was changed before the unit observed its local completion: byte %" PRIu64
      " is 0x%02x, was 0x%02x when it was posted (seen %s); it goes to %s",
      op->origin, sim_detect_where(w, &n->call, where), op->len, op->target, at, now, posted[at],
      when, target_words(w, op, words));
}

void sim_detect_read(struct sim_world *w, struct sim_op *op) {
  struct detect_note *n = detect_note_of(w, op->index);
  if (n->posted == NULL) return;
  for (uint32_t k = 0; k < op->parts; k++)
    if (sim_detect_on(w, FAB_DETECT_SOURCE))
      compare_source(w, op, n, k, "when the network read it");
  free(n->posted);
  n->posted = NULL;
}

void sim_detect_arrive(struct sim_world *w, struct sim_op *op, uint32_t part) {
  const struct detect_note *n = detect_note_of(w, op->index);
  sim_detect_freed(w, op, &n->call, true);
  if (detect_carries_bytes(op) && op->len > 0 && !n->known && sim_detect_on(w, FAB_DETECT_SOURCE))
    compare_source(w, op, n, part, "when it arrived");
}

void sim_detect_known(struct sim_unit *u, struct sim_op *op) {
  struct sim_world *w = u->world;
  struct detect_note *n = detect_note_of(w, op->index);
  if (n->known || !detect_carries_bytes(op) || op->unread || (op->flags & SIM_F_DELIVERED) != 0)
    return;
  for (uint32_t k = 0; k < op->parts && op->len > 0; k++)
    if ((op->left & 1u << k) != 0 && sim_detect_on(w, FAB_DETECT_SOURCE))
      compare_source(w, op, n, k, "when it was waited for");
  n->known = true;
}

/* Of the record's operations, or (t NULL) of all. */
static void flushed_of(struct sim_unit *u, struct sim_target *t) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  uint64_t known_at = t != NULL && t->known_at > cu->known_at ? t->known_at : cu->known_at;
  struct sim_op *op = sim_inflight_last(u, t), *first = NULL;
  for (; op != NULL && op->post_at > known_at; op = sim_inflight_prev(u, t, op)) first = op;
  for (op = first; op != NULL; op = sim_inflight_next(u, t, op)) sim_detect_known(u, op);
  *(t != NULL ? &t->known_at : &cu->known_at) = cu->sequence;
}

void sim_detect_flushed(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  struct sim_target *t;
  if (set == FAB_SET_ALL && unit == FAB_ALL)
    flushed_of(u, NULL);
  else
    for (uint32_t i = 0; (t = sim_inflight_record(u, set, unit, &i)) != NULL;) flushed_of(u, t);
}

void sim_detect_land(struct sim_world *w, struct sim_op *op) {
  struct detect_note *n = detect_note_of(w, op->index);
  if (!n->filled) return;
  n->filled = false;
  uint64_t len = sim_op_result_bytes(op), at = 0;
  unsigned char *was = len <= INSIDE_BYTES ? n->was.inside : n->was.outside, *to = op->local;
  char where[SIM_DETECT_WHERE], words[EYOTI_WORDS];
  w->untimed->reads =
      "destination: the destination buffer of an operation in flight is no longer mapped";
  while (at < len && to[at] == SIM_DETECT_FILL) at++;
  if (op->err != 0) memcpy(to, was, len);
  w->untimed->reads = NULL;
  if (len > INSIDE_BYTES) free(was);
  if (at == len || !sim_detect_on(w, FAB_DETECT_DESTINATION)) return;
  sim_untimed_failed(
      w,
      "destination: unit %u: the destination of %s, %" PRIu64
      " bytes from unit %u, was written before the unit observed its completion: byte %" PRIu64
      "; it comes from %s",
      op->origin, sim_detect_where(w, &n->call, where), len, op->target, at,
      target_words(w, op, words));
}

uint32_t sim_detect_requests(struct sim_world *w, uint32_t unit, struct sim_detect_call *call) {
  struct sim_detect_ops *o = detect_of(w);
  uint32_t found = 0;
  for (uint32_t i = 0; i < o->n; i++) {
    const struct detect_note *n = &o->note[i];
    if (!n->handed || n->call.unit != unit || (sim_pool_at(&w->pool, i)->flags & SIM_F_REQ) == 0)
      continue;
    if (found++ == 0) *call = n->call;
  }
  return found;
}
