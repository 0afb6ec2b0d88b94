/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - types and functions that the files of the fake fabric share; not for tests. */
#ifndef EYOT_FAKE_INT_H
#define EYOT_FAKE_INT_H

#include <stddef.h>

#include "fabric_sim/exec/fcontext.h"
#include "fake/fake.h"
#include "rt/rt.h"

#define FAKE_STACK_BYTES (256u * 1024u)
/* puts and gets up to this many words move in any order, longer ones from both ends */
#define FAKE_MASK_WORDS 64u
#define FAKE_REQS_MAX 65536u
#define FAKE_RANGES_MAX 1024u
/* fake_unit.arg_kind: arg points to arg_value conditions */
#define FAKE_ARG_WORDS (UINT32_MAX - 1)

enum fake_kind { FAKE_PUT = 0, FAKE_GET, FAKE_AMO, FAKE_SIG };

/* An operation, from its post until it has taken effect and its request was retired. */
struct fake_op {
  enum fake_kind kind;
  uint32_t origin, target;
  uint64_t seq;   /* position in the order of all posts */
  uint32_t epoch; /* orders of the origin to the target before it */
  fab_set_t set;
  uint64_t after; /* operations of its set to its target posted before this one come before it */
  fab_seg_t seg;  /* of the bytes, or of the atomic */
  uint64_t off, len;
  unsigned char *local; /* source or destination at the origin */
  unsigned char *buf;   /* the bytes under way */
  bool sourced;         /* put: the source has been read */
  /* get: all bytes were read; atomic: it was executed; put: all bytes are visible */
  bool acted;
  bool done; /* no step is left */
  /* the origin saw "remotely complete" while the put was in the store buffer */
  bool released;
  bool has_req;
  bool slow;           /* chosen so that others overtake it */
  uint64_t rel_seq;    /* operations posted from this one on must not pass it, if released */
  uint64_t mask;       /* words left to move, of at most FAKE_MASK_WORDS */
  uint64_t head, tail; /* bytes moved from either end, of longer ones */
  struct fab_amo amo;
  uint64_t old;
  uint64_t *old_to;
  struct fab_sig sig;
  int err;
  const void *by; /* the thread that has posted it */
};

struct fake_slot {
  struct fake_op *op; /* NULL: free */
  uint32_t gen;
};

/* The last order of a set alone for a target. */
struct fake_set_order {
  fab_set_t set;
  uint32_t target;
  uint64_t seq; /* of the next operation then */
};

struct fake_error {
  fab_unit_t unit;
  fab_set_t set;
  bool result; /* of an operation with a result */
  int err;
};

struct fake_range {
  uint64_t key, len;
  char *addr;
  bool live;
};

struct fake_world;

struct fake_unit {
  struct fab fab; /* first: an endpoint is its unit */
  struct fake_world *w;
  struct eyot_rt rt;
  sim_fcontext_t ctx; /* in which it resumes */
  char *stack;
  void *asan; /* the sanitizer's view of the stack while switched away */
  bool finished, closed;
  /* The condition that it waits for: runnable if ready is NULL or true, or the deadline has
   * come. */
  bool (*ready)(struct fake_unit *u);
  const char *why;
  uint64_t deadline;
  const void *arg;
  uint64_t arg_value;
  uint32_t arg_kind;
  bool deaf; /* FAKE_MISSED_WAKE */
  uint32_t inflight;
  uint32_t n_slots;
  struct fake_slot *slots;
  uint32_t *epoch; /* by target */
  struct fake_set_order *set_orders;
  uint32_t n_set_orders;
  struct fake_error *errors; /* of operations without request, which no flush has reported */
  uint32_t n_errors;
  uint32_t n_ranges;
  struct fake_range *ranges;
  uint64_t next_key;
  uint64_t secured;       /* bytes */
  struct fake_away *away; /* another thread that calls for it now (thread.c), or NULL */
  const void *flusher;    /* the thread that flushes */
};

struct fake_seg {
  char *base;
  uint64_t len, stride, bytes;
  char *secured; /* a byte for each page of all parts; NULL: all pages are usable */
};

struct fake_world {
  struct fake_opts o;
  struct fab_ops ops;
  uint64_t rng;
  struct fake_unit *units;
  sim_fcontext_t main_ctx; /* valid while a unit runs */
  void *main_asan;
  const void *main_low;
  size_t main_bytes;
  struct fake_unit *running;
  void (*unit_main)(struct fab *f, void *arg);
  void *arg;
  struct eyoti_proc *proc;
  struct fake_op **pending; /* in the order of posting */
  uint32_t n_pending, cap_pending;
  uint64_t next_seq;
  uint64_t steps, clock_ns, calls;
  uint32_t mood; /* of 8 steps so many deliver; changes, so that there are busy and idle times */
  uint32_t live;
  struct fake_seg segs[FAB_SEG_MAX];
  fab_seg_t data; /* the segment of the program's data, if it has_data */
  bool has_data;
  /* the collective in progress */
  uint32_t arrived;
  uint64_t coll_gen, coll_value;
  int coll_rc;
  fab_seg_t coll_seg;
  bool coll_reserve;
  bool down;                   /* after a deadlock: all calls fail */
  bool over;                   /* abort was called */
  struct fake_world *previous; /* abandoned */
  int abort_code;
};

