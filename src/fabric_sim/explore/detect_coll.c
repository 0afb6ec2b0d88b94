/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_coll.c - the detector `collective`: checks that the members of a team call the same
 * collective functions in the same order. See detect.h.
 *
 * The layers detect most mismatches themselves, by a shape that costs no message, and return
 * EMISMATCH to all members; only the simulator sees all units and can name each one's call. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/wording.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_proc.h"

#define FIRST_CAP 32u
#define SAID_BYTES 256u

/* The number of calls of a member so far. Teams with the same members and id are the same team: an
 * id is never reused with the same generation. */
struct count {
  const void *members;
  uint64_t team, line;
  uint32_t unit;
  uint64_t calls;
};

/* The n-th call of a team, as its first caller made it; removed when all members have made it. */
struct said {
  const void *members;
  uint64_t team, line;
  uint32_t root, left;
  uint64_t n, bytes;
  const char *function; /* that is compared */
  struct sim_detect_call by;
};

struct sim_detect_colls {
  struct count *count;
  struct said *said;
  uint32_t n_counts, counts_cap, n_said, said_cap;
};

struct sim_detect_colls *sim_detect_colls_new(void) {
  return calloc(1, sizeof(struct sim_detect_colls));
}

void sim_detect_colls_delete(struct sim_detect_colls *c) {
  if (c == NULL) return;
  free(c->count);
  free(c->said);
  free(c);
}

static void *coll_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  if ((array = realloc(array, *cap * size)) == NULL)
    eyoti_no_memory(*cap * size, "notes on collective calls");
  return array;
}

static uint64_t next_call(struct sim_detect_colls *c, const struct fab_collective *call,
                          uint32_t unit) {
  uint32_t i = 0;
  while (i < c->n_counts && (c->count[i].members != call->set || c->count[i].team != call->team ||
                             c->count[i].line != call->line || c->count[i].unit != unit))
    i++;
  if (i == c->n_counts) {
    c->count = coll_reserve(c->count, c->n_counts, &c->counts_cap, sizeof *c->count);
    c->count[c->n_counts++] = (struct count){call->set, call->team, call->line, unit, 0};
  }
  return c->count[i].calls++;
}

static void coll_describe(struct sim_world *w, const struct said *s, char text[SAID_BYTES]) {
  char where[SIM_DETECT_WHERE];
  int n = eyoti_snprintf(text, SAID_BYTES, "unit %u called %s", s->by.unit,
                         sim_detect_where(w, &s->by, where));
  if (s->root != FAB_COLLECTIVE_NONE)
    n += snprintf(text + n, SAID_BYTES - (size_t)n, " with root %u", s->root);
  if (s->bytes > 0)
    snprintf(text + n, SAID_BYTES - (size_t)n, "%s %" PRIu64 " bytes",
             s->root != FAB_COLLECTIVE_NONE ? " and" : " with", s->bytes);
}

static void coll_compare(struct sim_world *w, const struct said *first, const struct said *now) {
  if (strcmp(first->function, now->function) == 0 && first->root == now->root &&
      first->bytes == now->bytes)
    return;
  if (!sim_detect_on(w, FAB_DETECT_COLLECTIVE)) return;
  char a[SAID_BYTES], b[SAID_BYTES], words[EYOTI_WORDS];
  coll_describe(w, first, a);
  coll_describe(w, now, b);
  sim_untimed_failed(
      w, "collective: members of %s differ in their collective call %" PRIu64 "%s: %s, %s",
      eyoti_made_words(&w->units[now->by.unit].rt, EYOTI_MADE_TEAM, now->team, words), first->n + 1,
      now->line != 0 ? " on a graph" : "", a, b);
}

void sim_detect_collective(struct fab *f, const struct fab_collective *call) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_world *w = u->world;
  if (!sim_detect_outermost(u)) return;
  struct sim_detect_colls *c = w->untimed->run->detect->colls;
  struct said now = {.members = call->set,
                     .team = call->team,
                     .line = call->line,
                     .root = call->root,
                     .bytes = call->bytes,
                     .left = call->members - 1,
                     .by = sim_detect_here(u)};
  now.function = call->function != NULL ? call->function : now.by.function;
  now.n = next_call(c, call, f->me);
  uint32_t i = 0;
  while (i < c->n_said && (c->said[i].members != now.members || c->said[i].team != now.team ||
                           c->said[i].line != now.line || c->said[i].n != now.n))
    i++;
  if (i < c->n_said) {
    coll_compare(w, &c->said[i], &now);
    if (--c->said[i].left == 0) c->said[i] = c->said[--c->n_said];
  } else if (now.left > 0) {
    c->said = coll_reserve(c->said, c->n_said, &c->said_cap, sizeof *c->said);
    c->said[c->n_said++] = now;
  }
}
