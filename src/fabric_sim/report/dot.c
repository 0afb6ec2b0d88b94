/* SPDX-License-Identifier: BSD-3-Clause */
/* dot.c - writes the wait graph in graphviz's DOT. See graph.h. Units that explain the standstill
 * (cycles, ends, lost wake-ups, small groups) are drawn one by one, all others grouped by where
 * they are. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/out_file.h"
#include "base/wording.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/report/graph.h"

#define NODES_MAX 48u   /* as many as one can read; the last is for all other units */
#define SINGLES_MAX 28u /* of these, units drawn alone if there are more units than nodes */
#define TEXT_BYTES 192u

struct box {
  uint32_t first, n; /* one of its units, and their number */
  char text[TEXT_BYTES];
};

struct drawing {
  const struct sim_graph *g;
  struct box box[NODES_MAX];
  uint32_t n;
  uint32_t *box_of;                    /* of each unit */
  uint32_t edge[NODES_MAX][NODES_MAX]; /* number of units of one node that wait for the other */
};

/* Writes text inside a quoted string of DOT. */
static void put_text(const char *text, FILE *out) {
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') fputc('\\', out);
    if (*c == '\n')
      fputs("\\n", out);
    else
      fputc((unsigned char)*c < ' ' ? ' ' : *c, out);
  }
}

/* Writes the text below the units of a box, which all of them share. */
static void dot_describe(const struct sim_graph *g, uint32_t unit, char *t, size_t size) {
  const struct sim_unit *u = &g->world->units[unit];
  if (u->state == SIM_ENDED)
    snprintf(t, size, "ended");
  else
    eyoti_snprintf(t, size, "%s\n%s%s", sim_unit_shown(u, "a fabric call"),
                   sim_sites_text(g->sites, g->node[unit].site),
                   EYOTI_WORDED(g->node[unit].cause.kind == SIM_CAUSE_LOST ? "\nlost wake-up"
                                : g->node[unit].cause.kind == SIM_CAUSE_NOBODY
                                    ? "\nno unit has written the word"
                                    : ""));
}

static void add_single(struct drawing *d, uint32_t unit) {
  if (d->box_of[unit] != NODES_MAX || d->n >= SINGLES_MAX) return;
  struct box *b = &d->box[d->n];
  *b = (struct box){.first = unit, .n = 1};
  dot_describe(d->g, unit, b->text, sizeof b->text);
  d->box_of[unit] = d->n++;
}

static void add_to_group(struct drawing *d, uint32_t unit, uint32_t first_group) {
  char text[TEXT_BYTES];
  dot_describe(d->g, unit, text, sizeof text);
  uint32_t i = first_group;
  while (i < d->n && i < NODES_MAX - 1 && strcmp(d->box[i].text, text) != 0) i++;
  if (i == d->n) {
    d->box[i] = (struct box){.first = unit};
    memcpy(d->box[i].text, i < NODES_MAX - 1 ? text : "elsewhere",
           i < NODES_MAX - 1 ? sizeof text : sizeof "elsewhere");
    d->n++;
  }
  d->box[i].n++;
  d->box_of[unit] = i;
}

static void make_boxes(struct drawing *d) {
  const struct sim_graph *g = d->g;
  uint32_t n = g->world->n;
  for (uint32_t i = 0; i < n; i++) d->box_of[i] = NODES_MAX;
  for (uint32_t i = 0; i < n; i++)
    if (n <= SINGLES_MAX || g->node[i].cause.kind == SIM_CAUSE_LOST) add_single(d, i);
  for (uint32_t i = 0; i < n; i++)
    if (g->node[i].on_cycle) add_single(d, i);
  for (uint32_t i = 0; i < n; i++)
    if (g->node[i].to != SIM_NO_UNIT && g->node[i].end != i) add_single(d, g->node[i].end);
  uint32_t first_group = d->n;
  for (uint32_t i = 0; i < n; i++)
    if (d->box_of[i] == NODES_MAX) add_to_group(d, i, first_group);
  for (uint32_t i = 0; i < n; i++)
    if (g->node[i].to != SIM_NO_UNIT) d->edge[d->box_of[i]][d->box_of[g->node[i].to]]++;
}

static void put_box(const struct drawing *d, uint32_t i, FILE *out) {
  const struct box *b = &d->box[i];
  const struct sim_node *x = &d->g->node[b->first];
  bool ended = d->g->world->units[b->first].state == SIM_ENDED;
  fprintf(out, "  b%u [label=\"", i);
  if (b->n == 1)
    eyoti_fprintf(out, "unit %u\\n", b->first);
  else
    eyoti_fprintf(out, "%u units: %u, ...\\n", b->n, b->first);
  put_text(b->text, out);
  const char *color = x->on_cycle || x->cause.kind == SIM_CAUSE_LOST ? "red"
                      : x->end == b->first                           ? "orange"
                                                                     : "black";
  fprintf(out, "\", color=%s%s];\n", b->n == 1 ? color : "black", ended ? ", style=dashed" : "");
}

static void put_edges(const struct drawing *d, FILE *out) {
  for (uint32_t i = 0; i < d->n; i++)
    for (uint32_t j = 0; j < d->n; j++) {
      if (d->edge[i][j] == 0) continue;
      enum sim_cause_kind kind = d->g->node[d->box[i].first].cause.kind;
      fprintf(out, "  b%u -> b%u [label=\"", i, j);
      if (d->box[i].n == 1)
        fputs(kind == SIM_CAUSE_QUEUE    ? "in the queue behind"
              : kind == SIM_CAUSE_NOBODY ? "is to write the word"
                                         : "last writer",
              out);
      else
        fprintf(out, "%u", d->edge[i][j]);
      fputs("\"];\n", out);
    }
}

/* Draws an edge from the unit that overwrote the value that a unit has missed. */
static void put_lost(const struct drawing *d, FILE *out) {
  for (uint32_t i = 0; i < d->n; i++) {
    const struct sim_cause *c = &d->g->node[d->box[i].first].cause;
    if (c->kind == SIM_CAUSE_LOST && c->by != SIM_NO_UNIT)
      fprintf(out, "  b%u -> b%u [label=\"wrote %" PRIu64 "\", style=dotted];\n", d->box_of[c->by],
              i, c->value);
  }
}

int sim_graph_write_dot(const struct sim_graph *g, const char *file) {
  struct drawing *d = calloc(1, sizeof *d);
  uint32_t *box_of = calloc(g->world->n, sizeof *box_of);
  int rc = EYOT_OK;
  FILE *out = NULL;
  struct sigaction before;
  eyoti_out_begin(&before);
  if (d == NULL || box_of == NULL) {
    rc = EYOTI_FAIL(EYOT_ENOMEM, "no memory for a drawing of %u units", g->world->n);
    goto free_drawing;
  }
  d->g = g;
  d->box_of = box_of;
  make_boxes(d);
  if ((out = fopen(file, "w")) == NULL) {
    rc = EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", file, strerror(errno));
    goto free_drawing;
  }
  eyoti_fprintf(out, "// Wait-for graph of %u units at virtual %.3f us. Draw it with: dot -Tsvg\n",
                g->world->n, (double)g->world->now_ps * 1e-6);
  fprintf(out, "digraph waits {\n  node [shape=box];\n");
  for (uint32_t i = 0; i < d->n; i++) put_box(d, i, out);
  put_edges(d, out);
  put_lost(d, out);
  fprintf(out, "}\n");
  if (fclose(out) != 0) rc = EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", file, strerror(errno));
free_drawing:
  eyoti_out_end(&before);
  free(box_of);
  free(d);
  return rc;
}
