/* SPDX-License-Identifier: BSD-3-Clause */
/* svg.c - writes the steps of a run as a space-time diagram: a column a participant, a row an
 * event, downwards in the order of the run. See picture.h.
 *
 * On the left an operation is an arrow from its posting to its arrival; on the right each row has
 * its words, so that no text lies on another. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/steps/picture.h"
#include "check/steps/svg_out.h"

#define ARROW "\xe2\x86\x92" /* an arrow to the right */
#define WIDTH 900.0
#define MARGIN 16.0
#define SIZE 12.0 /* of words; in pixels */
#define LINE 16.0 /* from line to line */
#define ROW_GAP 6.0
#define SMALL 10.0 /* of values at arrivals */
#define FIRST_COLUMN 50.0
#define LAST_COLUMN 54.0 /* right of the last one: values, curves */
#define COLUMNS_WIDE 330.0
#define SPACING_MOST 150.0
#define BEND 30.0
#define TITLE_COLUMNS 116u

/* Where everything is. */
struct svg_layout {
  const struct chk_picture *p;
  double spacing;           /* of columns */
  double step, who, words;  /* left ends of the texts of a row; step: right end */
  unsigned columns;         /* characters of a row's words */
  double head, top, bottom; /* of the lifelines' labels; of the rows */
  double *y, *end;          /* of each row: its mark, its lower end */
};

static double svg_wide(const char *text, double size) {
  return chk_svg_characters(text) * CHK_SVG_CHARACTER * size;
}

static double svg_x(const struct svg_layout *l, uint32_t unit) {
  return FIRST_COLUMN + l->spacing * chk_picture_column(l->p, unit);
}

static const struct chk_event *svg_event(const struct svg_layout *l, uint32_t row) {
  return &l->p->steps->event[l->p->row[row].event];
}

static const char *svg_kind(const struct chk_steps_op *op) {
  static const char *const KINDS[] = {"put", "get", "atomic", "signal"};
  return KINDS[op->kind];
}

static bool svg_is_racing(const struct svg_layout *l, uint32_t event) {
  const struct chk_picture_about *a = l->p->about;
  return event != CHK_STEPS_NONE && a->race && (event == a->first || event == a->second);
}

/* -- words of a row ---------------------------------------------------------------------------- */

/* Writes a line of a row's words and moves down; out NULL: only moves. */
static void svg_words(const struct svg_layout *l, const char *class, const char *text, double *y,
                      FILE *out) {
  char line[CHK_PICTURE_WORDS];
  while (chk_picture_wrap(&text, l->columns, line)) {
    if (out != NULL)
      chk_svg_text(out, (struct chk_point){l->words, *y}, SIZE, "start", class, line);
    *y += LINE;
  }
}

/* The sentence, and its source line behind it or below. */
static void svg_sentence(const struct svg_layout *l, uint32_t row, double *y, FILE *out) {
  char sentence[CHK_PICTURE_SENTENCE], line[CHK_PICTURE_WORDS], source[CHK_PICTURE_WORDS];
  const struct chk_event *e = svg_event(l, row);
  const char *text = chk_picture_sentence(l->p, l->p->row[row].event, ARROW, sentence);
  double wide = 0;
  while (chk_picture_wrap(&text, l->columns, line)) {
    if (out != NULL)
      chk_svg_text(out, (struct chk_point){l->words, *y}, SIZE, "start", "words", line);
    wide = svg_wide(line, SIZE);
    *y += LINE;
  }
  if (e->line == 0) return;
  /* behind it, if need be without the function's name */
  const char *full = chk_steps_text(l->p->steps, e->line);
  const double left = l->words + wide + 2 * CHK_SVG_CHARACTER * SIZE;
  double space = WIDTH - MARGIN - left;
  bool behind = svg_wide(full, SIZE) <= space;
  snprintf(source, sizeof source, "%.*s", (int)strcspn(full, " "), full);
  if (!behind && svg_wide(source, SIZE) <= space)
    behind = true;
  else
    chk_picture_cut(full, l->columns, source);
  if (behind) *y -= LINE;
  if (out != NULL)
    chk_svg_text(out, (struct chk_point){behind ? left : l->words, *y}, SIZE, "start", "dim source",
                 source);
  *y += LINE;
}

