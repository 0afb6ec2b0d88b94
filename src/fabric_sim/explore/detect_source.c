/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_source.c - the part of the detector `source` that is for messages and collectives which go
 * on inside other calls: their buffers are copied at the start, and compared when the program has
 * completed them. See detect.h.
 *
 * Why it exists: which of their bytes a put still reads depends on the algorithm and on what was
 * buffered, so a program that is wrong may be right in every schedule of today's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_proc.h"

#define FIRST_CAP 16u

struct held_source {
  uint64_t id, len;
  const unsigned char *p;
  unsigned char *was;
  struct sim_detect_call call; /* that has started what reads it */
};

struct sim_detect_sources {
  struct held_source *held;
  uint32_t n, cap;
};

struct sim_detect_sources *sim_detect_sources_new(void) {
  return calloc(1, sizeof(struct sim_detect_sources));
}

void sim_detect_sources_delete(struct sim_detect_sources *s) {
  if (s == NULL) return;
  for (uint32_t i = 0; i < s->n; i++) free(s->held[i].was);
  free(s->held);
  free(s);
}

static void source_starts(struct sim_unit *u, struct sim_detect_sources *s, uint64_t id,
                          const void *p, uint64_t len) {
  if (s->n == s->cap) {
    s->cap = s->cap == 0 ? FIRST_CAP : 2 * s->cap;
    s->held = realloc(s->held, s->cap * sizeof *s->held);
    if (s->held == NULL) eyoti_no_memory(s->cap * sizeof *s->held, "notes on %u sources", s->cap);
  }
  struct held_source h = {id, len, p, malloc(len), sim_detect_here(u)};
  if (h.was == NULL) eyoti_no_memory(len, "a copy of a source");
  memcpy(h.was, p, len);
  s->held[s->n++] = h;
}

static void source_ends(struct sim_world *w, const struct held_source *h) {
  struct sim_untimed *c = w->untimed;
  char where[SIM_DETECT_WHERE];
  uint64_t at = 0;
  c->reads = "source: the buffer of an operation that was not completed is no longer mapped";
  while (at < h->len && h->p[at] == h->was[at]) at++;
  unsigned now = at < h->len ? h->p[at] : 0;
  c->reads = NULL;
  if (at == h->len || !sim_detect_on(w, FAB_DETECT_SOURCE)) return;
  sim_untimed_failed(w,
                     "source: unit %u: the buffer that %s reads, %" PRIu64
                     " bytes, was changed before the unit completed it: byte %" PRIu64
                     " is 0x%02x, was 0x%02x when it was started",
                     h->call.unit, sim_detect_where(w, &h->call, where), h->len, at, now,
                     h->was[at]);
}

/* Stores of the unit before the start may be in its store buffer, and reach memory later: that
 * is no change. */
static bool is_known(struct sim_unit *u) {
  return u->world->untimed->run->units[u->fab.me].n_stores == 0;
}

void sim_detect_source(struct fab *f, uint64_t id, const void *p, uint64_t len) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_detect_sources *s = u->world->untimed->run->detect->sources;
  if (p != NULL) {
    if (sim_detect_on(u->world, FAB_DETECT_SOURCE) && is_known(u)) source_starts(u, s, id, p, len);
    return;
  }
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->held[i].id != id || s->held[i].call.unit != f->me) continue;
    source_ends(u->world, &s->held[i]);
    free(s->held[i].was);
    s->held[i] = s->held[--s->n];
    return;
  }
}
