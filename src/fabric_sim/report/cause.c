/* SPDX-License-Identifier: BSD-3-Clause */
/* cause.c - see cause.h. */
#include "fabric_sim/report/cause.h"

#include <string.h>

#include "fabric_sim/engine/wait.h"
#include "fabric_sim/fault/fault.h"

/* A lock's queue is the one place where the unit itself has told whom it waits for: its last
 * operation went to its predecessor. By name, since the fabric knows no locks; functions of locks
 * are called so. */
#define LOCK_PREFIX "eyot_lock_"

static uint32_t unit_of(const struct fs_write *x) {
  return (x->by & ~FS_WRITE_SEEN) - 1;
}

/* Looks through what the unit remembers, the youngest first, for writes of the word; cond NULL:
 * just for the last one. */
static struct fs_cause search(const struct fs_unit *u, const uint64_t *word,
                              const struct fab_cond *cond) {
  struct fs_cause c = {FS_CAUSE_NOBODY, FS_NO_UNIT, FS_NO_UNIT, 0, 0};
  uint32_t later = FS_NO_UNIT; /* who wrote the word after the one that is looked at */
  for (uint32_t i = 1; i <= u->words.mask + 1; i++) {
    const struct fs_write *x = &u->words.ring[(u->words.n - i) & u->words.mask];
    if (x->by == 0) return c; /* there were no more */
    if (x->word != (uint32_t)((uintptr_t)word / 8)) continue;
    if (c.kind == FS_CAUSE_NOBODY) {
      c.kind = FS_CAUSE_WRITER;
      c.by = unit_of(x);
      if (x->value != *word) later = u->fab.me; /* no delivery: a store of its own */
    }
    if (cond == NULL || (x->by & FS_WRITE_SEEN) != 0) return c;
    if (fab_cmp_holds(cond->cmp, x->value, cond->value))
      return (struct fs_cause){FS_CAUSE_LOST, unit_of(x), later, x->value, 0};
    later = unit_of(x);
  }
  if (c.kind == FS_CAUSE_NOBODY) c.kind = FS_CAUSE_FORGOTTEN;
  return c;
}

static struct fs_cause of_cond(const struct fs_unit *u, const uint64_t *word,
                               const struct fab_cond *cond) {
  struct fs_cause c = search(u, word, cond);
  bool held = u->words.held_ps != 0 && fab_cmp_holds(cond->cmp, u->words.held_value, cond->value);
  if (held) { /* a delivery has woken it, and the word was changed before it could look */
    if (c.kind != FS_CAUSE_LOST) c = (struct fs_cause){FS_CAUSE_LOST, FS_NO_UNIT, FS_NO_UNIT, 0, 0};
    c.value = u->words.held_value;
    c.held_ps = u->words.held_ps;
    return c;
  }
  const struct fs_last *l = &u->last;
  bool told = l->waited && l->call >= FS_CALL_PUT && l->call <= FS_CALL_SIGNAL &&
              l->call != FS_CALL_GET && l->unit != u->fab.me;
  if (c.kind != FS_CAUSE_LOST && told && l->what != NULL && l->what == u->fab.note.what &&
      strncmp(l->what, LOCK_PREFIX, sizeof LOCK_PREFIX - 1) == 0)
    c = (struct fs_cause){FS_CAUSE_QUEUE, l->unit, FS_NO_UNIT, 0, 0};
  return c;
}

struct fs_cause fs_cause_of_any(const struct fs_unit *u, uint32_t i) {
  return of_cond(u, fs_wait_any_word(u, i), &u->wait_any.conds[i]);
}

struct fs_cause fs_cause_of(const struct fs_unit *u) {
  if (u->state == FS_WAIT_WORD) {
    const struct fs_wait *w = &u->wait;
    return of_cond(u, w->word, &(struct fab_cond){w->seg, (enum fab_cmp)w->cmp, w->off, w->value});
  }
  struct fs_cause best = {FS_CAUSE_NONE, FS_NO_UNIT, FS_NO_UNIT, 0, 0};
  if (u->state != FS_WAIT_ANY) return best;
  for (uint32_t i = 0; i < u->wait_any.n; i++) { /* kinds are in the order of how much they tell */
    struct fs_cause c = fs_cause_of_any(u, i);
    if (best.kind == FS_CAUSE_NONE || c.kind < best.kind) best = c;
  }
  return best;
}

struct fs_cause fs_cause_of_word(const struct fs_unit *u, const uint64_t *word) {
  return search(u, word, NULL);
}

uint32_t fs_cause_waits_for(const struct fs_cause *c) {
  return c->kind == FS_CAUSE_WRITER || c->kind == FS_CAUSE_QUEUE ? c->by : FS_NO_UNIT;
}

static void print_unit(const struct fs_unit *u, uint32_t unit, FILE *out) {
  if (unit == u->fab.me)
    fprintf(out, "unit %u itself", unit);
  else
    fprintf(out, "unit %u", unit);
}

static void print_lost(const struct fs_unit *u, const struct fs_cause *c, FILE *out) {
  fprintf(out, "; lost wake-up: it was %llu, as wanted, ", (unsigned long long)c->value);
  if (c->held_ps != 0)
    fprintf(out, "at virtual %.3f us", (double)c->held_ps * 1e-6);
  else
    fprintf(out, "before");
  if (c->by != FS_NO_UNIT) {
    fprintf(out, ", written by ");
    print_unit(u, c->by, out);
  }
  fprintf(out, ", and was changed%s", c->over != FS_NO_UNIT ? " by " : "");
  if (c->over != FS_NO_UNIT) print_unit(u, c->over, out);
  if (c->over == u->fab.me) fprintf(out, " without a fabric operation");
  fprintf(out, " before the unit looked");
}

void fs_cause_print(const struct fs_unit *u, const struct fs_cause *c, FILE *out) {
  const struct fs_unit *all = u->world->units;
  switch (c->kind) {
    case FS_CAUSE_NONE:
      break;
    case FS_CAUSE_LOST:
      print_lost(u, c, out);
      break;
    case FS_CAUSE_QUEUE:
      fprintf(out, ", in the queue behind unit %u", c->by);
      break;
    case FS_CAUSE_WRITER:
      fprintf(out, ", last written by ");
      print_unit(u, c->by, out);
      break;
    case FS_CAUSE_NOBODY:
      fprintf(out, ", nobody has written it so far");
      break;
    case FS_CAUSE_FORGOTTEN:
      fprintf(out, ", last writer unknown");
      break;
  }
  uint32_t to = fs_cause_waits_for(c);
  if (to != FS_NO_UNIT && fs_fault_is_crashed(&all[to]))
    fprintf(out, "; waits for unit %u, which crashed", to);
  else if (to != FS_NO_UNIT && all[to].state == FS_ENDED)
    fprintf(out, ", which has ended");
}
