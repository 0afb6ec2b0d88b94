/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - types and functions shared by the files of the race detector (check/race); not for
 * others. race.h has the rules. */
#ifndef EYOT_CHECK_RACE_STATE_H
#define EYOT_CHECK_RACE_STATE_H

#include "check/race/clock.h"
#include "check/race/race.h"
#include "check/race/shadow.h"

#define CHK_NOT_RELEASED UINT32_MAX
#define CHK_NOBODY UINT32_MAX
/* As what an atomic access uses its word (struct chk_rec.use): an atomic by its width in bytes,
 * with CHK_USE_FLOATS for floating-point numbers. Accesses with uses that do not fit race with each
 * other unless both only read (word.c). */
#define CHK_USE_ANY 0u /* a wait: fits to all */
#define CHK_USE_SIGNAL 1u
#define CHK_USE_GET 2u /* whole words of a get: fits to signals only */
#define CHK_USE_FLOATS 0x80u
#define CHK_USE_MIXED 0xffu /* of several accesses with different uses */
#define CHK_EARLY_MAX 16u   /* items of early knowledge with one clock */
#define CHK_FLAGS_BYTES 192u

/* The origin of an access: one side of an operation, or the CPU. One record for all words of the
 * access; it counts the references to it. */
struct chk_rec {
  uint32_t refs, unit, target;
  /* of the event that posted it (of the last event before, if it is no event by itself) */
  uint32_t number;
  /* the access is known to units that know this event of `unit`; or CHK_NOT_RELEASED */
  uint32_t released;
  uint8_t kind;     /* enum chk_race_kind */
  bool source;      /* the access at its own unit: a put's source, a get's result */
  bool with_signal; /* early knowledge: its own signal covers it, or itself as one */
  bool orderable;   /* early knowledge: an order can cover it */
  /* an atomic whose own unit comes after it as bound.c says, not from `released` on; that has its
   * value when it is locally complete */
  bool nbi, fetched;
  uint8_t use;  /* of atomic accesses (word.c): as what they use the word */
  uint16_t set; /* of the operation */
  const void *site;
  uint64_t when, len;
};

/* -- early knowledge (early.c) --------------------------------------------------------- */

/* upto: all puts of unit to target, of the set or of CHK_RACE_SETS, with at most this number have
 * taken effect; else the one with this number has. */
struct chk_early_item {
  uint32_t unit, target;
  bool upto;
  uint16_t set;
  uint32_t number;
};
/* Never changed once made; NULL is the empty list. */
struct chk_early {
  uint32_t refs, n;
  /* sorted by unit, target, bounds before single ones, then set, then number */
  struct chk_early_item item[CHK_EARLY_MAX];
};

static inline struct chk_early *chk_early_share(struct chk_early *e) {
  if (e != NULL) e->refs++;
  return e;
}
void chk_early_drop(struct chk_race *r, struct chk_early *e);
/* Takes a reference to a, and returns one to the union of both. Leaves out what the clock `known`
 * of unit `self` (CHK_NOBODY: of no unit) says anyway. */
struct chk_early *chk_early_join(struct chk_race *r, struct chk_early *a, struct chk_early *b,
                                 const struct chk_node *known, uint32_t self);
struct chk_early *chk_early_add(struct chk_race *r, struct chk_early *a, struct chk_early_item item,
                                const struct chk_node *known);
bool chk_early_has(const struct chk_early *e, const struct chk_rec *rec);

/* -- units ------------------------------------------------------------------------------------- */

struct chk_bound {
  uint32_t target, number; /* target: may be CHK_RACE_ALL, of one set */
  uint16_t set;
};

/* Up to which event an order, or a flush, covers operations: for all targets and sets, and for
 * single ones, sorted. */
struct chk_bounds {
  uint32_t all, n, cap;
  struct chk_bound *at;
};

