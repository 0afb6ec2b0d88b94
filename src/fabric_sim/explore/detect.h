/* SPDX-License-Identifier: BSD-3-Clause */
/* detect.h - the detectors of eyotcheck; a finding fails the run. The untimed engine (untimed_*.c)
 * calls them directly, since they change the program's destinations, as no observer may; the layers
 * above the fabric call them through struct fab_check.
 *
 * They report only what the contract forbids, whatever the program's result is. Their state belongs
 * to one run, in ordinary memory. */

/* The detectors:
 *  - source: at the arrival of each part of a put its words are compared with those at the post;
 *    again when the origin learns that the put is locally complete. A change by the program after
 *    the bytes have arrived is not reported: it may know of the arrival from data that another unit
 *    has sent. Another schedule delivers them later. Buffers that messages and collectives read are
 *    compared when the program has completed these.
 *  - destination: from the post on it is filled with SIM_DETECT_FILL, and must still be when the
 *    result lands. A get lands as a whole, when its last part has been read: only a program that
 *    reads too early could distinguish words that land earlier. After an error the destination is
 *    restored.
 *  - range: an operation that is posted to, or arrives in, memory that its owner has freed.
 *  - leak: resources that a unit has made and not released when it ends.
 *  - owner: an access to a buffer of eyot/own.h by a unit that does not own it.
 *  - collective: two members of a team whose n-th collective functions differ in name, root or
 *    size. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_DETECT_H
#define EYOT_FABRIC_SIM_EXPLORE_DETECT_H

#include "fabric_sim/engine/world.h"
#include "fabric_sim/explore/detect_call.h"

#define SIM_DETECT_FILL 0xebu

struct sim_detect_ops;       /* detect_op.c */
struct sim_detect_ranges;    /* detect_range.c */
struct sim_detect_resources; /* detect_resources.c */
struct sim_detect_colls;     /* detect_coll.c */
struct sim_owners;           /* owners.c */
struct sim_detect_sources;   /* detect_source.c */

/* The detectors' state of one run. */
struct sim_detect {
  struct sim_detect_ops *ops;
  struct sim_detect_ranges *ranges;
  struct sim_detect_resources *resources;
  struct sim_detect_colls *colls;
  struct sim_owners *owners;
  struct sim_detect_sources *sources;
};

/* detect.c. NULL: out of memory. */
struct sim_detect *sim_detect_new(uint32_t n_units);
void sim_detect_delete(struct sim_detect *d); /* d may be NULL */

/* detect_op.c. The operation has been posted, its source copied. */
void sim_detect_post(struct sim_unit *u, struct sim_op *op);
/* The network reads the source now; called only where that is not at the post (order tso). */
void sim_detect_read(struct sim_world *w, struct sim_op *op);
/* The part arrives now. */
void sim_detect_arrive(struct sim_world *w, struct sim_op *op, uint32_t part);
/* The result of a get or an atomic lands now. */
void sim_detect_land(struct sim_world *w, struct sim_op *op);
/* The origin learns that the operation is locally complete. */
void sim_detect_known(struct sim_unit *u, struct sim_op *op);
void sim_detect_flushed(struct sim_unit *u, fab_set_t set, fab_unit_t unit);
struct sim_detect_ops *sim_detect_ops_new(void);
void sim_detect_ops_delete(struct sim_detect_ops *o);
/* Returns the number of requests of functions whose names end in _nb that the unit has not waited
 * for; *call is the first. */
uint32_t sim_detect_requests(struct sim_world *w, uint32_t unit, struct sim_detect_call *call);

/* detect_range.c. Memory of a unit was allocated or freed; the operation accesses freed memory. */
struct sim_detect_ranges *sim_detect_ranges_new(uint32_t n_units);
void sim_detect_ranges_delete(struct sim_detect_ranges *t);
void sim_detect_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive);
void sim_detect_freed(struct sim_world *w, const struct sim_op *op,
                      const struct sim_detect_call *by, bool arrives);

/* detect_resources.c. The unit has made or released a resource of that kind; the unit ends, or the
 * run does (since_begin: only resources made since eyot_check_begin count). */
struct sim_detect_resources *sim_detect_resources_new(uint32_t n_units);
void sim_detect_resources_delete(struct sim_detect_resources *t);
void sim_detect_resource(struct fab *f, const char *kind, uint64_t id, uint64_t bytes, bool made);
void sim_detect_end(struct sim_unit *u, bool since_begin);

/* detect_coll.c. */
struct sim_detect_colls *sim_detect_colls_new(void);
void sim_detect_colls_delete(struct sim_detect_colls *c);
void sim_detect_collective(struct fab *f, const struct fab_collective *c);

/* detect_source.c. What fab_check.source tells. */
struct sim_detect_sources *sim_detect_sources_new(void);
void sim_detect_sources_delete(struct sim_detect_sources *s);
void sim_detect_source(struct fab *f, uint64_t id, const void *p, uint64_t len);

/* detect_owner.c. What fab_check.owned tells; the unit's CPU accesses memory of the program. */
void sim_detect_owned(struct fab *f, const void *p, uint64_t len, enum fab_owned how);
void sim_detect_access(struct sim_unit *u, const void *p, uint64_t len, bool writes);
/* The unit has posted the operation in that call. */
void sim_detect_access_op(struct sim_unit *u, const struct sim_op *op,
                          const struct sim_detect_call *call);
#endif
