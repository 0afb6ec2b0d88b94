/* SPDX-License-Identifier: BSD-3-Clause */
/* cause.c - searches a unit's remembered writes for the cause of its wait. See cause.h. */
#include "fabric_sim/report/cause.h"

#include <inttypes.h>
#include <string.h>

#include "base/object.h"
#include "base/wording.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/fault/fault.h"

/* A lock's queue is the one case in which the unit itself has named the unit that it waits for: its
 * last operation went to its predecessor. Recognized by the function's name, since the fabric knows
 * no locks. */
#define LOCK_PREFIX "eyot_lock_"

static uint32_t unit_of(const struct sim_write *x) {
  return (x->by & ~(SIM_WRITE_SEEN | SIM_WRITE_BOTH)) - 1;
}

/* The value that the word of `bytes` bytes had then, of a condition's type. */
static uint64_t value_then(const struct sim_write *x, const void *word, enum fab_word type) {
  uint64_t bits = x->value >> 8 * ((uintptr_t)word % 8);
  return fab_word_value(type, bits);
}

static bool is_in_long_put(const struct sim_unit *u, const void *word) {
  return (uintptr_t)word + 8 > u->long_from && (uintptr_t)word < u->long_to;
}

/* Searches the unit's record, the newest first, for writes of the word; cond NULL: only for the
 * last write. */
static struct sim_cause cause_search(const struct sim_unit *u, const void *word,
                                     const struct fab_cond *cond) {
  const enum fab_word type = cond != NULL ? cond->type : FAB_U64;
  const uint32_t halves = sim_unit_halves(word, fab_word_bytes(type));
  struct sim_cause c = {.kind = SIM_CAUSE_NOBODY, .by = SIM_NO_UNIT, .over = SIM_NO_UNIT};
  bool full = true;
  uint32_t later = SIM_NO_UNIT; /* the unit that wrote the word after the examined write */
  for (uint32_t i = 1; i <= u->words.mask + 1; i++) {
    const struct sim_write *x = &u->words.ring[(u->words.n - i) & u->words.mask];
    if (x->by == 0) { /* the record has no more entries */
      full = false;
      break;
    }
    if (x->word != (uint32_t)((uintptr_t)word / 8) || (x->by & halves) == 0) continue;
    uint64_t value = value_then(x, word, type);
    if (c.kind == SIM_CAUSE_NOBODY) {
      c.kind = SIM_CAUSE_WRITER;
      c.by = unit_of(x);
      if (value != fab_word_load(type, word) && !is_in_long_put(u, word))
        later = u->fab.me; /* no delivery: the unit's own store */
    }
    if (cond == NULL || (x->by & SIM_WRITE_SEEN) != 0) return c;
    if (fab_cond_holds(cond, value))
      return (struct sim_cause){
          .kind = SIM_CAUSE_LOST, .by = unit_of(x), .over = later, .value = value};
    later = unit_of(x);
  }
  /* a longer put may have covered it */
  if (c.kind == SIM_CAUSE_NOBODY && (full || is_in_long_put(u, word))) c.kind = SIM_CAUSE_FORGOTTEN;
  return c;
}

/* The unit that is to write a word, where the runtime knows that. */
static uint32_t cause_writer(const struct sim_unit *u, const struct fab_cond *cond) {
  struct eyot_rt *rt = &u->world->units[u->fab.me].rt;
  uint32_t by = rt->writer_of != NULL ? rt->writer_of(rt, cond->seg, cond->off) : SIM_NO_UNIT;
  return by < u->world->n ? by : SIM_NO_UNIT;
}

static struct sim_cause of_cond(const struct sim_unit *u, const void *word,
                                const struct fab_cond *cond) {
  struct sim_cause c = cause_search(u, word, cond);
  c.has_sign = fab_word_signed(cond->type);
  bool held = u->words.held_ps != 0 && fab_cond_holds(cond, u->words.held_value);
  if (held) { /* a delivery has woken the unit, and the word was changed before the unit read it */
    if (c.kind != SIM_CAUSE_LOST)
      c = (struct sim_cause){.kind = SIM_CAUSE_LOST, .by = SIM_NO_UNIT, .over = SIM_NO_UNIT};
    c.has_sign = fab_word_signed(cond->type);
    c.value = u->words.held_value;
    c.held_ps = u->words.held_ps;
    return c;
  }
  const struct sim_last *l = &u->last;
  bool told = l->waited && l->call >= SIM_CALL_PUT && l->call <= SIM_CALL_SIGNAL &&
              l->call != SIM_CALL_GET && l->unit != u->fab.me;
  if (c.kind != SIM_CAUSE_LOST && told && l->what != NULL && l->what == u->fab.note.what &&
      strncmp(l->what, LOCK_PREFIX, sizeof LOCK_PREFIX - 1) == 0)
    c = (struct sim_cause){.kind = SIM_CAUSE_QUEUE, .by = l->unit, .over = SIM_NO_UNIT};
  if (c.kind == SIM_CAUSE_NOBODY) c.by = cause_writer(u, cond);
  return c;
}

