/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - records the steps of a run. See steps.h. */
#include "check/steps/steps.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 256u
#define FIRST_SLOTS 512u /* a power of two */

void chk_steps_init(struct chk_steps *s) {
  *s = (struct chk_steps){.noun = "unit"};
}

void chk_steps_fini(struct chk_steps *s) {
  free(s->event);
  free(s->op);
  free(s->woke);
  free(s->texts);
  free(s->slots);
  chk_steps_init(s);
}

/* Makes space for `more` entries in an array of `n`; NULL: out of memory, nothing has changed. */
static void *steps_reserve(void *array, uint32_t n, uint32_t more, uint32_t *cap, size_t bytes) {
  if (n + more <= *cap) return array;
  uint32_t want = *cap == 0 ? FIRST_CAP : *cap;
  while (want < n + more) want *= 2;
  void *larger = realloc(array, want * bytes);
  if (larger != NULL) *cap = want;
  return larger;
}

/* -- texts ------------------------------------------------------------------------------------- */

static uint32_t steps_hash(const char *text) {
  uint32_t h = 2166136261u;
  for (; *text != '\0'; text++) h = (h ^ (unsigned char)*text) * 16777619u;
  return h;
}

/* The slot of the text, or the free one where it belongs. */
static chk_steps_text_t *steps_slot(const struct chk_steps *s, const char *text) {
  uint32_t i = steps_hash(text) & (s->n_slots - 1);
  while (s->slots[i] != 0 && strcmp(s->texts + s->slots[i], text) != 0)
    i = (i + 1) & (s->n_slots - 1);
  return &s->slots[i];
}

static bool steps_rehash(struct chk_steps *s) {
  if (s->n_slots > 0 && 2 * s->n_texts < s->n_slots) return true;
  uint32_t n = s->n_slots == 0 ? FIRST_SLOTS : 2 * s->n_slots;
  chk_steps_text_t *slots = calloc(n, sizeof *slots), *old = s->slots;
  if (slots == NULL) return false;
  uint32_t n_old = s->n_slots;
  s->slots = slots;
  s->n_slots = n;
  for (uint32_t i = 0; i < n_old; i++)
    if (old[i] != 0) *steps_slot(s, s->texts + old[i]) = old[i];
  free(old);
  return true;
}

chk_steps_text_t chk_steps_keep(struct chk_steps *s, const char *text) {
  if (text == NULL || text[0] == '\0' || !steps_rehash(s)) return 0;
  chk_steps_text_t *slot = steps_slot(s, text);
  if (*slot != 0) return *slot;
  uint32_t bytes = (uint32_t)strlen(text) + 1;
  if (s->texts_bytes == 0) s->texts_bytes = 1; /* 0 is no text */
  char *texts = steps_reserve(s->texts, s->texts_bytes, bytes, &s->texts_cap, 1);
  if (texts == NULL) return 0;
  s->texts = texts;
  memcpy(texts + s->texts_bytes, text, bytes);
  *slot = s->texts_bytes;
  s->texts_bytes += bytes;
  s->n_texts++;
  return *slot;
}

/* -- events ------------------------------------------------------------------------------------ */

static void steps_arrived(struct chk_steps *s, const struct chk_event *e, uint32_t at) {
  if (e->op == CHK_STEPS_NONE) return;
  struct chk_steps_op *op = &s->op[e->op];
  if (e->kind != CHK_EVENT_ARRIVAL && e->kind != CHK_EVENT_LOST) return;
  op->arrivals++;
  op->arrived = at;
  op->lost |= e->kind == CHK_EVENT_LOST;
}

uint32_t chk_steps_add(struct chk_steps *s, struct chk_event e) {
  struct chk_event *events = steps_reserve(s->event, s->n, 1, &s->cap, sizeof *events);
  if (events == NULL) return CHK_STEPS_NONE;
  s->event = events;
  e.woke = e.n_woke = 0;
  s->event[s->n] = e;
  steps_arrived(s, &e, s->n);
  return s->n++;
}

uint32_t chk_steps_add_op(struct chk_steps *s, struct chk_steps_op op) {
  struct chk_steps_op *ops = steps_reserve(s->op, s->n_ops, 1, &s->cap_ops, sizeof *ops);
  if (ops == NULL) return CHK_STEPS_NONE;
  s->op = ops;
  op.arrivals = 0;
  op.arrived = op.local = op.known = CHK_STEPS_NONE;
  s->op[s->n_ops] = op;
  return s->n_ops++;
}

void chk_steps_woke(struct chk_steps *s, uint32_t event, uint32_t unit) {
  uint32_t *woke = steps_reserve(s->woke, s->n_woke, 1, &s->cap_woke, sizeof *woke);
  if (woke == NULL || event >= s->n) return;
  struct chk_event *e = &s->event[event];
  if (e->n_woke == 0) e->woke = s->n_woke;
  s->woke = woke;
  s->woke[s->n_woke++] = unit;
  e->n_woke++;
}

const char *chk_steps_label(const struct chk_steps *s, uint32_t unit, char label[CHK_STEPS_LABEL]) {
  if (unit == CHK_STEPS_NONE)
    snprintf(label, CHK_STEPS_LABEL, "network");
  else
    snprintf(label, CHK_STEPS_LABEL, "%.16s %u", s->noun, unit);
  return label;
}
