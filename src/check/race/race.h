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
 *  6. chk_race_barrier: all before it is before all after it.
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
 * replaced after having raced; accesses of operations still under way at chk_race_barrier; a plain
 * access to a signal's or atomic's own word by who has learned of anything its unit did after
 * posting it; what early knowledge above CHK_EARLY_MAX items of a clock would have told; gets of
 * one unit under way from a word beyond the fourth.
 *
 * Memory: from snapshot/mem.h; panics when there is none. Thread rule: one thread. */
#ifndef EYOT_CHECK_RACE_RACE_H
#define EYOT_CHECK_RACE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- words ------------------------------------------------------------------------------------- */

/* 8 aligned bytes of global memory. Neighbors have neighboring ids. */
typedef uint64_t chk_word_t;
#define CHK_WORD_OFF_BITS 38u
#define CHK_WORD_SEG_BITS 7u
#define CHK_WORD_SEG_ATTACHED ((1u << CHK_WORD_SEG_BITS) - 1) /* stands for FAB_SEG_ATTACHED */

static inline chk_word_t chk_word(uint32_t unit, uint32_t seg, uint64_t off_bytes) {
  return ((uint64_t)unit << CHK_WORD_SEG_BITS | seg) << CHK_WORD_OFF_BITS |
         (off_bytes / 8 & ((UINT64_C(1) << CHK_WORD_OFF_BITS) - 1));
}
static inline uint32_t chk_word_unit(chk_word_t w) {
  return (uint32_t)(w >> (CHK_WORD_OFF_BITS + CHK_WORD_SEG_BITS));
}
static inline uint32_t chk_word_seg(chk_word_t w) {
  return (uint32_t)(w >> CHK_WORD_OFF_BITS) & CHK_WORD_SEG_ATTACHED;
}
static inline uint64_t chk_word_off(chk_word_t w) {
  return (w & ((UINT64_C(1) << CHK_WORD_OFF_BITS) - 1)) * 8;
}

/* Bytes of one unit's part of one segment. */
struct chk_race_range {
  uint32_t unit, seg;
  uint64_t off, len; /* bytes */
};

/* -- who does what ----------------------------------------------------------------------------- */

enum chk_race_kind {
  CHK_RACE_PUT = 0,
  CHK_RACE_GET,
  CHK_RACE_AMO,
  CHK_RACE_SIGNAL,
  CHK_RACE_LOAD,
  CHK_RACE_STORE,
  CHK_RACE_WAIT
};

/* A unit at a place of the program. site and when are the engine's: the first tells reports apart,
 * both are handed back in them. Signals, atomics, waits, loads or stores of one unit at one site
 * with nothing between them that others could tell apart are one to the detector: `when` is the
 * first one's. */
struct chk_at {
  uint32_t unit;
  const void *site;
  uint64_t when;
};

struct chk_race; /* the detector */
/* an operation under way: from chk_race_posted to chk_race_completed(CHK_RACE_REMOTE) */
struct chk_race_op;

/* units >= 1. strict_stores: rule 5; else a store is ordered like a load. */
struct chk_race *chk_race_new(uint32_t units, bool strict_stores);
void chk_race_destroy(struct chk_race *r);
/* A new run begins: forgets everything but the reports. Operations under way are gone. */
void chk_race_restart(struct chk_race *r);

/* -- operations -------------------------------------------------------------------------------- */

/* at.unit posts an operation to `target`: CHK_RACE_PUT, CHK_RACE_GET, CHK_RACE_AMO, or
 * CHK_RACE_SIGNAL (a signal, without or with bytes: len_bytes). */
struct chk_race_op *chk_race_posted(struct chk_race *r, struct chk_at at, enum chk_race_kind kind,
                                    uint32_t target, uint64_t len_bytes);
/* Bytes of the target that a put (a signal's put) has now written or a get has read; any number of
 * pieces, in any order. */
void chk_race_applied(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes);
/* The same for what a get has read of whole, aligned 4-byte words, where signals and atomics do not
 * tear words: no race with those. */
void chk_race_applied_words(struct chk_race *r, struct chk_race_op *op,
                            struct chk_race_range bytes);
/* Global memory of the unit itself that a put has read as its source, or a get has written as its
 * result. Not for memory that nobody else can reach. Ends with local completion, of a put, too. */
void chk_race_local(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes);
/* The signal has changed its word; adds: FAB_SIG_ADD. After all bytes of its put. */
void chk_race_signaled(struct chk_race *r, struct chk_race_op *op, chk_word_t word, bool adds);
/* The atomic has taken place on the 8 or 4 bytes. fetched: its unit will have the value. wrote: not
 * a read, and not a compare-and-swap that failed. */
