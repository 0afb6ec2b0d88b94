/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h - data races in global memory: two accesses to a byte, of which one writes and one is
 * not atomic, that nothing orders.
 *
 * Why it exists: a run shows one order of what happens; a missing flush does harm in another one.
 * This looks at what the fabric contract (fabric.h) promises instead of at what happened to be: it
 * finds the missing flush in a run in which all went well.
 *
 * An engine (the simulator, the schedule explorer) tells what units do and what their operations do
 * at the targets, in an order that really was: posted, taking effect, seen to be complete, seen by
 * a waiter. Nothing here calls the engine or draws conclusions from its time.
 *
 * The relation "before" (happens-before of the contract)
 *  1. What a unit does itself - post, see a completion, see a signal, load, store - is before what
 *     it does next.
 *  2. Posting is before the operation's effects. An effect is before what its unit does after it
 *     has *seen* the remote completion (of a get: any completion).
 *  3. The bytes of a put with signal are before the signal of that put. The effects of puts,
 *     signals and atomics of a unit at a target are before those of its later ones there if an
 *     order stands between the postings.
 *  4. A signal or atomic is before who sees its value: a waiter, and an atomic that fetches. A
 *     signal that sets hides the earlier ones of its word from those who see it; adding signals and
 *     atomics pass them on.
 *  5. A store by the CPU is before what others see only from the next full barrier (flush, atomic)
 *     of its unit on - if the engine asks for that.
 *  6. ec_race_barrier: all before it is before all after it.
 *  7. What a unit did before it entered an exchange is before what those do that have left it. An
 *     engine that tells of an exchange so does not tell of the operations it is made of.
 *
 * Nothing else is. While an operation is under way it races with whoever touches its bytes, the
 * unit that posted it not excepted.
 *
 * The method is FastTrack's (Flanagan and Freund, PLDI 2009, sections 3 and 4) with operations that
 * are not part of their unit's thread:
 *  - Each unit numbers its events: operations, completions, accesses of its CPU. Its clock holds
 *    for each unit up to which event it has learned of it.
 *  - A word remembers its accesses that could still race, each as a record of the operation that
 *    made it. The record says from which event of its unit on it is *released*: who has learned of
 *    that event comes after the access. An operation under way is not released; seeing it complete
 *    is an event, and releases it.
 *  - A signal carries its unit's clock as it was at posting and beside it what is known early
 *    (early.c): "operation k of u", for a put's own bytes, and "operations of u to t up to
 *    k", for an order. Early knowledge goes along with clocks, and counts for records that are not
 *    released.
 *  - A new access is compared with the remembered ones as seen from its post (the CPU's: from now).
 *    Then it replaces those that it makes superfluous: a plain write all, others those before it
 *    whose every conflict it has as well.
 *
 * No false report. Claim: if access a is before the post (or moment) of access b by 1-6, then a's
 * record counts as known in the clock b is compared with. By induction over the steps from a to b.
 * What leads out of the effect a of a put or get is only: its completion seen by u (2), an event
 * whose number all later clocks of u have, and the record is released by that number; its own
 * signal (3), which carries "operation k"; an order and a later operation of u there (3), compared
 * with the order's bound, and carrying that bound on where it signals or is seen complete. (The
 * source of a put is read before its bytes arrive, and is told of with them.) Loads and stores are
 * released by their own number (stores at the barrier of 5), which later clocks of u have. Signals
 * and atomics are released by the number of their unit at posting, which their own clock has. From
 * there on (1, 4) clocks and early knowledge are only joined, and both only grow, except that early
 * knowledge is dropped where it is not needed: when the clock has learned that all operations up to
 * k are released, and when it becomes too much; then the records concerned become released by the
 * number of their posting, which everybody who held the knowledge has learned of. Hence what is not
 * known is not before, and is reported rightly. Every simplification errs to the other side.
 *
 * What is missed: of several races on a word those after the first; a race of an access that was
 * replaced after having raced; accesses of operations still under way at ec_race_barrier; a plain
 * access to a signal's or atomic's own word by who has learned of anything its unit did after
 * posting it; what early knowledge above EC_EARLY_MAX items of a clock would have told; gets of one
 * unit under way from a word beyond the fourth.
 *
 * Memory: from snapshot/mem.h; panics when there is none. Thread rule: one thread. */
