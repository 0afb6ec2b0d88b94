/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_call.h - which unit called which function, where: what detectors and races name in their
 * reports. Source lines that were asked for outlive runs (struct sim_untimed). */
#ifndef EYOT_FABRIC_SIM_EXPLORE_DETECT_CALL_H
#define EYOT_FABRIC_SIM_EXPLORE_DETECT_CALL_H

#include "fabric_sim/engine/world.h"
#include "fabric_sim/program/site_ask.h"

/* source lines that are remembered; what comes later is asked for again */
#define SIM_DETECT_LINES 256u
#define SIM_DETECT_WHERE 192u /* bytes of "eyot_put_nbi (a.c:12 (main))" */

/* Source lines, by offset in the program's file. */
struct sim_detect_lines {
  uint32_t n;
  struct {
    uint64_t off;
    char text[SIM_SITE_TEXT];
  } line[SIM_DETECT_LINES];
};

/* Who called what, where. */
struct sim_detect_call {
  const char *what;
  const void *site;
  uint32_t unit;
};

/* Whether the detector (enum fab_detect) is on, and the run has not failed yet. */
bool sim_detect_on(const struct sim_world *w, uint32_t which);
/* What the unit is in. */
struct sim_detect_call sim_detect_here(const struct sim_unit *u);
/* "eyot_put_nbi (a.c:12 (main))"; the text is in `where`, and returned. */
const char *sim_detect_where(struct sim_world *w, const struct sim_detect_call *call,
                             char where[SIM_DETECT_WHERE]);
/* The layers' things that are the program's own, not parts of others. */
bool sim_detect_outermost(const struct sim_unit *u);
#endif
