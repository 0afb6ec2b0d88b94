/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - what the files of the race detector share. The rules are in race.h. */
#ifndef EYOT_CHECK_RACE_STATE_H
#define EYOT_CHECK_RACE_STATE_H

#include "check/race/clock.h"
#include "check/race/race.h"
#include "check/race/shadow.h"

#define EC_NOT_RELEASED UINT32_MAX
#define EC_NOBODY UINT32_MAX
#define EC_EARLY_MAX 16u /* items a clock has beside it */

/* Who made an access: an operation's side, or the CPU. One for all its words; counted by who points
 * to it. */
struct ec_rec {
  uint32_t refs, unit, target;
  /* of the event that posted it (of the last one before, for what is no event by itself) */
  uint32_t number;
  uint32_t released; /* known to whoever knows this event of unit; EC_NOT_RELEASED */
  uint8_t kind;      /* enum ec_race_kind */
  bool source;       /* the side at its own unit */
  bool with_signal;  /* early knowledge: its own signal tells of it */
  bool orderable;    /* early knowledge: an order may tell of it */
  const void *site;
  uint64_t when, len;
};

/* -- early knowledge (early.c) --------------------------------------------------------- */

/* upto: all puts of unit to target with at most this number have taken effect; else the one with
 * this number has. */
struct ec_early_item {
  uint32_t unit, target;
  bool upto;
  uint32_t number;
};
/* Never changed once made; NULL is none. */
struct ec_early {
  uint32_t refs, n;
  /* by unit, target, then the bound before the single ones, then number */
  struct ec_early_item item[EC_EARLY_MAX];
};

static inline struct ec_early *ec_early_share(struct ec_early *e) {
  if (e != NULL) e->refs++;
  return e;
}
void ec_early_drop(struct ec_race *r, struct ec_early *e);
/* Takes a reference to a, returns one to both together. What the clock `known` of unit `self`
 * (EC_NOBODY: of nobody) says anyway is left out. */
struct ec_early *ec_early_join(struct ec_race *r, struct ec_early *a, struct ec_early *b,
                               const struct ec_node *known, uint32_t self);
struct ec_early *ec_early_add(struct ec_race *r, struct ec_early *a, struct ec_early_item item,
                              const struct ec_node *known);
bool ec_early_has(const struct ec_early *e, const struct ec_rec *rec);

/* -- units ------------------------------------------------------------------------------------- */

struct ec_bound {
  uint32_t target, number;
};

struct ec_unit {
  uint64_t token; /* of its clock */
  /* what it knows of others; of itself it knows all its events, whatever this says */
  struct ec_node *clock;
  struct ec_early *early;
  uint32_t events; /* so far */
  uint32_t folded; /* what clock says of the unit itself */
  uint32_t given;  /* events when it last posted: an access of the CPU after it is another event */
  /* Puts under way, and when there last were none: those up to this number are released, by this
   * number. */
  uint32_t puts, quiet;
  /* Orders: the last one for all targets, and for single ones, sorted. */
  uint32_t order_all, n_orders, cap_orders;
  struct ec_bound *orders;
  /* Early knowledge given up: puts up to here that had a signal, or had an order behind them, are
   * released by their own number. */
  uint32_t gave_up_signal, gave_up_order;
  /* records to use again while nothing has changed; by kind */
  struct ec_rec *last[EC_RACE_WAIT + 1];
  struct ec_rec **unfenced; /* stores since the last full barrier */
  uint32_t n_unfenced, cap_unfenced;
};

/* A clock to compare with. */
struct ec_stamp {
  uint32_t unit, events; /* EC_NOBODY: clock says it all */
  uint32_t target, upto; /* an order of unit for target, behind its puts up to this number */
  struct ec_node *clock;
  struct ec_early *early;
};

struct ec_race_op {
  struct ec_race_op *next, **link; /* among all of the detector */
  struct ec_at at;
  enum ec_race_kind kind;
  uint32_t era;
  struct ec_stamp posted;
  struct ec_rec *remote, *local; /* NULL: nothing, or released already */
  bool data;                     /* there was a remote one */
  /* an atomic that has taken place, and whose value the unit will have */
  bool fetched;
  struct ec_node *seen; /* what that brings */
  struct ec_early *seen_early;
};

/* -- exchanges (exchange.c) ---------------------------------------------------------------- */

struct ec_meetings {
  struct ec_meeting **buckets;
  uint32_t n, n_buckets; /* a power of 2, or 0 */
};
void ec_meetings_clear(struct ec_race *r);
/* The clocks that are alive. */
void ec_meetings_mark(struct ec_race *r);
/* Gives back what no clock needs any more, when that pays. */
void ec_race_collect(struct ec_race *r);

enum ec_class { EC_PLAIN_WRITE = 0, EC_PLAIN_READ, EC_ATOMIC_WRITE, EC_ATOMIC_READ, EC_CLASSES };

struct ec_race {
  uint32_t n, era; /* era: barriers so far */
  bool strict_stores;
  struct ec_unit *units;
  struct ec_race_op *under_way;
  struct ec_clocks clocks;
  struct ec_shadow shadow;
  struct ec_pool recs, ops, states, earlies;
  struct ec_meetings meetings;
  struct ec_race_report *reports;
  uint32_t n_reports, cap_reports;
  ec_race_found found;
  void *found_ctx;
};

static inline void ec_rec_drop(struct ec_race *r, struct ec_rec *rec) {
  if (rec != NULL && --rec->refs == 0) ec_pool_put(&r->recs, rec);
}
/* The number up to which puts of unit to target have an order behind them. */
uint32_t ec_race_order_of(const struct ec_race *r, uint32_t unit, uint32_t target);

/* -- words (word.c) -------------------------------------------------------------------- */

extern const struct ec_shadow_ops ec_race_shadow_ops;
#define EC_STATE_BYTES 96u /* a history in pool `states` */
/* rec accesses the bytes now, compared with what `s` knows, and `also` if not NULL. */
void ec_race_touch(struct ec_race *r, struct ec_rec *rec, enum ec_class class,
                   struct ec_range bytes, const struct ec_stamp *s, const struct ec_stamp *also);

/* -- reports (report.c) ---------------------------------------------------------------- */

struct ec_clash {
  const struct ec_rec *first, *second;
  enum ec_class first_class, second_class;
  ec_word_t word;
  uint8_t mask;
  uint32_t known;
};
void ec_race_report(struct ec_race *r, const struct ec_clash *c);
#endif
