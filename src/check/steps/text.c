/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c - prints the steps of a run as lines. See steps.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "check/steps/steps.h"

#define LINE_BYTES 400u

struct steps_line {
  char who[CHK_STEPS_LABEL + 8], text[LINE_BYTES];
};

__attribute__((format(printf, 2, 3))) static void line_append(struct steps_line *l,
                                                              const char *format, ...) {
  size_t n = strlen(l->text);
  va_list ap;
  va_start(ap, format);
  vsnprintf(l->text + n, sizeof l->text - n, format, ap);
  va_end(ap);
}

/* "unit 0, offset 64 of "grid"" */
static void line_place(struct steps_line *l, const struct chk_steps *s, uint32_t unit,
                       chk_steps_text_t where) {
  char label[CHK_STEPS_LABEL];
  if (unit != CHK_STEPS_NONE)
    line_append(l, "%s, %s", chk_steps_label(s, unit, label), chk_steps_text(s, where));
  else
    line_append(l, "memory outside of all segments");
}

/* "put of 8 bytes to unit 0, offset 64 of "grid"" */
static void line_op(struct steps_line *l, const struct chk_steps *s, const struct chk_steps_op *op,
                    chk_steps_text_t where) {
  line_append(l, "%s", op->name);
  if (op->operands == 2)
    line_append(l, " (%" PRIu64 " to %" PRIu64 ")", op->compare, op->operand);
  else if (op->operands == 1)
    line_append(l, " (%" PRIu64 ")", op->operand);
  else if (op->kind != CHK_STEPS_ATOMIC && !op->alone)
    line_append(l, " of %" PRIu64 " bytes", op->len);
  line_append(l, op->reads ? " from " : " to ");
  line_place(l, s, op->target, where);
}

static void line_change(struct steps_line *l, const char *name, const struct chk_change *c) {
  if (!c->known) return;
  line_append(l, c->now == c->old ? "%s%" PRIu64 : "%s%" PRIu64 " -> %" PRIu64, name, c->old,
              c->now);
}

static void line_woken(struct steps_line *l, const struct chk_steps *s, const struct chk_event *e) {
  char label[CHK_STEPS_LABEL];
  for (uint32_t i = 0; i < e->n_woke; i++)
    if (i == 0)
      line_append(l, "; wakes %s", chk_steps_label(s, s->woke[e->woke], label));
    else
      line_append(l, ", %u", s->woke[e->woke + i]);
}

static void line_cpu(struct steps_line *l, const struct chk_steps *s, const struct chk_event *e) {
  static const char *const DOES[] = {"loads", "stores", "adds", "swaps", "compares and swaps",
                                     "fence"};
  line_append(l, "%s", DOES[e->how]);
  if (e->how == CHK_CPU_FENCE) return;
  line_append(l, e->how == CHK_CPU_LOAD ? " from " : " to ");
  line_place(l, s, e->target, e->where);
  if (e->how == CHK_CPU_STORE)
    line_append(l, ": %" PRIu64, e->data.now);
  else if (!e->wrote)
    line_append(l, ": %" PRIu64, e->data.old);
  else
    line_append(l, ": %" PRIu64 " -> %" PRIu64, e->data.old, e->data.now);
}

static void line_arrival(struct steps_line *l, const struct chk_steps *s,
                         const struct chk_event *e) {
  const struct chk_steps_op *op = &s->op[e->op];
  line_append(l, e->kind == CHK_EVENT_SOURCE ? "its source is read: "
                 : e->kind == CHK_EVENT_LOST ? "is given up: "
                                             : "arrives: ");
  line_op(l, s, op, e->where);
  if (e->kind == CHK_EVENT_SOURCE) return;
  line_append(l, "%s", chk_steps_text(s, e->words));
  if (op->step != 0) line_append(l, " (posted in step %" PRIu64 ")", op->step);
  line_change(l, ": ", &e->data);
  line_change(l, "; its signal: ", &e->signal);
}

/* Returns false for an event that has no line. */
static bool line_of(struct steps_line *l, const struct chk_steps *s, const struct chk_event *e) {
  static const char *const WHY[] = {"continues in ", "times out in ", "reads its word again in "};
  char label[CHK_STEPS_LABEL];
  *l = (struct steps_line){0};
  chk_steps_label(s, e->unit, label);
  switch ((enum chk_event_kind)e->kind) {
    case CHK_EVENT_UNIT:
      snprintf(l->who, sizeof l->who, "%s", label);
      line_append(l, "%s%s", WHY[e->how], chk_steps_text(s, e->words));
      break;
    case CHK_EVENT_POST:
      line_append(l, "posts ");
      line_op(l, s, &s->op[e->op], s->op[e->op].where);
      if (s->op[e->op].parts > 1) line_append(l, ", which arrives in %u parts", s->op[e->op].parts);
      break;
    case CHK_EVENT_CPU:
      line_cpu(l, s, e);
      break;
    case CHK_EVENT_SOURCE:
    case CHK_EVENT_ARRIVAL:
    case CHK_EVENT_LOST:
      snprintf(l->who, sizeof l->who, "  of %s", label);
      line_arrival(l, s, e);
      break;
    case CHK_EVENT_DRAIN:
      snprintf(l->who, sizeof l->who, "  of %s", label);
      line_append(l, "leaves the store buffer: store to ");
      line_place(l, s, e->target, e->where);
      line_append(l, ": %" PRIu64 " -> %" PRIu64, e->data.old, e->data.now);
      break;
    case CHK_EVENT_FAULT:
      snprintf(l->who, sizeof l->who, "%s", label);
      line_append(l, "%s", chk_steps_text(s, e->words));
      break;
    case CHK_EVENT_FLUSH:
    case CHK_EVENT_ORDER:
    case CHK_EVENT_WAITS:
      return false;
  }
  line_woken(l, s, e);
  return true;
}

static bool is_part_of_step(const struct chk_event *e) {
  return e->kind == CHK_EVENT_POST || e->kind == CHK_EVENT_CPU;
}

void chk_steps_print(const struct chk_steps *s, FILE *out) {
  struct steps_line l;
  int width = 0;
  uint32_t last = CHK_STEPS_NONE;
  for (uint32_t i = 0; i < s->n; i++) {
    if (!line_of(&l, s, &s->event[i])) continue;
    last = i;
    if ((int)strlen(l.who) > width) width = (int)strlen(l.who);
  }
  for (uint32_t i = 0; i < s->n; i++) {
    const struct chk_event *e = &s->event[i];
    if (!line_of(&l, s, e)) continue;
    if (is_part_of_step(e))
      fprintf(out, "%8s", "");
    else
      fprintf(out, "%6" PRIu64 "  ", e->step);
    fprintf(out, "%-*s  %s", width, l.who, l.text);
    if (e->kind == CHK_EVENT_UNIT && e->site != 0)
      fprintf(out, ", called at %s", chk_steps_text(s, e->line));
    fprintf(out, "%s\n", i == last ? "   <-- and the run has failed" : "");
  }
}
