/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - what the files of the race detector share. The rules are in race.h. */
#ifndef EYOT_CHECK_RACE_STATE_H
#define EYOT_CHECK_RACE_STATE_H

#include "check/race/clock.h"
#include "check/race/race.h"
#include "check/race/shadow.h"

#define CHK_NOT_RELEASED UINT32_MAX
#define CHK_NOBODY UINT32_MAX
#define CHK_EARLY_MAX 16u /* items a clock has beside it */

/* Who made an access: an operation's side, or the CPU. One for all its words; counted by who points
 * to it. */
struct chk_rec {
  uint32_t refs, unit, target;
  /* of the event that posted it (of the last one before, for what is no event by itself) */
  uint32_t number;
  uint32_t released; /* known to whoever knows this event of unit; CHK_NOT_RELEASED */
  uint8_t kind;      /* enum chk_race_kind */
  bool source;       /* the side at its own unit */
  bool with_signal;  /* early knowledge: its own signal tells of it */
  bool orderable;    /* early knowledge: an order may tell of it */
  const void *site;
  uint64_t when, len;
};

/* -- early knowledge (early.c) --------------------------------------------------------- */

/* upto: all puts of unit to target with at most this number have taken effect; else the one with
 * this number has. */
struct chk_early_item {
  uint32_t unit, target;
  bool upto;
  uint32_t number;
};
/* Never changed once made; NULL is none. */
struct chk_early {
  uint32_t refs, n;
  /* by unit, target, then the bound before the single ones, then number */
  struct chk_early_item item[CHK_EARLY_MAX];
};

static inline struct chk_early *chk_early_share(struct chk_early *e) {
  if (e != NULL) e->refs++;
  return e;
}
void chk_early_drop(struct chk_race *r, struct chk_early *e);
/* Takes a reference to a, returns one to both together. What the clock `known` of unit `self`
 * (CHK_NOBODY: of nobody) says anyway is left out. */
struct chk_early *chk_early_join(struct chk_race *r, struct chk_early *a, struct chk_early *b,
                                 const struct chk_node *known, uint32_t self);
struct chk_early *chk_early_add(struct chk_race *r, struct chk_early *a, struct chk_early_item item,
                                const struct chk_node *known);
bool chk_early_has(const struct chk_early *e, const struct chk_rec *rec);

/* -- units ------------------------------------------------------------------------------------- */

struct chk_bound {
  uint32_t target, number;
};

struct chk_unit {
  uint64_t token; /* of its clock */
  /* what it knows of others; of itself it knows all its events, whatever this says */
  struct chk_node *clock;
  struct chk_early *early;
  uint32_t events; /* so far */
  uint32_t folded; /* what clock says of the unit itself */
  uint32_t given;  /* events when it last posted: an access of the CPU after it is another event */
  /* Puts under way, and when there last were none: those up to this number are released, by this
   * number. */
  uint32_t puts, quiet;
  /* Orders: the last one for all targets, and for single ones, sorted. */
  uint32_t order_all, n_orders, cap_orders;
  struct chk_bound *orders;
  /* Early knowledge given up: puts up to here that had a signal, or had an order behind them, are
   * released by their own number. */
  uint32_t gave_up_signal, gave_up_order;
  /* records to use again while nothing has changed; by kind */
  struct chk_rec *last[CHK_RACE_WAIT + 1];
  struct chk_rec **unfenced; /* stores since the last full barrier */
  uint32_t n_unfenced, cap_unfenced;
};

/* A clock to compare with. */
struct chk_stamp {
  uint32_t unit, events; /* CHK_NOBODY: clock says it all */
  uint32_t target, upto; /* an order of unit for target, behind its puts up to this number */
  struct chk_node *clock;
  struct chk_early *early;
};

struct chk_race_op {
  struct chk_race_op *next, **link; /* among all of the detector */
  struct chk_at at;
  enum chk_race_kind kind;
  uint32_t era;
  struct chk_stamp posted;
  struct chk_rec *remote, *local; /* NULL: nothing, or released already */
  bool data;                      /* there was a remote one */
  /* an atomic that has taken place, and whose value the unit will have */
  bool fetched;
  struct chk_node *seen; /* what that brings */
  struct chk_early *seen_early;
};

/* -- exchanges (exchange.c) ---------------------------------------------------------------- */

struct chk_meetings {
  struct chk_meeting **buckets;
  uint32_t n, n_buckets; /* a power of 2, or 0 */
};
void chk_meetings_clear(struct chk_race *r);
/* The clocks that are alive. */
void chk_meetings_mark(struct chk_race *r);
/* Gives back what no clock needs any more, when that pays. */
void chk_race_collect(struct chk_race *r);

enum chk_class {
  CHK_PLAIN_WRITE = 0,
  CHK_PLAIN_READ,
  CHK_ATOMIC_WRITE,
  CHK_ATOMIC_READ,
  CHK_CLASSES
};

struct chk_race {
  uint32_t n, era; /* era: barriers so far */
  bool strict_stores;
  struct chk_unit *units;
  struct chk_race_op *under_way;
  struct chk_clocks clocks;
  struct chk_shadow shadow;
  struct chk_pool recs, ops, states, earlies;
  struct chk_meetings meetings;
  struct chk_race_report *reports;
  uint32_t n_reports, cap_reports;
  chk_race_found found;
  void *found_ctx;
};

static inline void chk_rec_drop(struct chk_race *r, struct chk_rec *rec) {
  if (rec != NULL && --rec->refs == 0) chk_pool_put(&r->recs, rec);
}
/* The number up to which puts of unit to target have an order behind them. */
uint32_t chk_race_order_of(const struct chk_race *r, uint32_t unit, uint32_t target);

/* -- words (word.c) -------------------------------------------------------------------- */

extern const struct chk_shadow_ops chk_race_shadow_ops;
#define CHK_STATE_BYTES 96u /* a history in pool `states` */
/* rec accesses the bytes now, compared with what `s` knows, and `also` if not NULL. */
void chk_race_touch(struct chk_race *r, struct chk_rec *rec, enum chk_class class,
                    struct chk_race_range bytes, const struct chk_stamp *s,
                    const struct chk_stamp *also);

/* -- reports (report.c) ---------------------------------------------------------------- */

struct chk_clash {
  const struct chk_rec *first, *second;
  enum chk_class first_class, second_class;
  chk_word_t word;
  uint8_t mask;
  uint32_t known;
};
void chk_race_report(struct chk_race *r, const struct chk_clash *c);
#endif
