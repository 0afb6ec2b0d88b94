/* SPDX-License-Identifier: BSD-3-Clause */
/* detect.c - what the detectors have in common: their state, and where calls are. See
 * detect.h. */
#include "fabric_sim/explore/detect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_sim/explore/untimed.h"

struct sim_detect {
  struct sim_detect_ops *ops;
  struct sim_detect_resources *resources;
  struct sim_detect_colls *colls;
};

struct sim_detect *sim_detect_new(uint32_t n_units) {
  struct sim_detect *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  *d = (struct sim_detect){sim_detect_ops_new(), sim_detect_resources_new(n_units),
                           sim_detect_colls_new()};
  if (d->ops != NULL && d->resources != NULL && d->colls != NULL) return d;
  sim_detect_delete(d);
  return NULL;
}

void sim_detect_delete(struct sim_detect *d) {
  if (d == NULL) return;
  sim_detect_ops_delete(d->ops);
  sim_detect_resources_delete(d->resources);
  sim_detect_colls_delete(d->colls);
  free(d);
}

struct sim_detect_ops *sim_detect_ops_of(struct sim_detect *d) {
  return d->ops;
}
struct sim_detect_resources *sim_detect_resources_of(struct sim_detect *d) {
  return d->resources;
}
struct sim_detect_colls *sim_detect_colls_of(struct sim_detect *d) {
  return d->colls;
}

bool sim_detect_on(const struct sim_world *w, uint32_t which) {
  return (w->check->detect & which) != 0 && !w->check->failed;
}

struct sim_detect_call sim_detect_here(const struct sim_unit *u) {
  const struct fab *f = u->rt.fab != NULL ? u->rt.fab : &u->fab;
  return (struct sim_detect_call){f->note.what != NULL ? f->note.what : "a function of eyot",
                                  eyoti_rt_site(&u->rt), u->fab.me};
}

bool sim_detect_outermost(const struct sim_unit *u) {
  return u->rt.outer_site == NULL;
}

/* The line of the program that the call returns to, or what is known of it. */
static const char *line_of(struct sim_world *w, uint32_t unit, const void *site) {
  struct sim_detect_lines *l = &w->check->lines;
  uint64_t off;
  if (site == NULL || !sim_prog_offset(w->prog, unit, (const char *)site - 1, &off))
    return "an unknown place";
  uint32_t i = 0;
  while (i < l->n && l->line[i].off != off) i++;
  if (i < l->n) return l->line[i].text;
  if (i == SIM_DETECT_LINES) i--; /* the last one makes room */
  char text[1][SIM_SITE_TEXT];
  bool known = sim_site_ask(sim_prog_file(w->prog), &off, 1, text) && text[0][0] != '\0';
  l->line[i].off = off;
  if (known)
    memcpy(l->line[i].text, text[0], SIM_SITE_TEXT);
  else
    snprintf(l->line[i].text, SIM_SITE_TEXT, "byte %#llx of the program", (unsigned long long)off);
  l->n = i + 1;
  return l->line[i].text;
}

const char *sim_detect_where(struct sim_world *w, const struct sim_detect_call *call,
                             char where[SIM_DETECT_WHERE]) {
  snprintf(where, SIM_DETECT_WHERE, "%s (%s)", call->what, line_of(w, call->unit, call->site));
  return where;
}