#ifndef EYOT_CHECK_RACE_RACE_H
#define EYOT_CHECK_RACE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- words ------------------------------------------------------------------------------------- */

/* 8 aligned bytes of global memory. Neighbours have neighbouring ids. */
typedef uint64_t ec_word_t;
#define EC_WORD_OFF_BITS 38u
#define EC_WORD_SEG_BITS 7u
#define EC_WORD_SEG_ATTACHED ((1u << EC_WORD_SEG_BITS) - 1) /* stands for FAB_SEG_ATTACHED */

static inline ec_word_t ec_word(uint32_t unit, uint32_t seg, uint64_t off_bytes) {
  return ((uint64_t)unit << EC_WORD_SEG_BITS | seg) << EC_WORD_OFF_BITS |
         (off_bytes / 8 & ((UINT64_C(1) << EC_WORD_OFF_BITS) - 1));
}
static inline uint32_t ec_word_unit(ec_word_t w) {
  return (uint32_t)(w >> (EC_WORD_OFF_BITS + EC_WORD_SEG_BITS));
}
static inline uint32_t ec_word_seg(ec_word_t w) {
  return (uint32_t)(w >> EC_WORD_OFF_BITS) & EC_WORD_SEG_ATTACHED;
}
static inline uint64_t ec_word_off(ec_word_t w) {
  return (w & ((UINT64_C(1) << EC_WORD_OFF_BITS) - 1)) * 8;
}

/* Bytes of one unit's part of one segment. */
struct ec_range {
  uint32_t unit, seg;
  uint64_t off, len; /* bytes */
};

/* -- who does what ----------------------------------------------------------------------------- */

enum ec_race_kind {
  EC_RACE_PUT = 0,
  EC_RACE_GET,
  EC_RACE_AMO,
  EC_RACE_SIGNAL,
  EC_RACE_LOAD,
  EC_RACE_STORE,
  EC_RACE_WAIT
};

/* A unit at a place of the program. site and when are the engine's: the first tells reports apart,
 * both are handed back in them. Signals, atomics, waits, loads or stores of one unit at one site
 * with nothing between them that others could tell apart are one to the detector: `when` is the
 * first one's. */
struct ec_at {
  uint32_t unit;
  const void *site;
  uint64_t when;
};

struct ec_race; /* the detector */
/* an operation under way: from ec_race_posted to ec_race_completed(EC_RACE_REMOTE) */
struct ec_race_op;

/* units >= 1. strict_stores: rule 5; else a store is ordered like a load. */
struct ec_race *ec_race_new(uint32_t units, bool strict_stores);
void ec_race_destroy(struct ec_race *r);
/* A new run begins: forgets everything but the reports. Operations under way are gone. */
void ec_race_restart(struct ec_race *r);

/* -- operations -------------------------------------------------------------------------------- */

/* at.unit posts an operation to `target`: EC_RACE_PUT, EC_RACE_GET, EC_RACE_AMO, or EC_RACE_SIGNAL
 * (a signal, without or with bytes: len_bytes). */
struct ec_race_op *ec_race_posted(struct ec_race *r, struct ec_at at, enum ec_race_kind kind,
                                  uint32_t target, uint64_t len_bytes);
/* Bytes of the target that a put (a signal's put) has now written or a get has read; any number of
 * pieces, in any order. */
void ec_race_applied(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes);
/* The same for what a get has read of whole, aligned 4-byte words, where signals and atomics do not
 * tear words: no race with those. */
void ec_race_applied_words(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes);
/* Global memory of the unit itself that a put has read as its source, or a get has written as its
 * result. Not for memory that nobody else can reach. Ends with local completion, of a put, too. */
void ec_race_local(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes);
/* The signal has changed its word; adds: FAB_SIG_ADD. After all bytes of its put. */
void ec_race_signalled(struct ec_race *r, struct ec_race_op *op, ec_word_t word, bool adds);
/* The atomic has taken place on the 8 or 4 bytes. fetched: its unit will have the value. wrote: not
 * a read, and not a compare-and-swap that failed. */
void ec_race_atomic(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes, bool fetched,
                    bool wrote);