/* All words of a row from *y on; the baseline of its sentence. */
static double svg_row(const struct svg_layout *l, uint32_t row, double *y, FILE *out) {
  const struct chk_picture *p = l->p;
  const struct chk_picture_about *a = p->about;
  const struct chk_event *e = svg_event(l, row);
  char text[CHK_PICTURE_WORDS], label[CHK_STEPS_LABEL];
  if (p->row[row].left_out > 0) {
    snprintf(text, sizeof text, "... %u events are left out ...", p->row[row].left_out);
    svg_words(l, "dim", text, y, out);
  }
  double first = *y;
  if (out != NULL && !chk_picture_continues(p, row)) {
    snprintf(text, sizeof text, e->kind == CHK_EVENT_WAITS ? "end" : "%" PRIu64, e->step);
    chk_svg_text(out, (struct chk_point){l->step, first}, SIZE, "end", "dim", text);
    chk_svg_text(out, (struct chk_point){l->who, first}, SIZE, "start", "dim",
                 chk_steps_label(p->steps, e->unit, label));
  }
  svg_sentence(l, row, y, out);
  for (uint32_t i = 0; a->race && i < 2; i++) {
    if (p->row[row].event != (i == 0 ? a->first : a->second)) continue;
    snprintf(text, sizeof text, "%s access of the race: %.300s", i == 0 ? "1st" : "2nd",
             i == 0 ? a->first_where : a->second_where);
    svg_words(l, "alarm", text, y, out);
  }
  if (!a->race && p->row[row].event == p->fails) svg_words(l, "alarm", "FAILS HERE", y, out);
  *y += ROW_GAP;
  return first;
}

/* -- layout ------------------------------------------------------------------------------------ */

static double svg_lay_out(struct svg_layout *l, double top) {
  const struct chk_picture *p = l->p;
  char label[CHK_STEPS_LABEL], number[24];
  double widest = 0, spaces = p->n_units > 1 ? p->n_units - 1 : 1;
  l->spacing = COLUMNS_WIDE / spaces < SPACING_MOST ? COLUMNS_WIDE / spaces : SPACING_MOST;
  for (uint32_t i = 0; i < p->n; i++) {
    double wide = svg_wide(chk_steps_label(p->steps, svg_event(l, i)->unit, label), SIZE);
    if (wide > widest) widest = wide;
  }
  snprintf(number, sizeof number, "%" PRIu64, svg_event(l, p->n - 1)->step);
  l->step = FIRST_COLUMN + l->spacing * (p->n_units - 1) + LAST_COLUMN + svg_wide(number, SIZE);
  l->who = l->step + SIZE;
  l->words = l->who + widest + SIZE;
  l->columns = (unsigned)((WIDTH - MARGIN - l->words) / (CHK_SVG_CHARACTER * SIZE));
  l->head = top + LINE;
  l->top = l->head + LINE;
  double y = l->top + LINE;
  for (uint32_t i = 0; i < p->n; i++) {
    l->y[i] = svg_row(l, i, &y, NULL) - SIZE / 3;
    l->end[i] = y;
  }
  l->bottom = y + ROW_GAP;
  return l->bottom;
}

/* -- the diagram ------------------------------------------------------------------------------- */

