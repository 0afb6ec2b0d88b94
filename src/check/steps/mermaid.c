/* SPDX-License-Identifier: BSD-3-Clause */
/* mermaid.c - writes the steps of a run as a sequence diagram of Mermaid, which code hosts draw
 * inside an issue. See picture.h.
 *
 * A message stands where an operation arrives, since that decides what a run does; what a unit does
 * in a step, its posts among it, is one note. Operations that have not arrived end in a cross. */
#include <inttypes.h>
#include <string.h>

#include "check/steps/picture.h"

#define NOTE_COLUMNS 44u
#define MOST_COLUMNS 100u
#define ARROW "\xe2\x86\x92" /* an arrow to the right */
#define RED "rgba(229, 57, 53, 0.25)"

/* Writes text so that it is text: every character of ASCII but letters, digits and a few marks is
 * written by its number. */
static void mermaid_text(const char *text, FILE *out) {
  for (const char *t = text; *t != '\0'; t++) {
    unsigned char c = (unsigned char)*t;
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c >= 0x80 || strchr(" ,._()[]/-+=?!", c) != NULL;
    if (plain)
      fputc(c, out);
    else
      fprintf(out, "#%u;", c);
  }
}

/* Writes text as one or more lines of a note. */
static void mermaid_lines(const char *text, uint32_t columns, bool first, FILE *out) {
  char line[CHK_PICTURE_WORDS];
  for (; chk_picture_wrap(&text, columns, line); first = false) {
    if (!first) fputs("<br/>", out);
    mermaid_text(line, out);
  }
}

/* Begins a note over all participants. */
static void mermaid_note_over_all(const struct chk_picture *p, FILE *out) {
  fprintf(out, "  Note over P%u", p->unit[0]);
  if (p->n_units > 1) fprintf(out, ",P%u", p->unit[p->n_units - 1]);
  fputs(": ", out);
}

/* Mermaid does not make a note over several participants wider than the space between them. */
static uint32_t mermaid_wide(const struct chk_picture *p) {
  uint32_t columns = p->n_units < 3 ? NOTE_COLUMNS : p->n_units * NOTE_COLUMNS / 2;
  return columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
}

/* -- rows -------------------------------------------------------------------------------------- */

/* Which access of the race the event is. */
static void mermaid_race(const struct chk_picture *p, uint32_t event, FILE *out) {
  const struct chk_picture_about *a = p->about;
  char text[CHK_PICTURE_WORDS];
  for (uint32_t i = 0; a->race && i < 2; i++) {
    if (event != (i == 0 ? a->first : a->second)) continue;
    snprintf(text, sizeof text, "[%s access of the race: %.250s]", i == 0 ? "1st" : "2nd",
             i == 0 ? a->first_where : a->second_where);
    mermaid_lines(text, NOTE_COLUMNS, false, out);
  }
}

/* One event as lines of a note; `line` is the source line already given. */
static chk_steps_text_t mermaid_event(const struct chk_picture *p, uint32_t row,
                                      chk_steps_text_t line, FILE *out) {
  const struct chk_event *e = &p->steps->event[p->row[row].event];
  char text[2 * CHK_PICTURE_SENTENCE], sentence[CHK_PICTURE_SENTENCE];
  int used = 0;
  if (chk_picture_continues(p, row))
    fputs("<br/>", out);
  else if (e->kind == CHK_EVENT_WAITS)
    used = snprintf(text, sizeof text, "end: ");
  else
    used = snprintf(text, sizeof text, "%" PRIu64 ": ", e->step);
  used += snprintf(text + used, sizeof text - (size_t)used, "%s",
                   chk_picture_sentence(p, p->row[row].event, ARROW, sentence));
  if (e->line != 0 && e->line != line) {
    const char *source = chk_steps_text(p->steps, e->line);
    int bytes = line == 0 ? 150 : (int)strcspn(source, " "); /* the function is named once */
    snprintf(text + used, sizeof text - (size_t)used, ", %.*s", bytes, source);
  }
  mermaid_lines(text, NOTE_COLUMNS, true, out);
  mermaid_race(p, p->row[row].event, out);
  return e->line != 0 ? e->line : line;
}

/* All rows of a step of a unit, as one note. */
static void mermaid_unit(const struct chk_picture *p, uint32_t row, FILE *out) {
  const struct chk_event *e = &p->steps->event[p->row[row].event];
  chk_steps_text_t line = 0;
  if (e->unit == CHK_STEPS_NONE)
    mermaid_note_over_all(p, out);
  else
    fprintf(out, "  Note over P%u: ", e->unit);
  do {
    line = mermaid_event(p, row, line, out);
    row++;
  } while (row < p->n && chk_picture_continues(p, row));
  fputc('\n', out);
}

static void mermaid_arrow(uint32_t from, const char *arrow, uint32_t to, FILE *out) {
  fprintf(out, "  P%u%sP%u: ", from, arrow, to);
}

