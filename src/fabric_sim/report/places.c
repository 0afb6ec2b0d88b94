/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c - prints the functions, with call sites, that the units of a run are in, so that the one
 * unit that is elsewhere stands out. See graph.h. */
#include <stdlib.h>
#include <string.h>

#include "base/wording.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/report/graph.h"
#include "fabric_sim/report/ranges.h"

#define POSITIONS_SHOWN 12u
#define PIECES_SHOWN 12u

static const char *what_of(const struct sim_graph *g, uint32_t unit) {
  const struct sim_unit *u = &g->world->units[unit];
  return u->state == SIM_ENDED ? "(ended)" : sim_unit_shown(u, "a fabric call");
}

static uint32_t site_of(const struct sim_graph *g, uint32_t unit) {
  return g->world->units[unit].state == SIM_ENDED ? 0 : g->node[unit].site;
}

static int by_place(const void *a, const void *b, void *graph) {
  const struct sim_graph *g = graph;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int c = strcmp(what_of(g, x), what_of(g, y));
  if (c != 0) return c;
  if (site_of(g, x) != site_of(g, y)) return site_of(g, x) < site_of(g, y) ? -1 : 1;
  return (x > y) - (x < y);
}

static bool places_same_place(const struct sim_graph *g, uint32_t x, uint32_t y) {
  return strcmp(what_of(g, x), what_of(g, y)) == 0 && site_of(g, x) == site_of(g, y);
}

static uint32_t place_end(const struct sim_graph *g, uint32_t i) {
  uint32_t j = i + 1;
  while (j < g->world->n && places_same_place(g, g->order[i], g->order[j])) j++;
  return j;
}

static void print_place(const struct sim_graph *g, uint32_t from, uint32_t to, FILE *out) {
  uint32_t first = g->order[from];
  fprintf(out, "    %u in %s", to - from, what_of(g, first));
  if (g->world->units[first].state != SIM_ENDED)
    fprintf(out, ", called at %s", sim_sites_text(g->sites, g->node[first].site));
  eyoti_fprintf(out, to - from == 1 ? ": unit " : ": units ");
  sim_ranges_print(&g->order[from], to - from, PIECES_SHOWN, out);
  fputc('\n', out);
}

void sim_graph_print_places(const struct sim_graph *g, FILE *out) {
  uint32_t n = g->world->n, all = 0, places = 0, limit = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++) g->order[i] = i;
  qsort_r(g->order, n, sizeof *g->order, by_place, (void *)(uintptr_t)g);
  for (uint32_t i = 0; i < n; i = place_end(g, i)) all++;
  fprintf(out, "  where they are:\n");
  while (places < POSITIONS_SHOWN && places < all) { /* fewest units first: the exceptions matter */
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0, j; i < n; i = j) {
      j = place_end(g, i);
      if (j - i < least && (limit == UINT32_MAX || j - i > limit)) least = j - i;
    }
    for (uint32_t i = 0, j; i < n && places < POSITIONS_SHOWN; i = j) {
      j = place_end(g, i);
      if (j - i == least) print_place(g, i, j, out), places++;
    }
    limit = least;
  }
  if (all > places) fprintf(out, "    and %u other places\n", all - places);
}