static void svg_heads(const struct svg_layout *l, FILE *out) {
  const struct chk_picture *p = l->p;
  char label[CHK_STEPS_LABEL];
  double widest = 0;
  for (uint32_t i = 0; i < p->n_units; i++) {
    double wide = svg_wide(chk_steps_label(p->steps, p->unit[i], label), SIZE);
    if (wide > widest) widest = wide;
  }
  uint32_t each = 1; /* so many columns have one label */
  while (each * l->spacing < widest + SIZE && each < p->n_units) each++;
  for (uint32_t i = 0; i < p->n_units; i++) {
    double x = svg_x(l, p->unit[i]);
    chk_svg_line(out, "life", (struct chk_point){x, l->top - ROW_GAP},
                 (struct chk_point){x, l->bottom});
    if (i % each == 0)
      chk_svg_text(out, (struct chk_point){x, l->head}, SIZE, "middle", "bold",
                   chk_steps_label(p->steps, p->unit[i], label));
  }
}

/* Waits as bars, from the last event of the unit to the one that ends the wait. */
static void svg_waits(const struct svg_layout *l, FILE *out) {
  const struct chk_picture *p = l->p;
  double *since = calloc(p->n_units + 1, sizeof *since);
  if (since == NULL) return;
  for (uint32_t i = 0; i < p->n_units; i++) since[i] = l->top;
  for (uint32_t i = 0; i < p->n; i++) {
    const struct chk_event *e = svg_event(l, i);
    bool own = e->kind <= CHK_EVENT_ORDER || e->kind == CHK_EVENT_WAITS;
    if (!own || e->unit == CHK_STEPS_NONE) continue;
    uint32_t column = chk_picture_column(p, e->unit);
    double x = svg_x(l, e->unit), to = e->kind == CHK_EVENT_WAITS ? l->bottom : l->y[i];
    if (e->waited || e->kind == CHK_EVENT_WAITS)
      chk_svg_rect(out, "wait", (struct chk_point){x - 4, since[column]}, 8, to - since[column]);
    since[column] = l->y[i];
  }
  free(since);
}

static void svg_mark(const struct svg_layout *l, uint32_t row, FILE *out) {
  const struct chk_event *e = svg_event(l, row);
  if (e->unit == CHK_STEPS_NONE) return;
  struct chk_point at = {svg_x(l, e->unit), l->y[row]};
  switch ((enum chk_event_kind)e->kind) {
    case CHK_EVENT_UNIT:
      chk_svg_circle(out, "dot", at, 4.5);
      break;
    case CHK_EVENT_POST:
    case CHK_EVENT_SOURCE:
      chk_svg_circle(out, "dot", at, 2.5);
      break;
    case CHK_EVENT_CPU:
    case CHK_EVENT_DRAIN:
      chk_svg_rect(out, "cpu", (struct chk_point){at.x - 3.5, at.y - 3.5}, 7, 7);
      break;
    case CHK_EVENT_FLUSH:
    case CHK_EVENT_ORDER:
      chk_svg_line(out, "mark", (struct chk_point){at.x - 9, at.y},
                   (struct chk_point){at.x + 9, at.y});
      break;
    case CHK_EVENT_FAULT:
      chk_svg_line(out, "cross", (struct chk_point){at.x - 7, at.y - 7},
                   (struct chk_point){at.x + 7, at.y + 7});
      chk_svg_line(out, "cross", (struct chk_point){at.x - 7, at.y + 7},
                   (struct chk_point){at.x + 7, at.y - 7});
      break;
    case CHK_EVENT_ARRIVAL:
    case CHK_EVENT_LOST:
    case CHK_EVENT_WAITS:
      break;
  }
  if (svg_is_racing(l, l->p->row[row].event)) chk_svg_circle(out, "ring", at, 8);
}

/* Where the operation was posted; above `below` if that is not shown. */
static struct chk_point svg_posted(const struct svg_layout *l, const struct chk_steps_op *op,
                                   double below) {
  uint32_t row = op->posted != CHK_STEPS_NONE ? l->p->row_of[op->posted] : CHK_STEPS_NONE;
  return (struct chk_point){svg_x(l, op->unit), row != CHK_STEPS_NONE ? l->y[row] : below - LINE};
}