enum ec_race_level { EC_RACE_LOCAL = 0, EC_RACE_REMOTE = 1, EC_RACE_BUFFERED = 2 };
/* The unit has learned (req_wait, a test that says done, flush) that op is complete. Local may be
 * left out. After EC_RACE_REMOTE op is gone. EC_RACE_BUFFERED: the same, but its signal will act
 * only later (it is in a store buffer); EC_RACE_REMOTE comes after that. */
void ec_race_completed(struct ec_race *r, struct ec_race_op *op, enum ec_race_level level);
/* Whether anybody learns anything from op's completion, now that all it does has been told. */
bool ec_race_matters(const struct ec_race_op *op);

/* -- what units do themselves ------------------------------------------------------------------ */

#define EC_RACE_ALL UINT32_MAX
/* unit calls order for target, or EC_RACE_ALL. */
void ec_race_ordered(struct ec_race *r, uint32_t unit, uint32_t target);
/* flush(FAB_REMOTE): a full barrier, beside the completions it brings, which are told one by one
 * and before. Atomics are one by themselves, at posting. */
void ec_race_fenced(struct ec_race *r, uint32_t unit);
/* wait_mem, wait_any or a test has seen a value of the word and goes by it. */
void ec_race_saw(struct ec_race *r, struct ec_at at, ec_word_t word);
/* Loads and stores by the CPU of at.unit, whose segment part it may be or not. */
void ec_race_load(struct ec_race *r, struct ec_at at, struct ec_range bytes);
void ec_race_store(struct ec_race *r, struct ec_at at, struct ec_range bytes);

/* -- memory, and everybody --------------------------------------------------------------------- */

/* The bytes are freed, or allocated: what was before has no meaning for them. Costs a step per 4
 * KiB, or per page known if that is less. An operation that is still under way there is not
 * forgotten: it does harm to whoever has the memory next. */
void ec_race_forget(struct ec_race *r, struct ec_range bytes);
/* Rule 6, for all units (a segment is created or destroyed, a check begins). */
void ec_race_barrier(struct ec_race *r);

/* Rule 7: the seq-th exchange of `members` units that have this key in common, and with nobody
 * else. A unit enters the next one of a key after it has left the last; who leaves does so after
 * all have entered. */
struct ec_race_exchange {
  uint64_t key[2];
  uint64_t seq;
  uint32_t members;
};
void ec_race_enters(struct ec_race *r, uint32_t unit, const struct ec_race_exchange *x);
void ec_race_leaves(struct ec_race *r, uint32_t unit, const struct ec_race_exchange *x);

/* -- reports ----------------------------------------------------------------------------------- */

enum ec_race_state {
  EC_RACE_UNDER_WAY = 0, /* posted, not seen complete by its unit */
  EC_RACE_RELEASED       /* its unit has seen it complete; or the CPU did it itself, at once */
};

struct ec_race_access {
  struct ec_at at; /* when: of posting */
  enum ec_race_kind kind;
  bool source;      /* the side at its own unit: a put's source, a get's result */
  bool with_signal; /* a put's bytes */
  bool write, atomic;
  uint32_t target;
  uint64_t len_bytes; /* of the operation */
  uint32_t number;    /* among the events of its unit */
  enum ec_race_state state;
  uint32_t released; /* the event of its unit that released it, if it is */
};

/* The first access had taken effect when the second did. */
struct ec_race_report {
  struct ec_race_access first, second;
  struct ec_range bytes; /* those of both; of the first word found */
  /* up to which event of first.at.unit second.at.unit had learned when it posted (or did) the
   * second */
  uint32_t known;
  uint64_t count; /* how often the two sites and kinds have met */
};

/* Reports are one for each pair of sites and kinds. found: called at each race, a new one or (count
 * > 1) not; may be NULL. */
typedef void (*ec_race_found)(void *ctx, const struct ec_race_report *report);
void ec_race_listen(struct ec_race *r, ec_race_found found, void *ctx);
uint32_t ec_race_reports(const struct ec_race *r, const struct ec_race_report **reports);
/* The report in sentences, sites and times left out (the engine knows their names); as snprintf. */
int ec_race_text(const struct ec_race_report *report, char *buf, size_t size);
#endif
