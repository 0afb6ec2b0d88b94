/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_call.c - the calls and source lines that findings name. See detect_call.h. */
#include "fabric_sim/explore/detect_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fabric_sim/explore/untimed.h"

bool sim_detect_on(const struct sim_world *w, uint32_t which) {
  return (w->untimed->detect & which) != 0 && !w->untimed->failed;
}

struct sim_detect_call sim_detect_here(const struct sim_unit *u) {
  const struct fab *f = u->rt.fab != NULL ? u->rt.fab : &u->fab;
  const char *marked = eyoti_rt_marked(&u->rt),
             *function = f->note.what != NULL ? f->note.what : "a function of eyot";
  return (struct sim_detect_call){.what = marked != NULL ? marked : function,
                                  .function = function,
                                  .site = eyoti_rt_site(&u->rt),
                                  .unit = u->fab.me};
}

bool sim_detect_outermost(const struct sim_unit *u) {
  return u->rt.outer_site == NULL;
}

/* Returns the program's line at that offset, or the best description of it. */
static const char *line_at(struct sim_world *w, uint64_t off) {
  struct sim_detect_lines *l = &w->untimed->lines;
  uint32_t i = 0;
  while (i < l->n && l->line[i].off != off) i++;
  if (i < l->n) return l->line[i].text;
  if (i == SIM_DETECT_LINES) i--; /* the last entry is replaced */
  char text[1][EYOTI_CODE_LINE];
  bool known = eyoti_code_lines(sim_prog_file(w->prog), &off, 1, text) && text[0][0] != '\0';
  l->line[i].off = off;
  if (known)
    memcpy(l->line[i].text, text[0], EYOTI_CODE_LINE);
  else
    snprintf(l->line[i].text, EYOTI_CODE_LINE, "byte %#" PRIx64 " of the program", off);
  l->n = i + 1;
  return l->line[i].text;
}

const char *sim_detect_line_of(struct sim_world *w, uint32_t unit, const void *site) {
  uint64_t off;
  if (site == NULL || !sim_prog_offset(w->prog, unit, (const char *)site - 1, &off))
    return "an unknown place";
  return line_at(w, off);
}

bool sim_detect_line(void *world, const char *file, uint64_t off, char *text) {
  struct sim_world *w = world;
  if (strcmp(file, sim_prog_file(w->prog)) != 0) return false;
  memcpy(text, line_at(w, off), EYOTI_CODE_LINE);
  return true;
}

const char *sim_detect_where(struct sim_world *w, const struct sim_detect_call *call,
                             char where[SIM_DETECT_WHERE]) {
  snprintf(where, SIM_DETECT_WHERE, "%s (%s)", call->what,
           sim_detect_line_of(w, call->unit, call->site));
  return where;
}
