/* SPDX-License-Identifier: BSD-3-Clause */
/* race_note.c - implements race_note.h. */
#include "fabric_sim/explore/race_note.h"

#include <string.h>

#include "base/hash.h"
#include "check/snapshot/mem.h"

#define FIRST_CAP 256u

void *sim_race_must(void *p) {
  if (p == NULL) eyoti_no_memory(0, "finding races; leave out --races or --detect race");
  return p;
}

/* -- lists ------------------------------------------------------------------------------------- */

static void note_free(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  if (n->index != SIM_RACE_NONE && x->of_op[n->index] == i) x->of_op[n->index] = SIM_RACE_NONE;
  n->next = x->free;
  x->free = i;
}

static uint32_t *race_bucket(const struct sim_race *x, uint32_t unit, uint32_t target) {
  return &x->there[eyoti_hash_mix(eyoti_hash_mix(0, unit), target) & (x->n_there - 1)];
}

static void list_there(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  uint32_t *head = race_bucket(x, n->unit, n->target);
  n->prev_there = SIM_RACE_NONE;
  n->next_there = *head;
  if (*head != SIM_RACE_NONE) x->note[*head].prev_there = i;
  *head = i;
}

static void unlist_there(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  if (n->prev_there != SIM_RACE_NONE)
    x->note[n->prev_there].next_there = n->next_there;
  else
    *race_bucket(x, n->unit, n->target) = n->next_there;
  if (n->next_there != SIM_RACE_NONE) x->note[n->next_there].prev_there = n->prev_there;
}

/* The array of notes has grown: makes as many buckets. The oldest notes are listed first. */
static void race_rehash(struct sim_race *x) {
  x->n_there = x->notes_cap;
  x->there = sim_race_must(chk_resize(x->there, x->n_there * sizeof *x->there));
  memset(x->there, 0xff, x->n_there * sizeof *x->there);
  for (uint32_t u = 0; u < x->w->n; u++) {
    uint32_t oldest = x->head[u];
    while (oldest != SIM_RACE_NONE && x->note[oldest].next != SIM_RACE_NONE)
      oldest = x->note[oldest].next;
    for (uint32_t i = oldest; i != SIM_RACE_NONE; i = x->note[i].prev) list_there(x, i);
  }
}

static void race_unlist(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  if (n->prev != SIM_RACE_NONE)
    x->note[n->prev].next = n->next;
  else
    x->head[n->unit] = n->next;
  if (n->next != SIM_RACE_NONE) x->note[n->next].prev = n->prev;
  unlist_there(x, i);
}

/* A note with a signal remains until that has acted. */
void sim_race_note_known(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  race_unlist(x, i);
  if (n->due) {
    chk_race_completed(x->race, n->op, CHK_RACE_BUFFERED);
    n->known = true;
    return;
  }
  chk_race_completed(x->race, n->op, CHK_RACE_REMOTE);
  note_free(x, i);
}

static uint32_t *op_slot(struct sim_race *x, uint32_t index) {
  if (index < x->ops_cap) return &x->of_op[index];
  uint32_t cap = x->ops_cap == 0 ? FIRST_CAP : x->ops_cap;
  while (cap <= index) cap *= 2;
  x->of_op = sim_race_must(chk_resize(x->of_op, cap * sizeof *x->of_op));
  memset(x->of_op + x->ops_cap, 0xff, (cap - x->ops_cap) * sizeof *x->of_op);
  x->ops_cap = cap;
  return &x->of_op[index];
}

uint32_t sim_race_note_of(const struct sim_race *x, const struct sim_op *op) {
  return op->index < x->ops_cap ? x->of_op[op->index] : SIM_RACE_NONE;
}

/* Frees the entry of the engine's operation. If it has a note, the engine has reused the operation:
 * effects that are missing will never happen. */
static uint32_t *op_slot_anew(struct sim_race *x, const struct sim_op *op) {
  uint32_t *slot = op_slot(x, op->index);
  if (*slot == SIM_RACE_NONE) return slot;
  struct race_note *old = &x->note[*slot];
  old->index = SIM_RACE_NONE;
  old->due = false;
  if (old->known) {
    chk_race_completed(x->race, old->op, CHK_RACE_REMOTE);
    note_free(x, *slot);
  }
  *slot = SIM_RACE_NONE;
  return slot;
}

uint32_t sim_race_note_new(struct sim_race *x, const struct sim_op *op) {
  uint32_t i = x->free;
  if (i != SIM_RACE_NONE) {
    x->free = x->note[i].next;
  } else {
    if (x->n_notes == x->notes_cap) {
      x->notes_cap = x->notes_cap == 0 ? FIRST_CAP : x->notes_cap * 2;
      x->note = sim_race_must(chk_resize(x->note, x->notes_cap * sizeof *x->note));
      race_rehash(x);
    }
    i = x->n_notes++;
  }
  uint32_t *slot = op_slot_anew(x, op);
  *slot = i;
  x->note[i] = (struct race_note){.unit = op->origin,
                                  .target = op->target,
                                  .set = op->set,
                                  .index = op->index,
                                  .next = x->head[op->origin],
                                  .prev = SIM_RACE_NONE,
                                  .due = op->kind == SIM_OP_SIGNAL || sim_op_is_word_put(op),
                                  .get = op->kind == SIM_OP_GET};
  if (x->note[i].next != SIM_RACE_NONE) x->note[x->note[i].next].prev = i;
  x->head[op->origin] = i;
  list_there(x, i);
  return i;
}

void sim_race_note_acted(struct sim_race *x, uint32_t i) {
  struct race_note *n = &x->note[i];
  n->due = false;
  if (!n->known && chk_race_matters(n->op)) return;
  if (!n->known) race_unlist(x, i);
  chk_race_completed(x->race, n->op, CHK_RACE_REMOTE);
  note_free(x, i);
}

void sim_race_note_none(struct sim_race *x, const struct sim_op *op) {
  (void)op_slot_anew(x, op);
}

uint32_t sim_race_note_there(const struct sim_race *x, uint32_t unit, uint32_t target) {
  return x->n_there > 0 ? *race_bucket(x, unit, target) : SIM_RACE_NONE;
}

void sim_race_notes_init(struct sim_race *x) {
  x->free = SIM_RACE_NONE;
  x->head = sim_race_must(chk_alloc(x->w->n * sizeof *x->head));
  memset(x->head, 0xff, x->w->n * sizeof *x->head);
}

void sim_race_notes_restart(struct sim_race *x) {
  memset(x->head, 0xff, x->w->n * sizeof *x->head);
  if (x->n_there > 0) memset(x->there, 0xff, x->n_there * sizeof *x->there);
  if (x->ops_cap > 0) memset(x->of_op, 0xff, x->ops_cap * sizeof *x->of_op);
  x->n_notes = 0;
  x->free = SIM_RACE_NONE;
}

void sim_race_notes_fini(struct sim_race *x) {
  chk_free(x->note);
  chk_free(x->of_op);
  chk_free(x->head);
  chk_free(x->there);
}