/* alloc.c: allocation that no test can make fail, and counting of the units' own. */
void *fake_alloc(size_t bytes); /* zeroed; ends the process when memory is out */
void *fake_grow(void *p, size_t bytes);
void fake_alloc_units(bool on, uint64_t fail_after, bool fresh);
uint64_t fake_alloc_units_count(void);

/* sched.c */
uint64_t fake_random(struct fake_world *w);
static inline bool fake_chance(struct fake_world *w, uint32_t of8) {
  return fake_random(w) % 8 < of8;
}
void fake_unit_start(struct fake_unit *u);
void fake_stack_free(char *stack);
/* The unit may be switched (posting calls), or must be (polling calls). */
void fake_offer(struct fake_unit *u);
void fake_yield(struct fake_unit *u);
/* Waits until ready(u) or the deadline; EYOT_EPEERDOWN when the run has failed meanwhile. */
int fake_park(struct fake_unit *u, bool (*ready)(struct fake_unit *u), uint64_t deadline,
              const char *why);
int fake_schedule(struct fake_world *w);
void fake_leave(struct fake_unit *u); /* to the other units; what it waits for is set */
void fake_say(struct fake_world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* thread.c: true if the caller is another thread of the unit; it may go on again. */
bool fake_thread_waits(struct fake_unit *u);

/* deliver.c */
void fake_post(struct fake_world *w, struct fake_op *op);
bool fake_deliver_any(struct fake_world *w, bool must); /* must: no other event is possible */
/* all its steps, after those of operations that must precede it */
void fake_complete(struct fake_world *w, struct fake_op *op);
void fake_op_free(struct fake_op *op);
void fake_drain(struct fake_unit *u); /* empties the store buffer */
/* The address of [off, +len) of the target, or NULL. */
char *fake_resolve(struct fake_world *w, uint32_t unit, fab_seg_t seg, uint64_t off, uint64_t len);
bool fake_same_node(const struct fake_world *w, uint32_t a, uint32_t b);
uint32_t fake_node_units(const struct fake_world *w);

/* ops.c: posting, completion, waiting. */
/* counts the call; returns the injected failure, or EYOT_EPEERDOWN after a deadlock */
int fake_enter(struct fake_unit *u);
int fake_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req);
int fake_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req);
int fake_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
             fab_req_t *req);
int fake_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                    const struct fab_sig *sig, fab_req_t *req);
int fake_check(struct fake_unit *u, struct fab_addr a, uint64_t len);

/* wait.c */
int fake_req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done);
int fake_req_wait(struct fab *f, fab_req_t req, enum fab_level level);
int fake_flush(struct fab *f, fab_unit_t unit, enum fab_level level);
int fake_order(struct fab *f, fab_unit_t unit);
int fake_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns, uint64_t *seen);
int fake_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                  uint32_t *index, uint32_t *held);
/* The operation, without request, is over: its error waits for a flush. */
void fake_keep_error(struct fake_unit *u, const struct fake_op *op);
/* A put has written these bytes of the unit. */
void fake_wrote(struct fake_unit *u, const char *at, uint64_t len);

/* seg.c */
int fake_collective(struct fake_unit *u, uint64_t value, int (*act)(struct fake_world *w),
                    const char *why);
void fake_seg_unmap(struct fake_seg *s);
int fake_seg_create(struct fab *f, uint64_t len, fab_seg_t *seg);
int fake_seg_reserve(struct fab *f, uint64_t len, uint64_t promised, uint64_t *front,
                     fab_seg_t *seg);
int fake_seg_reach(struct fab *f, uint64_t want, uint64_t *len);
int fake_seg_secure(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len);
int fake_seg_return(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len);
int fake_seg_available(struct fab *f, uint64_t *len);
int fake_seg_data(struct fab *f, struct fab_data *data);
bool fake_seg_data_known(const struct fab *f, struct fab_data *data);
int fake_seg_destroy(struct fab *f, fab_seg_t seg);
int fake_seg_ptr(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr);
int fake_seg_map(struct fab *f, fab_seg_t seg, char **base, uint64_t *stride);
int fake_seg_common(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr);
bool fake_seg_find(struct fab *f, fab_seg_t seg, const void *p, uint64_t len, fab_unit_t *unit,
                   uint64_t *off);
int fake_attach(struct fab *f, void *addr, uint64_t len, uint64_t *key);
int fake_detach(struct fab *f, uint64_t key);

static inline struct fake_unit *fake_of(struct fab *f) {
  return (struct fake_unit *)f;
}
#endif
