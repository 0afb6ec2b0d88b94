/* SPDX-License-Identifier: BSD-3-Clause */
/* step_picture.c - what pictures of a run show besides the lines of text: completions, orders,
 * waits, the pair of a race; and their files. See step_report.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_file.h"
#include "check/steps/picture.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/explore/step_state.h"

/* of a longer run a picture shows the end only, so only that is recorded */
#define PICTURE_STEPS 100000u
#define FIRST_OPEN 64u
#define PAIR_BYTES (2 * SIM_DETECT_WHERE + EYOTI_WORDS + 160u)

/* -- completions and orders -------------------------------------------------------------------- */

static void picture_posted(void *state, struct sim_unit *u, const struct sim_op *op) {
  struct sim_step_report *t = state;
  uint32_t index = sim_steps_op(t, op);
  (void)u;
  if (index == CHK_STEPS_NONE) return;
  if (t->n_open == t->open_cap) {
    uint32_t cap = t->open_cap == 0 ? FIRST_OPEN : 2 * t->open_cap;
    uint32_t *open = realloc(t->open, cap * sizeof *open);
    if (open == NULL) return;
    t->open = open;
    t->open_cap = cap;
  }
  t->open[t->n_open++] = index;
}

/* The unit learns at event `at` that the operation is complete. Whether it did not know before. */
static bool op_learned(struct chk_steps_op *op, enum fab_level level, uint32_t at) {
  uint32_t *known = level == FAB_LOCAL && op->kind != CHK_STEPS_GET ? &op->local : &op->known;
  if (*known != CHK_STEPS_NONE) return false;
  *known = at;
  return true;
}

static void picture_completed(void *state, struct sim_unit *u, const struct sim_op *op,
                              enum fab_level level) {
  struct sim_step_report *t = state;
  uint32_t index = sim_steps_op(t, op);
  if (index == CHK_STEPS_NONE || t->steps.n == 0 || !sim_steps_recorded(t, u->world)) return;
  (void)op_learned(&t->steps.op[index], level, t->steps.n - 1);
}

static struct chk_event picture_scope(struct sim_step_report *t, struct sim_unit *u,
                                      enum chk_event_kind kind, fab_set_t set, fab_unit_t unit) {
  struct chk_event e = sim_steps_event(u->world, kind, u->fab.me);
  e.set = set;
  if (unit != FAB_ALL) e.target = unit;
  e.words = chk_steps_keep(&t->steps, sim_unit_shown(u, "main"));
  sim_steps_site(t, u, &e);
  return e;
}

static void picture_flushed(void *state, struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                            enum fab_level level) {
  struct sim_step_report *t = state;
  if (u->in_exchange || !sim_steps_recorded(t, u->world)) return;
  uint32_t left = 0;
  bool news = false;
  for (uint32_t i = 0; i < t->n_open; i++) {
    struct chk_steps_op *op = &t->steps.op[t->open[i]];
    bool covered = op->unit == u->fab.me && (unit == FAB_ALL || op->target == unit) &&
                   (set == FAB_SET_ALL || op->set == set);
    if (covered && op_learned(op, level, t->steps.n)) news = true;
    if (op->known == CHK_STEPS_NONE) t->open[left++] = t->open[i];
  }
  t->n_open = left;
  if (!news) return;
  struct chk_event e = picture_scope(t, u, CHK_EVENT_FLUSH, set, unit);
  e.how = level == FAB_REMOTE ? CHK_FLUSH_REMOTE : CHK_FLUSH_LOCAL;
  (void)chk_steps_add(&t->steps, e);
}

static void picture_ordered(void *state, struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  struct sim_step_report *t = state;
  if (u->in_exchange || !sim_steps_recorded(t, u->world)) return;
  (void)chk_steps_add(&t->steps, picture_scope(t, u, CHK_EVENT_ORDER, set, unit));
}

static const struct sim_observer_ops picture_observer = {.name = "pictures",
                                                         .posted = picture_posted,
                                                         .completed = picture_completed,
                                                         .flushed = picture_flushed,
                                                         .ordered = picture_ordered};