static double svg_bend(const struct svg_layout *l, const struct chk_steps_op *op) {
  double bend = l->spacing / 2 < BEND ? l->spacing / 2 : BEND;
  return op->unit == op->target ? bend : 0;
}

static void svg_op_arrow(const struct svg_layout *l, const struct chk_steps_op *op,
                         struct chk_point to, const char *more, FILE *out) {
  char class[64], title[CHK_PICTURE_WORDS + 160], words[CHK_PICTURE_WORDS];
  snprintf(class, sizeof class, "op %s%s%s", svg_kind(op),
           svg_is_racing(l, op->posted) ? " racing" : "", more);
  snprintf(title, sizeof title, "%.400s, posted in step %" PRIu64 "%s",
           chk_picture_op(l->p, op, words), op->step, more[0] != '\0' ? ", has not arrived" : "");
  chk_svg_arrow(out, class, svg_posted(l, op, to.y), to, svg_bend(l, op), title);
}

/* The values at an arrival, beside the lifeline, if they are short enough. */
static void svg_values(const struct svg_layout *l, uint32_t row, uint32_t unit, bool left,
                       FILE *out) {
  char values[CHK_PICTURE_WORDS];
  double wide = svg_wide(chk_picture_values(svg_event(l, row), ARROW, values), SMALL);
  double space = left ? FIRST_COLUMN : LAST_COLUMN, x = svg_x(l, unit);
  if (l->spacing > space) space = l->spacing;
  bool outer = chk_picture_column(l->p, unit) == (left ? 0 : l->p->n_units - 1);
  if (outer) space = left ? FIRST_COLUMN : LAST_COLUMN;
  if (wide == 0 || wide > space - 14) return;
  chk_svg_text(out, (struct chk_point){left ? x - 8 : x + 8, l->y[row] + SMALL / 3}, SMALL,
               left ? "end" : "start", "tag", values);
}

static void svg_arrival(const struct svg_layout *l, uint32_t row, FILE *out) {
  const struct chk_event *e = svg_event(l, row);
  if (e->kind == CHK_EVENT_DRAIN && e->target != CHK_STEPS_NONE) {
    svg_values(l, row, e->target, false, out);
    return;
  }
  if (e->kind != CHK_EVENT_ARRIVAL && e->kind != CHK_EVENT_LOST) return;
  const struct chk_steps_op *op = &l->p->steps->op[e->op];
  const struct chk_point to = {svg_x(l, op->target), l->y[row]};
  svg_op_arrow(l, op, to, e->kind == CHK_EVENT_LOST ? " lost" : "", out);
  svg_values(l, row, op->target,
             chk_picture_column(l->p, op->unit) >= chk_picture_column(l->p, op->target), out);
  uint32_t known = op->known != CHK_STEPS_NONE && op->arrived == l->p->row[row].event
                       ? l->p->row_of[op->known]
                       : CHK_STEPS_NONE;
  if (known == CHK_STEPS_NONE || l->y[known] <= to.y || op->unit == op->target) return;
  chk_svg_line(out, "known", to, (struct chk_point){svg_x(l, op->unit), l->y[known]});
}

/* Operations that are shown and had not arrived when the run ended. */
static void svg_under_way(const struct svg_layout *l, FILE *out) {
  for (uint32_t row = 0; row < l->p->n; row++) {
    const struct chk_event *e = svg_event(l, row);
    if (e->kind != CHK_EVENT_POST) continue;
    const struct chk_steps_op *op = &l->p->steps->op[e->op];
    if (op->arrivals >= op->parts) continue;
    const struct chk_point to = {svg_x(l, op->target), l->bottom + LINE};
    svg_op_arrow(l, op, to, " late", out);
  }
}

/* The order that is missing in a race: from where the first access takes effect, if it did before
 * the second, to the second. */
