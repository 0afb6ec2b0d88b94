/* SPDX-License-Identifier: BSD-3-Clause */
/* detect.h - what is wrong with a run whatever it comes out as: detectors of eyotcheck, each of
 * which ends the run as failed.
 *
 * Why it exists: a program that changes a source before it may, or reads a destination before it is
 * there, comes out right under nearly all schedules; the engine knows at each arrival whether it
 * was wrong. Detectors report only what the contract forbids: no heuristics, no false reports. They
 * are told of by the engine (untimed_op.c, untimed_unit.c) and, through struct fab_check, by the
 * layers. What they remember is of one run, in ordinary memory; the source lines that they know
 * outlive runs (struct sim_untimed).
 *
 *  - source: at the arrival of each part of a put its words are compared with those at the post;
 *    the same when the origin is told that the put is locally complete. What the program changes
 *    after the bytes have arrived is not reported: it may know of the arrival by what another unit
 *    has sent it. Another schedule lets them arrive later.
 *  - destination: from the post on it is full of SIM_DETECT_FILL, and it must still be when the
 *    result lands. A get lands as a whole, when its last part has been read: words that landed
 *    before could be told from none by nobody who does not read too early. After an error the
 *    destination is what it was.
 *  - range: an operation that is posted to, or arrives in, memory that its owner has freed.
 *  - leak: what a unit has made and not released when it ends.
 *  - collective: two members of a team whose n-th collective functions differ in name, root or
 *    size. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_DETECT_H
#define EYOT_FABRIC_SIM_EXPLORE_DETECT_H

#include "fabric_sim/engine/world.h"
#include "fabric_sim/program/site_ask.h"

#define SIM_DETECT_FILL 0xebu
/* source lines that are remembered; what comes later is asked for again */
#define SIM_DETECT_LINES 256u
#define SIM_DETECT_WHERE 192u /* bytes of "eyot_put_nbi (a.c:12 (main))" */

struct sim_detect;

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

/* detect.c. NULL: no memory. */
struct sim_detect *sim_detect_new(uint32_t n_units);
void sim_detect_delete(struct sim_detect *d); /* NULL is fine */
/* Whether the detector (enum fab_detect) is on, and the run has not failed yet. */
bool sim_detect_on(const struct sim_world *w, uint32_t which);
/* What the unit is in. */
struct sim_detect_call sim_detect_here(const struct sim_unit *u);
/* "eyot_put_nbi (a.c:12 (main))"; the text is in `where`, and returned. */
const char *sim_detect_where(struct sim_world *w, const struct sim_detect_call *call,
                             char where[SIM_DETECT_WHERE]);
/* The layers' things that are the program's own, not parts of others. */
bool sim_detect_outermost(const struct sim_unit *u);

/* detect_op.c. The operation has been posted, its source copied. */
void sim_detect_post(struct sim_unit *u, struct sim_op *op);
/* The network reads the source now; only where that is not at the post (order tso). */
void sim_detect_read(struct sim_world *w, struct sim_op *op);
/* The part arrives now. */
void sim_detect_arrive(struct sim_world *w, struct sim_op *op, uint32_t part);
/* The result of a get or an atomic lands now. */
void sim_detect_land(struct sim_world *w, struct sim_op *op);
/* The origin is told that the operation is locally complete. */
void sim_detect_known(struct sim_unit *u, struct sim_op *op);
void sim_detect_flushed(struct sim_unit *u, fab_unit_t unit);
struct sim_detect_ops;
struct sim_detect_ops *sim_detect_ops_new(void);
void sim_detect_ops_delete(struct sim_detect_ops *o);
struct sim_detect_ops *sim_detect_ops_of(struct sim_detect *d);
/* Requests of functions whose names end in _nb that the unit has not waited for: how many; *call is
 * the first. */
uint32_t sim_detect_requests(struct sim_world *w, uint32_t unit, struct sim_detect_call *call);

/* detect_resources.c: memory and whatever else is made and released. */
struct sim_detect_resources;
struct sim_detect_resources *sim_detect_resources_new(uint32_t n_units);
void sim_detect_resources_delete(struct sim_detect_resources *t);
struct sim_detect_resources *sim_detect_resources_of(struct sim_detect *d);
void sim_detect_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive);
void sim_detect_resource(struct fab *f, const char *kind, uint64_t id, uint64_t bytes, bool made);
/* The unit ends. since_begin: only what was made since eyot_check_begin counts. */
void sim_detect_end(struct sim_unit *u, bool since_begin);
/* The operation is to memory that is freed. */
void sim_detect_freed(struct sim_world *w, const struct sim_op *op,
                      const struct sim_detect_call *by, bool arrives);

/* detect_coll.c. */
struct sim_detect_colls;
struct sim_detect_colls *sim_detect_colls_new(void);
void sim_detect_colls_delete(struct sim_detect_colls *c);
struct sim_detect_colls *sim_detect_colls_of(struct sim_detect *d);
void sim_detect_collective(struct fab *f, const struct fab_collective *c);
#endif