void sim_steps_picture_open(struct sim_step_report *t, struct sim_world *w) {
  uint64_t last = w->untimed->last_step; /* the run has taken place before */
  t->pictured = true;
  t->from = last > PICTURE_STEPS ? last - PICTURE_STEPS : 0;
  t->observer = (struct sim_observer){.ops = &picture_observer, .state = t};
  sim_observer_add(w, &t->observer);
}

/* -- waits ------------------------------------------------------------------------------------- */

void sim_steps_wait(struct sim_step_report *t, const struct sim_unit *u, struct chk_event *e) {
  char text[EYOTI_COND_WORDS + 32], words[EYOTI_WORDS];
  if (u->state == SIM_WAIT_WORD) {
    const struct fab_cond c = sim_wait_cond(u);
    const bool has_sign = fab_word_signed(c.type);
    e->where = chk_steps_keep(&t->steps, eyoti_words(&u->rt, c.seg, c.off, true, words));
    (void)eyoti_cond_words(c.cmp, has_sign, fab_word_value(c.type, c.value), text);
    e->data = (struct chk_change){e->kind == CHK_EVENT_WAITS, 0, sim_wait_value(u)};
  } else if (u->state == SIM_WAIT_ANY) {
    snprintf(text, sizeof text, "any of %u words", u->wait_any.n);
  } else {
    return;
  }
  e->cond = chk_steps_keep(&t->steps, text);
}

void sim_step_report_standstill(const struct sim_world *w) {
  struct sim_step_report *t = w->untimed->step_report;
  if (t == NULL || !t->pictured) return;
  for (uint32_t i = 0; i < w->n; i++) {
    const struct sim_unit *u = &w->units[i];
    if (u->state == SIM_ENDED || u->state == SIM_RUNNING) continue;
    struct chk_event e = sim_steps_event(w, CHK_EVENT_WAITS, i);
    e.words = chk_steps_keep(&t->steps, sim_unit_shown(u, "main"));
    sim_steps_site(t, u, &e);
    sim_steps_wait(t, u, &e);
    (void)chk_steps_add(&t->steps, e);
  }
}

/* -- the pair of a race ------------------------------------------------------------------------ */

static bool race_is_access(const struct chk_race_access *a, const struct chk_steps *s,
                           const struct chk_event *e) {
  static const uint8_t OPS[] = {[CHK_RACE_PUT] = CHK_STEPS_PUT,
                                [CHK_RACE_GET] = CHK_STEPS_GET,
                                [CHK_RACE_AMO] = CHK_STEPS_ATOMIC,
                                [CHK_RACE_SIGNAL] = CHK_STEPS_SIGNAL};
  if (e->unit != a->at.unit) return false;
  if (e->kind == CHK_EVENT_CPU) return a->kind == CHK_RACE_AMO || a->kind == CHK_RACE_LOAD;
  if (a->kind <= CHK_RACE_SIGNAL)
    return e->kind == CHK_EVENT_POST && s->op[e->op].kind == OPS[a->kind] &&
           s->op[e->op].target == a->target;
  return e->kind <= CHK_EVENT_ORDER;
}

/* The event of an access, at this place of the program (0: at any). Its unit's events are numbered:
 * an operation has the next number after that of its posting, an access of the CPU comes after all
 * events up to its number. */
static uint32_t race_event_at(const struct chk_steps *s, const struct chk_race_access *a,
                              uint64_t place) {
  uint32_t before = CHK_STEPS_NONE, equal = CHK_STEPS_NONE;
  bool own = a->kind > CHK_RACE_SIGNAL;
  for (uint32_t i = 0; i < s->n; i++) {
    const struct chk_event *e = &s->event[i];
    if (!race_is_access(a, s, e) || (place != 0 && e->place != place)) continue;
    if (e->number < a->number || (own && e->number == a->number)) before = i;
    if (e->number == a->number && equal == CHK_STEPS_NONE) equal = i;
  }
  return before != CHK_STEPS_NONE ? before : equal;
}

static uint32_t race_event(const struct chk_steps *s, const struct sim_world *w,
                           const struct chk_race_access *a) {
  uint64_t off;
  uint32_t at = CHK_STEPS_NONE;
  if (a->at.site != NULL && sim_prog_offset(w->prog, 0, a->at.site, &off))
    at = race_event_at(s, a, off + 1);
  return at != CHK_STEPS_NONE ? at : race_event_at(s, a, 0);
}

