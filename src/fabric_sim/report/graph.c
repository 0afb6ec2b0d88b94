/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.c - builds the wait graph and prints its findings. See graph.h. */
#include "fabric_sim/report/graph.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/wording.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/report/ranges.h"

#define CYCLES_SHOWN 4u
#define CYCLE_UNITS_SHOWN 24u
#define ENDS_SHOWN 8u
#define PIECES_SHOWN 12u /* pieces of a list of units */

/* A poll reads a word of some unit; the word's last writer may have to write it again. */
static struct sim_cause cause_of(const struct sim_world *w, const struct sim_unit *u) {
  struct sim_cause c = sim_cause_of(u);
  if (c.kind != SIM_CAUSE_NONE || w->bound.tally == NULL || u->state == SIM_ENDED) return c;
  const struct sim_spot *s = sim_bound_spot(&w->bound.tally[u->fab.me]);
  if (s == NULL) return c;
  const uint64_t *word =
      sim_seg_at((struct sim_world *)(uintptr_t)w, s->unit, s->seg, s->off & ~UINT64_C(7), 8);
  return word != NULL ? sim_cause_of_word(&w->units[s->unit], word) : c;
}

/* Visits each unit once: `end` of the units on the path is SIM_NO_UNIT until their end is known. */
static void find_ends(struct sim_graph *g) {
  uint32_t n = g->world->n, *way = g->order;
  for (uint32_t i = 0; i < n; i++) g->node[i].end = SIM_NO_UNIT;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t length = 0, at = i, end;
    while (g->node[at].end == SIM_NO_UNIT && g->node[at].to != SIM_NO_UNIT &&
           !g->node[at].on_cycle) {
      g->node[at].on_cycle = true; /* marks that it is on the path */
      way[length++] = at;
      at = g->node[at].to;
    }
    end = g->node[at].end;
    uint32_t first = length; /* way[first...] is the cycle */
    if (end == SIM_NO_UNIT && g->node[at].on_cycle) {
      end = at;
      do {
        first--;
        if (way[first] < end) end = way[first];
      } while (way[first] != at);
    } else if (end == SIM_NO_UNIT) {
      end = g->node[at].end = at;
    }
    for (uint32_t k = 0; k < length; k++) {
      g->node[way[k]].end = end;
      g->node[way[k]].on_cycle = k >= first;
    }
  }
}

int sim_graph_new(const struct sim_world *w, struct sim_graph **out) {
  struct sim_graph *g = calloc(1, sizeof *g);
  if (g == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the wait-for graph");
  g->world = w;
  g->node = calloc(w->n, sizeof *g->node);
  g->order = calloc(w->n, sizeof *g->order);
  if (g->node == NULL || g->order == NULL || sim_sites_new(w->prog, &g->sites) != 0) {
    sim_graph_free(g);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the wait-for graph of %u units", w->n);
  }
  for (uint32_t i = 0; i < w->n; i++) {
    const struct sim_unit *u = &w->units[i];
    struct sim_node *x = &g->node[i];
    x->cause = cause_of(w, u);
    x->to = sim_cause_waits_for(&x->cause);
    if (x->to == i) x->to = SIM_NO_UNIT;
    x->site = sim_sites_add(g->sites, i, eyoti_rt_site(&u->rt));
  }
  sim_sites_resolve(g->sites);
  find_ends(g);
  *out = g;
  return EYOT_OK;
}

void sim_graph_free(struct sim_graph *g) {
  if (g == NULL) return;
  sim_sites_free(g->sites);
  free(g->node);
  free(g->order);
  free(g);
}

static void print_cycle(const struct sim_graph *g, uint32_t first, FILE *out) {
  uint32_t n = 1;
  for (uint32_t at = g->node[first].to; at != first; at = g->node[at].to) n++;
  eyoti_fprintf(out, "  cycle of %u units: %u", n, first);
  uint32_t at = g->node[first].to;
  for (uint32_t i = 1; i < n && i < CYCLE_UNITS_SHOWN; i++, at = g->node[at].to)
    fprintf(out, " -> %u", at);
  fprintf(out, "%s -> %u: each waits for the next\n", n > CYCLE_UNITS_SHOWN ? " -> ..." : "",
          first);
}

static void print_cycles(const struct sim_graph *g, FILE *out) {
  uint32_t cycles = 0;
  for (uint32_t i = 0; i < g->world->n; i++) {
    if (!g->node[i].on_cycle || g->node[i].end != i) continue;
    if (cycles++ < CYCLES_SHOWN) print_cycle(g, i, out);
  }
  if (cycles > CYCLES_SHOWN) fprintf(out, "  and %u more cycles\n", cycles - CYCLES_SHOWN);
}

static void graph_print_lost(const struct sim_graph *g, FILE *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->world->n; i++)
    if (g->node[i].cause.kind == SIM_CAUSE_LOST) g->order[n++] = i;
  if (n == 0) return;
  eyoti_fprintf(out, n == 1 ? "  lost wake-up of unit " : "  lost wake-up of units ");
  sim_ranges_print(g->order, n, PIECES_SHOWN, out);
  fprintf(out, ": the value that %s for came and was replaced unseen\n",
          n == 1 ? "it waits" : "they wait");
}

