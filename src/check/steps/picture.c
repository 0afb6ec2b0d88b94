/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.c - selects the rows of a picture. See picture.h. */
#include "check/steps/picture.h"

#include <stdlib.h>
#include <string.h>

#define GAPS_SHOWN 8u
#define MORE_ROWS 24u /* arrivals that meet those of the causal past */

/* Rows while they are selected. */
struct picture_choice {
  const struct chk_steps *steps;
  bool *wanted;
  uint32_t n; /* how many */
};

static bool picture_overlap(const struct chk_steps_bytes *a, const struct chk_steps_bytes *b) {
  return a->len > 0 && b->len > 0 && a->unit == b->unit && a->seg == b->seg &&
         a->off < b->off + b->len && b->off < a->off + a->len;
}

/* The bytes that the event reads or writes. */
static struct chk_steps_bytes picture_bytes(const struct chk_steps *s, const struct chk_event *e) {
  if (e->kind == CHK_EVENT_ARRIVAL) return s->op[e->op].bytes;
  return e->bytes;
}

/* Whether the event is what its unit does itself, one after the other. */
static bool picture_by_unit(const struct chk_event *e) {
  return e->kind <= CHK_EVENT_ORDER || e->kind == CHK_EVENT_WAITS || e->kind == CHK_EVENT_FAULT;
}

static void picture_want(struct picture_choice *c, uint32_t event) {
  if (event == CHK_STEPS_NONE || c->wanted[event]) return;
  c->wanted[event] = true;
  c->n++;
}

static bool picture_wakes(const struct chk_steps *s, const struct chk_event *e, uint32_t unit) {
  for (uint32_t i = 0; i < e->n_woke; i++)
    if (s->woke[e->woke + i] == unit) return true;
  return false;
}

/* Wants the events that come directly before `at`: of its unit, what woke it, its post, what was
 * written to its bytes last. A post is only wanted with its arrival. */
static void picture_want_before(struct picture_choice *c, uint32_t at) {
  const struct chk_steps *s = c->steps;
  const struct chk_event *e = &s->event[at];
  bool own = picture_by_unit(e), woken = e->kind == CHK_EVENT_UNIT;
  struct chk_steps_bytes bytes = picture_bytes(s, e);
  bool word = bytes.len > 0;
  if (e->op != CHK_STEPS_NONE && e->kind != CHK_EVENT_POST) picture_want(c, s->op[e->op].posted);
  for (uint32_t i = at; i-- > 0 && (own || woken || word);) {
    const struct chk_event *b = &s->event[i];
    if (woken && picture_wakes(s, b, e->unit)) {
      picture_want(c, i);
      woken = false;
    }
    if (own && picture_by_unit(b) && b->unit == e->unit && b->kind != CHK_EVENT_POST) {
      picture_want(c, i);
      own = woken = false;
    }
    struct chk_steps_bytes other = picture_bytes(s, b);
    if (word && b->op != e->op && picture_overlap(&bytes, &other)) {
      picture_want(c, i);
      word = false;
    }
  }
}

/* Whether the operation meets in memory an arrival, or an access of a CPU, that is wanted. */
static bool picture_meets(const struct picture_choice *c, const struct chk_steps_op *op) {
  const struct chk_steps *s = c->steps;
  for (uint32_t i = 0; i < s->n; i++) {
    const struct chk_event *e = &s->event[i];
    if (!c->wanted[i] || (e->op != CHK_STEPS_NONE && &s->op[e->op] == op)) continue;
    struct chk_steps_bytes bytes = picture_bytes(s, e);
    if (picture_overlap(&op->bytes, &bytes)) return true;
  }
  return false;
}

/* Of the operations that were posted since the first row, the last ones that meet others in memory:
 * they may have come too late. */
static void picture_want_meeting(struct picture_choice *c, uint32_t most) {
  const struct chk_steps *s = c->steps;
  uint32_t first = 0;
  while (first < s->n && !c->wanted[first]) first++;
  for (uint32_t i = s->n_ops; i-- > 0 && c->n < most;) {
    const struct chk_steps_op *op = &s->op[i];
    if (op->posted == CHK_STEPS_NONE || op->posted < first) continue;
    bool late = op->arrivals < op->parts;
    if (!late && c->wanted[op->arrived]) continue;
    if (!picture_meets(c, op)) continue;
    picture_want(c, op->posted);
    picture_want(c, op->arrived);
  }
}