static void race_where(struct sim_world *w, const struct chk_race_access *a,
                       char where[SIM_DETECT_WHERE]) {
  const struct sim_detect_call call = sim_detect_recorded(a->at.when, a->at.site);
  (void)sim_detect_where(w, &call, where);
}

void sim_step_report_race(struct sim_world *w, const struct chk_race_report *r) {
  struct sim_step_report *t = w->untimed->step_report;
  if (t == NULL || !t->pictured || t->race.found) return;
  const char *call = (const char *)(uintptr_t)r->second.at.when;
  t->race = (struct step_race){.found = true,
                               .report = *r,
                               .first = race_event(&t->steps, w, &r->first),
                               .second = race_event(&t->steps, w, &r->second),
                               .shmem = call != NULL && strncmp(call, "shmem_", 6) == 0};
  race_where(w, &r->first, t->race.first_where);
  race_where(w, &r->second, t->race.second_where);
}

/* -- files ------------------------------------------------------------------------------------- */

static bool picture_file(const struct chk_picture *p, const char *path,
                         void (*write)(const struct chk_picture *p, FILE *out)) {
  struct sigaction before;
  eyoti_out_begin(&before);
  FILE *out = fopen(path, "we");
  bool ok = out != NULL;
  if (ok) {
    write(p, out);
    ok = ferror(out) == 0;
  }
  int err = errno;
  if (out != NULL && fclose(out) != 0 && ok) {
    ok = false;
    err = errno;
  }
  eyoti_out_end(&before);
  if (!ok)
    fprintf(stderr, "eyotcheck: cannot write the picture %s: %s\n", path, strerror(err));
  else
    printf("eyotcheck: drawn in %s\n", path);
  return ok;
}

/* The race without the detector's numbers, which the picture does not have. */
static void race_pair(const struct sim_step_report *t, const struct sim_world *w,
                      char pair[PAIR_BYTES]) {
  const struct chk_race_report *r = &t->race.report;
  char a[CHK_STEPS_LABEL], b[CHK_STEPS_LABEL], at[CHK_STEPS_LABEL], words[EYOTI_WORDS];
  int used = snprintf(pair, PAIR_BYTES, "%s in %s and %s in %s are not ordered",
                      chk_steps_label(&t->steps, r->first.at.unit, a), t->race.first_where,
                      chk_steps_label(&t->steps, r->second.at.unit, b), t->race.second_where);
  if (sim_race_words(w->untimed->race, r, words) != NULL)
    snprintf(pair + used, PAIR_BYTES - (size_t)used, ", and meet at %s, %s",
             chk_steps_label(&t->steps, r->bytes.unit, at), words);
}

bool sim_steps_picture_write(const struct sim_step_report *t, const struct sim_world *w,
                             const struct sim_step_pictures *pictures) {
  char remedy[CHK_RACE_REMEDY] = "", pair[PAIR_BYTES];
  if (t->race.found) {
    race_pair(t, w, pair);
    (void)chk_race_remedy(&t->race.report, t->steps.noun, t->race.shmem, remedy, sizeof remedy);
  }
  const struct chk_picture_about about = {.program = pictures->program,
                                          .how = pictures->how,
                                          .failure = t->race.found ? pair : w->untimed->text,
                                          .units = w->n,
                                          .race = t->race.found,
                                          .first = t->race.first,
                                          .second = t->race.second,
                                          .first_where = t->race.first_where,
                                          .second_where = t->race.second_where,
                                          .remedy = remedy};
  struct chk_picture p;
  if (!chk_picture_new(&t->steps, &about, &p)) {
    fprintf(stderr, "eyotcheck: the run cannot be drawn: %s\n",
            t->steps.n == 0 ? "it has no step" : "no memory");
    return false;
  }
  bool ok = true;
  if (pictures->mermaid != NULL) ok = picture_file(&p, pictures->mermaid, chk_mermaid_write);
  if (pictures->svg != NULL) ok &= picture_file(&p, pictures->svg, chk_svg_write);
  chk_picture_free(&p);
  return ok;
}