static const char *end_text(const struct sim_graph *g, uint32_t unit) {
  if (g->node[unit].on_cycle) return "which is on a cycle";
  uint8_t state = g->world->units[unit].state;
  if (g->world->units[unit].end == SIM_END_CRASHED) return "which crashed";
  if (state == SIM_ENDED) return "which has ended";
  if (g->world->bound.over && state != SIM_WAIT_WORD && state != SIM_WAIT_ANY)
    return "which continues";
  switch (g->node[unit].cause.kind) {
    case SIM_CAUSE_LOST:
      return "which has lost a wake-up";
    case SIM_CAUSE_NOBODY:
      return "which waits for a word that no unit has written so far";
    case SIM_CAUSE_WRITER:
    case SIM_CAUSE_FORGOTTEN:
      return "which waits for a word whose next writer is unknown";
    case SIM_CAUSE_NONE:
    case SIM_CAUSE_QUEUE:
      break;
  }
  return "which waits for no word";
}

/* Prints the units by the end of their paths, most first. */
static void print_ends(const struct sim_graph *g, FILE *out) {
  uint32_t n = g->world->n, shown = 0;
  uint32_t *count = calloc(n, sizeof *count);
  if (count == NULL) return; /* other lines say this too */
  for (uint32_t i = 0; i < n; i++)
    if (g->node[i].end != i && !g->node[i].on_cycle) count[g->node[i].end]++;
  for (; shown < ENDS_SHOWN; shown++) {
    uint32_t most = 0, k = 0;
    for (uint32_t i = 1; i < n; i++)
      if (count[i] > count[most]) most = i;
    if (count[most] == 0) break;
    for (uint32_t i = 0; i < n; i++)
      if (g->node[i].end == most && i != most && !g->node[i].on_cycle) g->order[k++] = i;
    eyoti_fprintf(out, k == 1 ? "  unit " : "  units ");
    sim_ranges_print(g->order, k, PIECES_SHOWN, out);
    eyoti_fprintf(out, " (%u) %s for unit %u, directly or not, %s\n", k, k == 1 ? "waits" : "wait",
                  most, EYOTI_WORDED(end_text(g, most)));
    count[most] = 0;
  }
  free(count);
}

static void print_forgotten(const struct sim_graph *g, FILE *out) {
  uint32_t n = g->world->n, forgotten = 0;
  for (uint32_t i = 0; i < n; i++) forgotten += g->node[i].cause.kind == SIM_CAUSE_FORGOTTEN;
  if (forgotten == 0 || n <= SIM_WRITES_MANY_UNITS) return;
  eyoti_fprintf(
      out,
      "  of %u units the last writer is not remembered; runs of up to %u units remember more\n",
      forgotten, SIM_WRITES_MANY_UNITS);
}

void sim_graph_print(const struct sim_graph *g, FILE *out) {
  print_cycles(g, out);
  graph_print_lost(g, out);
  print_ends(g, out);
  print_forgotten(g, out);
}
