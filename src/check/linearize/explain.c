/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.c - prints a verdict of linearize.h in words: the operation that fits nowhere, the
 * operations that overlap it, and the order found for those before it. */
#include <inttypes.h>
#include <string.h>

#include "base/wording.h"
#include "check/linearize/linearize.h"

#define OP_TEXT 96u
#define SHOWN_ORDER 10u   /* operations shown from the end of the order */
#define SHOWN_OVERLAP 16u /* lines of the table */
#define BAR (2u * SHOWN_OVERLAP)

/* Prints where a unit called something, after `before`. */
static void print_line_of(const struct chk_history *h, const char *before, uint32_t unit,
                          const void *at, FILE *out) {
  if (h->line != NULL && at != NULL) fprintf(out, "%s%s", before, h->line(h->context, unit, at));
}

static void print_part(const struct chk_history *h, const struct chk_lin_verdict *v, FILE *out) {
  const struct chk_lin_object *o = &h->objects[v->object];
  fprintf(out, "%s \"%s\"", o->model->name, o->name);
  if (v->keyed) fprintf(out, ", key %" PRIu64, v->key);
}

static void op_text(const struct chk_history *h, uint32_t id, char text[OP_TEXT]) {
  chk_lin_print_op(h->objects[h->ops[id].object].model, &h->ops[id], text, OP_TEXT);
}

static void print_order(const struct chk_history *h, const struct chk_lin_verdict *v, FILE *out) {
  char text[OP_TEXT];
  if (v->order == NULL) {
    fprintf(out,
            "  returns before it: %" PRIu32 "; the search for an order of them reached its limit\n",
            v->explained);
    return;
  }
  uint32_t from = v->n_order > SHOWN_ORDER ? v->n_order - SHOWN_ORDER : 0;
  fprintf(out, "  returns before it: %" PRIu32 "; %s", v->explained,
          v->n_order == 0 ? "none needs to have happened" : "a possible order");
  if (from > 0) fprintf(out, " (the last %" PRIu32 " of %" PRIu32 ")", SHOWN_ORDER, v->n_order);
  fprintf(out, v->n_order == 0 ? "\n" : ":\n");
  for (uint32_t i = from; i < v->n_order; i++) {
    op_text(h, v->order[i], text);
    const struct chk_lin_op *op = &h->ops[v->order[i]];
    eyoti_fprintf(out, "    %" PRIu32 ". unit %" PRIu32 ": %s", i + 1, op->unit, text);
    print_line_of(h, ", called at ", op->unit, op->called_at, out);
    fputc('\n', out);
  }
  fprintf(out, "  then it %s\n", v->state);
}

/* The column of a position in the drawing: the number of the shown intervals' ends before it. */
static uint32_t column(const struct chk_history *h, const uint32_t *ids, uint32_t n,
                       uint64_t position) {
  uint32_t c = 0;
  for (uint32_t i = 0; i < n; i++)
    c += (h->ops[ids[i]].call < position ? 1u : 0u) + (h->ops[ids[i]].ret < position ? 1u : 0u);
  return c;
}

static void print_line(const struct chk_history *h, const struct chk_lin_verdict *v,
                       const uint32_t *ids, uint32_t n, uint32_t id, FILE *out) {
  const struct chk_lin_op *op = &h->ops[id];
  char text[OP_TEXT], bar[BAR + 1], ret[24] = "-";
  op_text(h, id, text);
  if (op->ret != CHK_PENDING) snprintf(ret, sizeof ret, "%" PRIu64, op->ret);
  uint32_t begin = column(h, ids, n, op->call),
           end = op->ret == CHK_PENDING ? 2 * n - 1 : column(h, ids, n, op->ret);
  memset(bar, ' ', sizeof bar);
  memset(bar + begin, '-', end - begin + 1);
  bar[begin] = '[';
  bar[end] = op->ret == CHK_PENDING ? '>' : ']';
  bool placed = h->line != NULL && op->called_at != NULL;
  bar[id == v->failed || placed ? 2 * n : end + 1] = '\0';
  eyoti_fprintf(out, "    %6" PRIu64 " %6s  unit %-5" PRIu32 " %-32s %s%s", op->call, ret, op->unit,
                text, bar, id == v->failed ? "  has no place" : "");
  print_line_of(h, "  ", op->unit, op->called_at, out);
  fputc('\n', out);
}

/* Draws the interval of the operation that fits nowhere, and of the latest of those that overlap
 * it. */
static void print_overlap(const struct chk_history *h, const struct chk_lin_verdict *v, FILE *out) {
  uint32_t ids[SHOWN_OVERLAP], n = 0, left = v->n_overlap;
  bool failed_in = false;
  for (uint32_t i = v->n_overlap; i-- > 0 && n < SHOWN_OVERLAP;) {
    /* the last line is reserved for the failed operation */
    if (!failed_in && n == SHOWN_OVERLAP - 1 && v->overlap[i] != v->failed) continue;
    failed_in = failed_in || v->overlap[i] == v->failed;
    ids[n++] = v->overlap[i];
  }
  left -= n;
  fprintf(out, "  at the same time (calls and returns as positions in the history%s):\n",
          left > 0 ? "; not all are shown" : "");
  fprintf(out, "      call return\n");
  for (uint32_t i = n; i-- > 0;) print_line(h, v, ids, n, ids[i], out);
}

void chk_lin_explain(const struct chk_history *h, const struct chk_lin_verdict *v, FILE *out) {
  char text[OP_TEXT];
  if (v->answer == CHK_LIN_YES) {
    fprintf(out,
            "linearizable: %" PRIu32 " operations on %" PRIu32 " objects or keys, %" PRIu64
            " configurations\n",
            h->n_ops, v->n_parts, v->configurations);
    return;
  }
  print_part(h, v, out);
  if (v->answer == CHK_LIN_UNDECIDED) {
    fprintf(out,
            ": undecided after %" PRIu64 " configurations (%s); the first %" PRIu32 " of %" PRIu32
            " returns can be explained\n",
            v->configurations, v->out_of_memory ? "out of memory" : "the limit", v->explained,
            v->part_returns);
    return;
  }
  op_text(h, v->failed, text);
  const struct chk_lin_op *op = &h->ops[v->failed];
  const struct chk_lin_object *o = &h->objects[v->object];
  eyoti_fprintf(out, ": not linearizable: no place for %s by unit %" PRIu32, text, op->unit);
  print_line_of(h, ", eyot_check_call at ", op->unit, op->called_at, out);
  print_line_of(h, ", eyot_check_return at ", op->unit, op->returned_at, out);
  print_line_of(h, "; eyot_check_object at ", o->made_by, o->made_at, out);
  fputc('\n', out);
  print_order(h, v, out);
  print_overlap(h, v, out);
}