/* An operation, or a part of it, or a store, takes effect. */
static void mermaid_arrival(const struct chk_picture *p, uint32_t row, FILE *out) {
  uint32_t event = p->row[row].event;
  const struct chk_event *e = &p->steps->event[event];
  const struct chk_steps_op *op = e->op != CHK_STEPS_NONE ? &p->steps->op[e->op] : NULL;
  char text[2 * CHK_PICTURE_WORDS], words[CHK_PICTURE_WORDS], more[CHK_PICTURE_WORDS];
  uint32_t target = op != NULL ? op->target : e->target != CHK_STEPS_NONE ? e->target : e->unit;
  mermaid_arrow(e->unit, e->kind == CHK_EVENT_LOST ? "-x" : "-)", target, out);
  size_t used = (size_t)snprintf(text, sizeof text, "%" PRIu64 ": %.300s", e->step,
                                 chk_picture_event(p, event, words));
  if (op != NULL && op->step != 0)
    snprintf(text + used, sizeof text - used, " (posted in %" PRIu64 ")", op->step);
  mermaid_lines(text, NOTE_COLUMNS, true, out);
  used = (size_t)snprintf(text, sizeof text, "%.200s", chk_picture_values(e, ARROW, more));
  if (chk_picture_woken(p, e, more)[0] != '\0')
    snprintf(text + used, sizeof text - used, "%s%.200s", used > 0 ? ", " : "", more);
  mermaid_lines(text, NOTE_COLUMNS, false, out);
  fputc('\n', out);
}

/* Operations that are shown and had not arrived when the run ended. */
static void mermaid_under_way(const struct chk_picture *p, FILE *out) {
  char text[2 * CHK_PICTURE_WORDS], words[CHK_PICTURE_WORDS];
  for (uint32_t row = 0; row < p->n; row++) {
    const struct chk_event *e = &p->steps->event[p->row[row].event];
    if (e->kind != CHK_EVENT_POST) continue;
    const struct chk_steps_op *op = &p->steps->op[e->op];
    if (op->arrivals >= op->parts) continue;
    mermaid_arrow(op->unit, "--x", op->target, out);
    snprintf(text, sizeof text, "not arrived yet%s: %.300s (posted in %" PRIu64 ")",
             op->arrivals > 0 ? " in full" : "", chk_picture_op(p, op, words), op->step);
    mermaid_lines(text, NOTE_COLUMNS, true, out);
    fputc('\n', out);
  }
}

/* -- the whole --------------------------------------------------------------------------------- */

static void mermaid_head(const struct chk_picture *p, FILE *out) {
  const struct chk_picture_about *a = p->about;
  char words[CHK_PICTURE_WORDS], label[CHK_STEPS_LABEL];
  fputs("sequenceDiagram\n", out);
  for (uint32_t i = 0; i < p->n_units; i++) {
    fprintf(out, "  participant P%u as ", p->unit[i]);
    mermaid_text(chk_steps_label(p->steps, p->unit[i], label), out);
    fputc('\n', out);
  }
  char text[2 * CHK_PICTURE_WORDS];
  snprintf(text, sizeof text, "%.300s, %u %ss, %.300s", a->program, a->units, p->steps->noun,
           a->how);
  mermaid_note_over_all(p, out);
  mermaid_lines(text, mermaid_wide(p), true, out);
  fputs("<br/>", out);
  mermaid_lines("numbers are steps; a message stands where the operation arrives", mermaid_wide(p),
                true, out);
  mermaid_lines(chk_picture_bases(p, words), mermaid_wide(p), false, out);
  if (p->left_out > 0)
    fprintf(out, "<br/>%u events that do not lead to the failure, or long before it, are left out",
            p->left_out);
  fputc('\n', out);
}

static void mermaid_failure(const struct chk_picture *p, FILE *out) {
  const struct chk_picture_about *a = p->about;
  mermaid_note_over_all(p, out);
  fputs(a->race ? "RACE<br/>" : "FAILS HERE<br/>", out);
  mermaid_lines(a->failure, mermaid_wide(p), true, out);
  if (a->race && a->remedy != NULL && a->remedy[0] != '\0') {
    fputs("<br/>Missing order<br/>", out);
    mermaid_lines(a->remedy, mermaid_wide(p), true, out);
  }
  fputc('\n', out);
}

/* Whether one of the rows from..to is the failing one, or of the race. */
static bool mermaid_is_marked(const struct chk_picture *p, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    if (chk_picture_fails(p, p->row[i].event)) return true;
  return false;
}

/* The row after those that are one note or one message. */
static uint32_t mermaid_next(const struct chk_picture *p, uint32_t row) {
  row++;
  while (row < p->n && chk_picture_continues(p, row)) row++;
  return row;
}

static void mermaid_row(const struct chk_picture *p, uint32_t row, FILE *out) {
  const struct chk_event *e = &p->steps->event[p->row[row].event];
  if (p->row[row].left_out > 0) {
    mermaid_note_over_all(p, out);
    fprintf(out, "... %u events ...\n", p->row[row].left_out);
  }
  if (e->kind == CHK_EVENT_ARRIVAL || e->kind == CHK_EVENT_LOST || e->kind == CHK_EVENT_DRAIN)
    mermaid_arrival(p, row, out);
  else
    mermaid_unit(p, row, out);
}

/* The last marked rows and the failure are in one frame. */
void chk_mermaid_write(const struct chk_picture *p, FILE *out) {
  mermaid_head(p, out);
  bool open = false;
  for (uint32_t row = 0, next; row < p->n; row = next) {
    next = mermaid_next(p, row);
    open = mermaid_is_marked(p, row, next);
    if (open) fputs("  rect " RED "\n", out);
    mermaid_row(p, row, out);
    if (next == p->n) mermaid_under_way(p, out);
    if (open && next < p->n) fputs("  end\n", out);
  }
  if (!open) fputs("  rect " RED "\n", out);
  mermaid_failure(p, out);
  fputs("  end\n", out);
}