struct chk_unit {
  uint64_t token; /* of its clock */
  /* its knowledge of other units; of itself the unit knows all its events, whatever the clock
   * says */
  struct chk_node *clock;
  struct chk_early *early;
  uint32_t events; /* so far */
  uint32_t folded; /* the unit's own entry in the clock */
  uint32_t given;  /* events at its last posting: a later access of the CPU is another event */
  /* Number of puts under way, and the last event at which there were none: puts up to that number
   * are released by it. */
  uint32_t puts, quiet;
  struct chk_bounds orders, flushes[2]; /* flushes: by level; remote ones are in both */
  uint32_t returned; /* up to which of its events the unit has heard of itself from others */
  bool bounded;      /* a bound or `returned` has changed since its last atomic with `nbi` */
  bool unwaited;     /* it has had atomics with `nbi` since its last flush of everything */
  /* Early knowledge given up: puts up to this number that had a signal, or that an order followed,
   * are released by their own number. */
  uint32_t gave_up_signal, gave_up_order;
  /* by kind: records to use again while nothing has changed */
  struct chk_rec *last[CHK_RACE_WAIT + 1];
  struct chk_rec **unfenced; /* stores since the last full barrier */
  uint32_t n_unfenced, cap_unfenced;
  /* private memory that operations under way write, and read (buffer.c) */
  struct chk_buffer *results, *sources;
};

/* A clock to compare with. */
struct chk_stamp {
  uint32_t unit, events; /* CHK_NOBODY: the clock says it all */
  /* orders of unit for target that follow its puts up to this number, of all sets; of `set` */
  uint32_t target, upto, set_upto;
  uint16_t set;
  struct chk_node *clock;
  struct chk_early *early;
};

struct chk_race_op {
  struct chk_race_op *next, **link; /* the list of all operations under way */
  struct chk_at at;
  enum chk_race_kind kind;
  uint32_t era;
  struct chk_stamp posted;
  struct chk_rec *remote, *local; /* NULL: no access, or released already */
  struct chk_buffer *buffers;     /* private memory; NULL: none, or complete at its own side */
  bool data;                      /* it has had a remote record */
  bool nbi;                       /* an atomic that only a flush completes */
  /* an atomic that has taken effect, and whose value the unit will have */
  bool fetched;
  struct chk_node *seen; /* the knowledge that its value brings */
  struct chk_early *seen_early;
};

/* -- exchanges (exchange.c) ---------------------------------------------------------------- */

struct chk_meetings {
  struct chk_meeting **buckets;
  uint32_t n, n_buckets; /* a power of 2, or 0 */
};
void chk_meetings_clear(struct chk_race *r);
/* Marks the clocks that are alive. */
void chk_meetings_mark(struct chk_race *r);
/* race.c: frees the nodes that no clock uses, when that pays. */
void chk_race_collect(struct chk_race *r);

/* -- puts that may end waits (flag.c) ---------------------------------------------------------- */

/* Whether the bytes are an aligned word of 2, 4 or 8 bytes. */
static inline bool chk_race_is_word(struct chk_race_range bytes) {
  return (bytes.len == 2 || bytes.len == 4 || bytes.len == 8) && bytes.off % bytes.len == 0;
}
/* What the last put of each quarter of a word lets waiters know; freed with the word's clock. */
struct chk_flags;
void chk_flags_drop(struct chk_race *r, struct chk_flags *f);
void chk_flags_mark(struct chk_race *r, const struct chk_flags *f);
/* Forgets the puts of these bytes: a signal or an atomic has changed them. */
void chk_flags_hide(struct chk_race *r, struct chk_sync *s, struct chk_race_range bytes);

enum chk_class {
  CHK_PLAIN_WRITE = 0,
  CHK_PLAIN_READ,
  CHK_ATOMIC_WRITE,
  CHK_ATOMIC_READ,
  CHK_FLAG_WRITE, /* of an aligned put of 2, 4 or 8 bytes */
  CHK_WAIT_READ,
  CHK_CLASSES
};

/* -- racy bytes (racy.c) --------------------------------------------------------------- */

struct chk_racy {
  struct chk_race_range *at; /* sorted by unit, seg and offset; apart from each other */
  uint32_t n, cap;
};
bool chk_racy_has(const struct chk_race *r, struct chk_race_range bytes);
/* The bytes are freed or allocated. */
void chk_racy_forget(struct chk_race *r, struct chk_race_range bytes);