static void picture_choose(struct picture_choice *c, const struct chk_picture_about *about,
                           uint32_t fails) {
  const struct chk_steps *s = c->steps;
  if (s->n <= CHK_PICTURE_ROWS + MORE_ROWS) {
    for (uint32_t i = 0; i < s->n; i++) picture_want(c, i);
    return;
  }
  picture_want(c, fails);
  if (about->race) {
    picture_want(c, about->first);
    picture_want(c, about->second);
  }
  uint32_t waits = 0;
  for (uint32_t i = s->n; i-- > 0;) {
    const struct chk_event *e = &s->event[i];
    bool end = e->kind == CHK_EVENT_WAITS && waits++ < CHK_PICTURE_ROWS / 2;
    if (end || e->kind == CHK_EVENT_FAULT) picture_want(c, i);
  }
  for (uint32_t i = s->n; i-- > 0 && c->n < CHK_PICTURE_ROWS;)
    if (c->wanted[i]) picture_want_before(c, i);
  picture_want_meeting(c, CHK_PICTURE_ROWS + MORE_ROWS);
}

/* Where the run has failed: the last event that is a line of text or, in a standstill, the last
 * wait. */
static uint32_t picture_last(const struct chk_steps *s) {
  for (uint32_t i = s->n; i-- > 0;)
    if (s->event[i].kind == CHK_EVENT_WAITS || !chk_steps_only_pictured(&s->event[i])) return i;
  return CHK_STEPS_NONE;
}

/* -- participants ------------------------------------------------------------------------------ */

static void picture_take_part(struct chk_picture *p, uint32_t unit) {
  if (unit == CHK_STEPS_NONE) return;
  uint32_t i = p->n_units;
  while (i > 0 && p->unit[i - 1] > unit) i--;
  if (i > 0 && p->unit[i - 1] == unit) return;
  memmove(p->unit + i + 1, p->unit + i, (p->n_units - i) * sizeof *p->unit);
  p->unit[i] = unit;
  p->n_units++;
}

uint32_t chk_picture_column(const struct chk_picture *p, uint32_t unit) {
  uint32_t low = 0, high = p->n_units;
  while (high - low > 1) {
    uint32_t mid = (low + high) / 2;
    *(p->unit[mid] <= unit ? &low : &high) = mid;
  }
  return low;
}

bool chk_picture_continues(const struct chk_picture *p, uint32_t row) {
  if (row == 0) return false;
  const struct chk_event *e = &p->steps->event[p->row[row].event],
                         *before = &p->steps->event[p->row[row - 1].event];
  return e->step == before->step && e->unit == before->unit && e->kind > CHK_EVENT_UNIT &&
         e->kind <= CHK_EVENT_ORDER && before->kind <= CHK_EVENT_ORDER;
}

bool chk_picture_fails(const struct chk_picture *p, uint32_t event) {
  const struct chk_picture_about *a = p->about;
  return p->steps->event[event].kind == CHK_EVENT_WAITS ||
         (a->race ? event == a->first || event == a->second : event == p->fails);
}

/* -- memories ---------------------------------------------------------------------------------- */

/* The rest of "offset 8 of the memory of a.c:12 (main)"; NULL: it is another text, or short. */
static const char *picture_base(const char *where) {
  static const char OFFSET[] = "offset ";
  if (strncmp(where, OFFSET, sizeof OFFSET - 1) != 0) return NULL;
  const char *of = strstr(where, " of ");
  return of != NULL && of[4] != '"' ? of + 4 : NULL;
}

static uint32_t picture_base_index(const struct chk_picture *p, const char *base) {
  uint32_t i = 0;
  while (i < p->n_bases && strcmp(p->base[i], base) != 0) i++;
  return i;
}