void chk_race_atomic(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes,
                     bool fetched, bool wrote);
enum chk_race_level { CHK_RACE_LOCAL = 0, CHK_RACE_REMOTE = 1, CHK_RACE_BUFFERED = 2 };
/* The unit has learned (req_wait, a test that says done, flush) that op is complete. Local may be
 * left out. After CHK_RACE_REMOTE op is gone. CHK_RACE_BUFFERED: the same, but its signal will act
 * only later (it is in a store buffer); CHK_RACE_REMOTE comes after that. */
void chk_race_completed(struct chk_race *r, struct chk_race_op *op, enum chk_race_level level);
/* Whether anybody learns anything from op's completion, now that all it does has been told. */
bool chk_race_matters(const struct chk_race_op *op);

/* -- what units do themselves ------------------------------------------------------------------ */

#define CHK_RACE_ALL UINT32_MAX
/* unit calls order for target, or CHK_RACE_ALL. */
void chk_race_ordered(struct chk_race *r, uint32_t unit, uint32_t target);
/* flush(FAB_REMOTE): a full barrier, beside the completions it brings, which are told one by one
 * and before. Atomics are one by themselves, at posting. */
void chk_race_fenced(struct chk_race *r, uint32_t unit);
/* wait_mem, wait_any or a test has seen a value of the word and goes by it. */
void chk_race_saw(struct chk_race *r, struct chk_at at, chk_word_t word);
/* Loads and stores by the CPU of at.unit, whose segment part it may be or not. */
void chk_race_load(struct chk_race *r, struct chk_at at, struct chk_race_range bytes);
void chk_race_store(struct chk_race *r, struct chk_at at, struct chk_race_range bytes);

/* -- memory, and everybody --------------------------------------------------------------------- */

/* The bytes are freed, or allocated: what was before has no meaning for them. Costs a step per 4
 * KiB, or per page known if that is less. An operation that is still under way there is not
 * forgotten: it does harm to whoever has the memory next. */
void chk_race_forget(struct chk_race *r, struct chk_race_range bytes);
/* Rule 6, for all units (a segment is created or destroyed, a check begins). */
void chk_race_barrier(struct chk_race *r);

/* Rule 7: the seq-th exchange of `members` units that have this key in common, and with nobody
 * else. A unit enters the next one of a key after it has left the last; who leaves does so after
 * all have entered. */
struct chk_race_exchange {
  uint64_t key[2];
  uint64_t seq;
  uint32_t members;
};
void chk_race_enters(struct chk_race *r, uint32_t unit, const struct chk_race_exchange *x);
void chk_race_leaves(struct chk_race *r, uint32_t unit, const struct chk_race_exchange *x);

/* -- reports ----------------------------------------------------------------------------------- */

enum chk_race_state {
  CHK_RACE_UNDER_WAY = 0, /* posted, not seen complete by its unit */
  CHK_RACE_RELEASED       /* its unit has seen it complete; or the CPU did it itself, at once */
};

struct chk_race_access {
  struct chk_at at; /* when: of posting */
  enum chk_race_kind kind;
  bool source;      /* the side at its own unit: a put's source, a get's result */
  bool with_signal; /* a put's bytes */
  bool write, atomic;
  uint32_t target;
  uint64_t len_bytes; /* of the operation */
  uint32_t number;    /* among the events of its unit */
  enum chk_race_state state;
  uint32_t released; /* the event of its unit that released it, if it is */
};

/* The first access had taken effect when the second did. */
struct chk_race_report {
  struct chk_race_access first, second;
  struct chk_race_range bytes; /* those of both; of the first word found */
  /* up to which event of first.at.unit second.at.unit had learned when it posted (or did) the
   * second */
  uint32_t known;
  uint64_t count; /* how often the two sites and kinds have met */
};

/* Reports are one for each pair of sites and kinds. found: called at each race, a new one or (count
 * > 1) not; may be NULL. */
typedef void (*chk_race_found)(void *ctx, const struct chk_race_report *report);
void chk_race_listen(struct chk_race *r, chk_race_found found, void *ctx);
uint32_t chk_race_reports(const struct chk_race *r, const struct chk_race_report **reports);
/* The report in sentences, sites and times left out (the engine knows their names); as snprintf. */
int chk_race_text(const struct chk_race_report *report, char *buf, size_t size);
#endif