struct chk_race {
  uint32_t n, era; /* era: number of barriers so far */
  bool strict_stores, precise;
  struct chk_unit *units;
  struct chk_race_op *under_way;
  struct chk_clocks clocks;
  struct chk_shadow shadow;
  struct chk_pool recs, ops, states, earlies, flags, buffers;
  uint64_t n_buffers; /* made so far */
  bool restarted;
  struct chk_racy racy[2]; /* made before the first restart; since the last one */
  struct chk_meetings meetings;
  struct chk_race_report *reports;
  uint32_t n_reports, cap_reports;
  struct chk_race_report latest; /* the race that was found last; count 0: none */
  chk_race_found found;
  void *found_ctx;
};

static inline void chk_rec_drop(struct chk_race *r, struct chk_rec *rec) {
  if (rec != NULL && --rec->refs == 0) chk_pool_put(&r->recs, rec);
}
/* race.c: what a unit knows now; what the clock of a word says; the record of an access that is no
 * event by itself; makes an event of the unit and returns its number. */
struct chk_stamp chk_race_now(const struct chk_race *r, uint32_t unit);
struct chk_stamp chk_race_of_sync(const struct chk_sync *s);
struct chk_rec *chk_race_again(struct chk_race *r, struct chk_at at, const struct chk_rec *like);
void chk_race_learn(struct chk_race *r, struct chk_unit *u, struct chk_node *clock,
                    struct chk_early *early);
uint32_t chk_race_event(struct chk_unit *u);
/* -- bounds (bound.c) ------------------------------------------------------------------ */

/* For operations of the set, or of CHK_RACE_SETS, to target. */
uint32_t chk_bounds_get(const struct chk_bounds *b, uint16_t set, uint32_t target);
void chk_bounds_free(struct chk_bounds *b);
/* The unit posts an atomic: whether that must be an event of its own. */
bool chk_race_apart(struct chk_unit *u, bool nbi);
/* The unit has learned of its own events up to this number from others. */
void chk_race_returned(struct chk_unit *u, uint32_t number);
/* Whether an atomic with `nbi` is before what the clock of its own unit belongs to. */
bool chk_race_own_before(const struct chk_race *r, const struct chk_stamp *s,
                         const struct chk_rec *rec);

/* early.c: adds the orders of a stamp's unit. Takes a reference to `to` and returns one. */
struct chk_early *chk_early_orders(struct chk_race *r, struct chk_early *to, uint32_t unit,
                                   const struct chk_stamp *s, const struct chk_node *known);
static inline bool chk_stamp_is_ordered(const struct chk_stamp *s) {
  return s->upto != 0 || s->set_upto != 0;
}

/* race.c: the record of the operation's access at its own unit. */
struct chk_rec chk_race_own_side(const struct chk_race_op *op, uint64_t len);

/* -- buffers (buffer.c) ---------------------------------------------------------------- */

#define CHK_BUFFER_BYTES 96u /* size of a range in pool `buffers` */
/* The unit has seen the operation complete at its own side. */
void chk_race_buffers_done(struct chk_race *r, struct chk_race_op *op);

/* -- words (word.c) -------------------------------------------------------------------- */

extern const struct chk_shadow_ops chk_race_shadow_ops;
#define CHK_STATE_BYTES 112u /* size of a history in pool `states` */
/* Whether the access is before what the clock belongs to. */
bool chk_race_knows(const struct chk_race *r, const struct chk_stamp *s, const struct chk_rec *rec);
/* Record `rec` accesses the bytes now: compares it with the knowledge in `s`, and in `also` if not
 * NULL. */
void chk_race_touch(struct chk_race *r, struct chk_rec *rec, enum chk_class class,
                    struct chk_race_range bytes, const struct chk_stamp *s,
                    const struct chk_stamp *also);

/* -- reports (report.c) ---------------------------------------------------------------- */

struct chk_clash {
  const struct chk_rec *first, *second;
  enum chk_class first_class, second_class;
  struct chk_race_range bytes;
  uint64_t address; /* of private memory */
  uint32_t known;
};
/* False: the race is meant. */
bool chk_race_report(struct chk_race *r, const struct chk_clash *c);
#endif