static void svg_missing(const struct svg_layout *l, FILE *out) {
  const struct chk_picture_about *a = l->p->about;
  const struct chk_picture *p = l->p;
  if (!a->race || a->first == CHK_STEPS_NONE || a->second == CHK_STEPS_NONE) return;
  const struct chk_event *first = &p->steps->event[a->first], *second = &p->steps->event[a->second];
  struct chk_point from = {svg_x(l, first->unit), l->y[p->row_of[a->first]]};
  const struct chk_point to = {svg_x(l, second->unit), l->y[p->row_of[a->second]]};
  if (first->op != CHK_STEPS_NONE && p->steps->op[first->op].arrived != CHK_STEPS_NONE) {
    const struct chk_steps_op *op = &p->steps->op[first->op];
    uint32_t row = p->row_of[op->arrived];
    if (row != CHK_STEPS_NONE && l->y[row] < to.y)
      from = (struct chk_point){svg_x(l, op->target), l->y[row]};
  }
  double bend = from.x == to.x ? 1.5 * BEND : 0; /* left of the column: arrows bend to the right */
  fprintf(out,
          "<path class=\"missing\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"><title>missing "
          "order</title></path>\n",
          from.x, from.y, from.x - bend, from.y + LINE, to.x - bend, to.y - LINE, to.x, to.y);
}

/* -- around it --------------------------------------------------------------------------------- */

/* Writes a text over the whole width, in lines, and moves down. */
static void svg_paragraph(const char *class, const char *text, double size, double *y, FILE *out) {
  char line[CHK_PICTURE_WORDS];
  unsigned columns = (unsigned)((WIDTH - 4 * MARGIN) / (CHK_SVG_CHARACTER * size));
  while (chk_picture_wrap(&text, columns, line)) {
    if (out != NULL)
      chk_svg_text(out, (struct chk_point){2 * MARGIN, *y}, size, "start", class, line);
    *y += size + 4;
  }
}

/* Title and what the words need; from *y on. */
static void svg_title(const struct chk_picture *p, double *y, FILE *out) {
  const struct chk_picture_about *a = p->about;
  char text[3 * CHK_PICTURE_WORDS], words[CHK_PICTURE_WORDS];
  *y += 26;
  snprintf(text, sizeof text, "%.300s, %u %ss: %s", a->program, a->units, p->steps->noun,
           a->race ? "a race" : "a failing run");
  svg_paragraph("bold", text, 16, y, out);
  svg_paragraph("alarm", chk_picture_cut(a->failure, TITLE_COLUMNS, words), SIZE, y, out);
  snprintf(text, sizeof text, "%.300s; rows in the order of the run", a->how);
  svg_paragraph("dim", text, SIZE, y, out);
  svg_paragraph("dim", chk_picture_bases(p, words), SIZE, y, out);
  if (p->left_out == 0) return;
  snprintf(text, sizeof text,
           "%u events that do not lead to the failure, or long before it, are left out",
           p->left_out);
  svg_paragraph("dim", text, SIZE, y, out);
}

/* The failure, and the remedy of a race, in a box. */
static void svg_failure(const struct chk_picture *p, double *y, FILE *out) {
  const struct chk_picture_about *a = p->about;
  const double from = *y;
  double at = from + LINE + 4;
  svg_paragraph("alarm", a->race ? "RACE" : "FAILURE", SIZE, &at, NULL);
  svg_paragraph("words", a->failure, SIZE, &at, NULL);
  bool remedy = a->race && a->remedy != NULL && a->remedy[0] != '\0';
  if (remedy) {
    at += ROW_GAP;
    svg_paragraph("alarm", "MISSING ORDER", SIZE, &at, NULL);
    svg_paragraph("words", a->remedy, SIZE, &at, NULL);
  }
  *y = at;
  if (out == NULL) return;
  chk_svg_rect(out, "box", (struct chk_point){MARGIN, from}, WIDTH - 2 * MARGIN, at - from - 2);
  at = from + LINE + 4;
  svg_paragraph("alarm", a->race ? "RACE" : "FAILURE", SIZE, &at, out);
  svg_paragraph("words", a->failure, SIZE, &at, out);
  if (!remedy) return;
  at += ROW_GAP;
  svg_paragraph("alarm", "MISSING ORDER", SIZE, &at, out);
  svg_paragraph("words", a->remedy, SIZE, &at, out);
}