struct sim_cause sim_cause_of_any(const struct sim_unit *u, uint32_t i) {
  return of_cond(u, sim_wait_any_word(u, i), &u->wait_any.conds[i]);
}

struct sim_cause sim_cause_of(const struct sim_unit *u) {
  if (u->state == SIM_WAIT_WORD) {
    const struct fab_cond cond = sim_wait_cond(u);
    return of_cond(u, u->wait.word, &cond);
  }
  struct sim_cause best = {.kind = SIM_CAUSE_NONE, .by = SIM_NO_UNIT, .over = SIM_NO_UNIT};
  if (u->state != SIM_WAIT_ANY) return best;
  /* kinds are in the order of how much they explain */
  for (uint32_t i = 0; i < u->wait_any.n; i++) {
    struct sim_cause c = sim_cause_of_any(u, i);
    if (best.kind == SIM_CAUSE_NONE || c.kind < best.kind) best = c;
  }
  return best;
}

struct sim_cause sim_cause_of_word(const struct sim_unit *u, const void *word) {
  return cause_search(u, word, NULL);
}

uint32_t sim_cause_waits_for(const struct sim_cause *c) {
  bool waits = c->kind == SIM_CAUSE_WRITER || c->kind == SIM_CAUSE_QUEUE;
  return waits || c->kind == SIM_CAUSE_NOBODY ? c->by : SIM_NO_UNIT;
}

static void print_unit(const struct sim_unit *u, uint32_t unit, FILE *out) {
  if (unit == u->fab.me)
    eyoti_fprintf(out, "unit %u itself", unit);
  else
    eyoti_fprintf(out, "unit %u", unit);
}

static void cause_print_lost(const struct sim_unit *u, const struct sim_cause *c, FILE *out) {
  char value[EYOTI_COND_WORDS];
  fprintf(out, "; lost wake-up: it was %s, as wanted, ",
          eyoti_value_words(c->has_sign, c->value, value));
  if (c->held_ps != 0)
    fprintf(out, "at virtual %.3f us", (double)c->held_ps * 1e-6);
  else
    fprintf(out, "before");
  if (c->by != SIM_NO_UNIT) {
    fprintf(out, ", written by ");
    print_unit(u, c->by, out);
  }
  fprintf(out, ", and was changed%s", c->over != SIM_NO_UNIT ? " by " : "");
  if (c->over != SIM_NO_UNIT) print_unit(u, c->over, out);
  if (c->over == u->fab.me) fprintf(out, " without a fabric operation");
  eyoti_fprintf(out, " before the unit looked");
}

void sim_cause_print(const struct sim_unit *u, const struct sim_cause *c, FILE *out) {
  const struct sim_unit *all = u->world->units;
  switch (c->kind) {
    case SIM_CAUSE_NONE:
      break;
    case SIM_CAUSE_LOST:
      cause_print_lost(u, c, out);
      break;
    case SIM_CAUSE_QUEUE:
      eyoti_fprintf(out, ", in the queue behind unit %u", c->by);
      break;
    case SIM_CAUSE_WRITER:
      fprintf(out, ", last written by ");
      print_unit(u, c->by, out);
      break;
    case SIM_CAUSE_NOBODY:
      eyoti_fprintf(out, ", no unit has written it so far");
      if (c->by != SIM_NO_UNIT) eyoti_fprintf(out, "; unit %u is to", c->by);
      break;
    case SIM_CAUSE_FORGOTTEN:
      fprintf(out, ", last writer unknown");
      break;
  }
  uint32_t to = sim_cause_waits_for(c);
  if (to != SIM_NO_UNIT && sim_fault_is_crashed(&all[to]))
    eyoti_fprintf(out, "; waits for unit %u, which crashed", to);
  else if (to != SIM_NO_UNIT && all[to].state == SIM_ENDED)
    fprintf(out, ", which has ended");
}