static void picture_add_base(struct chk_picture *p, chk_steps_text_t where) {
  const char *base = picture_base(chk_steps_text(p->steps, where));
  if (base == NULL) return;
  uint32_t i = picture_base_index(p, base);
  if (i == p->n_bases && i < CHK_PICTURE_BASES) p->base[p->n_bases++] = base;
}

const char *chk_picture_place(const struct chk_picture *p, chk_steps_text_t where,
                              char words[CHK_PICTURE_WORDS]) {
  const char *text = chk_steps_text(p->steps, where), *base = picture_base(text);
  uint32_t i = base != NULL ? picture_base_index(p, base) : p->n_bases;
  if (base == NULL || i == p->n_bases)
    snprintf(words, CHK_PICTURE_WORDS, "%s", text);
  else if (p->n_bases == 1)
    snprintf(words, CHK_PICTURE_WORDS, "%.*s", (int)(base - text) - 4, text);
  else
    snprintf(words, CHK_PICTURE_WORDS, "%.*s%c", (int)(base - text), text, (int)('A' + i));
  return words;
}

const char *chk_picture_bases(const struct chk_picture *p, char words[CHK_PICTURE_WORDS]) {
  words[0] = '\0';
  if (p->n_bases == 1) snprintf(words, CHK_PICTURE_WORDS, "offsets are in %s", p->base[0]);
  for (uint32_t i = 0; p->n_bases > 1 && i < p->n_bases; i++) {
    size_t used = strlen(words);
    snprintf(words + used, CHK_PICTURE_WORDS - used, "%s%c: %s", i == 0 ? "" : "; ", (int)('A' + i),
             p->base[i]);
  }
  return words;
}

/* -- all --------------------------------------------------------------------------------------- */

static void picture_fill(struct chk_picture *p, const struct picture_choice *c) {
  const struct chk_steps *s = p->steps;
  uint32_t left_out = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    p->row_of[i] = CHK_STEPS_NONE;
    if (!c->wanted[i]) {
      left_out++;
      p->left_out++;
      continue;
    }
    const struct chk_event *e = &s->event[i];
    p->row_of[i] = p->n;
    p->row[p->n++] = (struct chk_picture_row){i, left_out};
    left_out = 0;
    picture_take_part(p, e->unit);
    if (e->op != CHK_STEPS_NONE) picture_take_part(p, s->op[e->op].target);
    picture_take_part(p, e->target);
    picture_add_base(p, e->where);
    if (e->op != CHK_STEPS_NONE) picture_add_base(p, s->op[e->op].where);
  }
}

/* Gaps within a step are not shown, and many gaps would hide the rows. */
static void picture_few_gaps(struct chk_picture *p) {
  uint32_t gaps = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    if (chk_picture_continues(p, i)) p->row[i].left_out = 0;
    gaps += p->row[i].left_out > 0;
  }
  for (uint32_t i = 0; gaps > GAPS_SHOWN && i < p->n; i++) p->row[i].left_out = 0;
}

bool chk_picture_new(const struct chk_steps *s, const struct chk_picture_about *about,
                     struct chk_picture *p) {
  *p = (struct chk_picture){.steps = s, .about = about, .fails = picture_last(s)};
  struct picture_choice c = {.steps = s, .wanted = calloc(s->n + 1, sizeof *c.wanted)};
  bool ok = c.wanted != NULL && p->fails != CHK_STEPS_NONE;
  if (ok) picture_choose(&c, about, p->fails);
  p->row = calloc(c.n + 1, sizeof *p->row);
  p->row_of = calloc(s->n + 1, sizeof *p->row_of);
  p->unit = calloc(3 * c.n + 1, sizeof *p->unit);
  ok = ok && p->row != NULL && p->row_of != NULL && p->unit != NULL;
  if (ok) picture_fill(p, &c);
  if (ok) picture_few_gaps(p);
  free(c.wanted);
  if (!ok) chk_picture_free(p);
  return ok;
}

void chk_picture_free(struct chk_picture *p) {
  free(p->row);
  free(p->row_of);
  free(p->unit);
  p->row = NULL;
  p->row_of = p->unit = NULL;
}
