/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_call.h - which unit called which function from which line, as findings name it. For the
 * detectors (detect_*.c) and the untimed engine (untimed.h).
 *
 * The texts of source lines outlive runs (struct sim_untimed), so that addr2line is not run again
 * for a line of an earlier run. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_DETECT_CALL_H
#define EYOT_FABRIC_SIM_EXPLORE_DETECT_CALL_H

#include "base/code_line.h"
#include "fabric/module.h"
#include "fabric_sim/engine/world.h"

/* source lines that are kept; later ones are looked up each time */
#define SIM_DETECT_LINES 256u
#define SIM_DETECT_WHERE 192u /* bytes of "eyot_put_nbi (a.c:12 (main))" */

/* Texts of source lines, by offset in the program's file. */
struct sim_detect_lines {
  uint32_t n;
  struct {
    uint64_t off;
    char text[EYOTI_CODE_LINE];
  } line[SIM_DETECT_LINES];
};

/* A call: unit, function and place. */
struct sim_detect_call {
  const char *what;     /* as messages name it: may be an interface's (eyot/caller.h) */
  const char *function; /* eyot's own */
  const void *site;
  uint32_t unit;
};

/* Whether the detector (enum fab_detect) is enabled and the run has not failed yet. */
bool sim_detect_on(const struct sim_world *w, uint32_t which);
/* Returns the call that the unit is in. */
struct sim_detect_call sim_detect_here(const struct sim_unit *u);
/* Returns a call that the race detector has recorded: `when` is its `what`. */
static inline struct sim_detect_call sim_detect_recorded(uint64_t when, const void *site) {
  return (struct sim_detect_call){.what = (const char *)(uintptr_t)when, .site = site};
}
/* Writes "eyot_put_nbi (a.c:12 (main))" to `where` and returns it. */
const char *sim_detect_where(struct sim_world *w, const struct sim_detect_call *call,
                             char where[SIM_DETECT_WHERE]);
/* Returns the line of the call that returns to `site`; valid until the next call. */
const char *sim_detect_line_of(struct sim_world *w, uint32_t unit, const void *site);
/* Writes the program's line at an offset; of type eyoti_proc_line_fn. */
bool sim_detect_line(void *world, const char *file, uint64_t off, char *text);
/* Whether the program itself called the function that the unit is in, not another function of the
 * layers. */
bool sim_detect_outermost(const struct sim_unit *u);
#endif