static void svg_legend(const struct chk_picture *p, double *y, FILE *out) {
  static const struct {
    const char *class, *text;
  } ITEMS[] = {{"dot", "it continues; small: it posts"},
               {"wait", "it waits"},
               {"mark", "a flush or an order returns"},
               {"op put", "put, from posting to arrival"},
               {"op get", "get"},
               {"op atomic", "atomic"},
               {"op signal", "signal, put with signal"},
               {"op put late", "not arrived when the run ended"},
               {"known", "its poster knows that it is complete"},
               {"missing", "the order that is missing"}};
  const uint32_t n = sizeof ITEMS / sizeof *ITEMS - (p->about->race ? 0 : 1), across = 3;
  const double wide = (WIDTH - 4 * MARGIN) / across;
  *y += LINE + 4;
  for (uint32_t i = 0; i < n && out != NULL; i++) {
    struct chk_point at = {2 * MARGIN + wide * (i % across), *y + LINE * (i / across)};
    struct chk_point a = {at.x, at.y - 4}, b = {at.x + 24, at.y - 4};
    if (strcmp(ITEMS[i].class, "dot") == 0)
      chk_svg_circle(out, "dot", (struct chk_point){at.x + 12, at.y - 4}, 4.5);
    else if (strcmp(ITEMS[i].class, "wait") == 0)
      chk_svg_rect(out, "wait", (struct chk_point){at.x + 8, at.y - 10}, 8, 12);
    else
      chk_svg_line(out, ITEMS[i].class, a, b);
    chk_svg_text(out, (struct chk_point){at.x + 32, at.y}, 11, "start", "dim", ITEMS[i].text);
  }
  *y += LINE * ((n + across - 1) / across);
}

/* -- the whole --------------------------------------------------------------------------------- */

static void svg_bands(const struct svg_layout *l, FILE *out) {
  const struct chk_picture *p = l->p;
  for (uint32_t i = 0; i < p->n; i++) {
    if (!chk_picture_fails(p, p->row[i].event)) continue;
    const double from = l->y[i] - LINE / 2 - 2;
    chk_svg_rect(out, "band", (struct chk_point){0, from}, WIDTH, l->end[i] - LINE + 2 - from);
  }
}

static void svg_draw(const struct svg_layout *l, FILE *out) {
  svg_bands(l, out);
  svg_heads(l, out);
  svg_waits(l, out);
  for (uint32_t i = 0; i < l->p->n; i++) svg_arrival(l, i, out);
  svg_under_way(l, out);
  for (uint32_t i = 0; i < l->p->n; i++) svg_mark(l, i, out);
  svg_missing(l, out);
  double y = l->top + LINE;
  for (uint32_t i = 0; i < l->p->n; i++) (void)svg_row(l, i, &y, out);
}

void chk_svg_write(const struct chk_picture *p, FILE *out) {
  double *rows = calloc(2 * (size_t)p->n, sizeof *rows);
  if (rows == NULL) return;
  struct svg_layout l = {.p = p, .y = rows, .end = rows + p->n};
  double y = 0;
  svg_title(p, &y, NULL);
  y = svg_lay_out(&l, y) + 2 * LINE;
  const double below = y;
  svg_failure(p, &y, NULL);
  svg_legend(p, &y, NULL);
  chk_svg_begin(out, WIDTH, y + MARGIN / 2, p->about->failure);
  y = 0;
  svg_title(p, &y, out);
  svg_draw(&l, out);
  y = below;
  svg_failure(p, &y, out);
  svg_legend(p, &y, out);
  fputs("</svg>\n", out);
  free(rows);
}
