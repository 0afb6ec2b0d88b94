/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h - detects data races in global memory: two accesses to a byte, at least one of them a
 * write and at least one not atomic, that nothing orders. fabric_sim/explore reports the operations
 * of a run to it.
 *
 * Why it exists: a run shows one order of events; a missing flush does harm in another one. The
 * detector goes by what the fabric contract (fabric.h) promises, not by what happened to be, and
 * finds the missing flush in a run in which all went well.
 *
 * The engine reports what units do and what their operations do at the targets, in an order that
 * occurred. The detector never calls the engine, and draws no conclusions from its time.
 *
 * Memory: snapshot/mem.h; panics when out of memory. Thread rule: one thread. */

/* The relation "before" (happens-before of the contract)
 *  1. What a unit does itself - post, see a completion, see a signal, load, store - is before what
 *     it does next.
 *  2. Posting is before the operation's effects. An effect is before what its unit does after it
 *     has *seen* the remote completion (of a get: any completion).
 *  3. The bytes of a put with signal are before the signal of that put. The effects of puts,
 *     signals and atomics of a unit at a target are before those of its later ones there if an
 *     order stands between the postings, of all sets or of that to which both belong.
 *  4. A signal or atomic is before what a unit does after it has seen the value: a waiter, and an
 *     atomic that fetches. A signal that sets hides the earlier ones of its word from units that
 *     see it; adding signals and atomics pass them on. An aligned put of 2, 4 or 8 bytes is before
 *     what a *waiter* does after it has seen the value, as if it were its own signal; it hides the
 *     earlier ones of its bytes. Such a put and a wait do not race.
 *  5. A store by the CPU is before what others see only from the next full barrier (flush, atomic)
 *     of its unit on - if the engine asks for that.
 *  6. chk_race_barrier: all before it is before all after it.
 *  7. What a unit did before it entered an exchange is before what the units that have left it do.
 *     An engine that reports an exchange does not report the operations it is made of.
 *
 * Atomics on one word that differ in width, or of which one is on a floating-point number, are not
 * atomic to each other, and neither is a get to an atomic that writes: such pairs race.
 *
 * Nothing else is. While an operation is under way it races with any access to its bytes, also one
 * of the unit that posted it. race.c has the method, and the proof that there is no false report.
 *
 * Missed races: of several races on a word, those after the first; a race of an access that was
 * replaced after having raced; accesses of operations still under way at chk_race_barrier; a plain
 * access to a signal's or atomic's own word by a unit that has learned of any action of its unit
 * after the posting (by the unit itself, to the word of an atomic that only a flush completes: if
 * others have told it of such an action); what early knowledge (early.c) above CHK_EARLY_MAX items
 * of a clock would have shown; gets of one unit under way from a word beyond the fourth. */
#ifndef EYOT_CHECK_RACE_RACE_H
#define EYOT_CHECK_RACE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- words ------------------------------------------------------------------------------------- */

/* The id of 8 aligned bytes of global memory. Neighbors have neighboring ids. */
typedef uint64_t chk_word_t;
#define CHK_WORD_OFF_BITS 38u
#define CHK_WORD_SEG_BITS 7u
#define CHK_WORD_SEG_ATTACHED ((1u << CHK_WORD_SEG_BITS) - 1) /* stands for FAB_SEG_ATTACHED */
/* of a report: private memory, and the offset is that in the buffer of its first operation */
#define CHK_RACE_SEG_PRIVATE UINT32_MAX

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

/* -- units and operations ---------------------------------------------------------------------- */

enum chk_race_kind {
  CHK_RACE_PUT = 0,
  CHK_RACE_GET,
  CHK_RACE_AMO,
  CHK_RACE_SIGNAL,
  CHK_RACE_LOAD,
  CHK_RACE_STORE,
  CHK_RACE_WAIT
};

/* A unit at a position in the program. `site` and `when` are the engine's: `site` distinguishes
 * reports, both are part of them. Equal accesses (signals, atomics, waits, loads or stores) of one
 * unit at one site with nothing between them that others could distinguish are one access to the
 * detector, with the `when` of the first. */
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
/* From now on each signal and atomic is an event of its own, so that what a unit learns of one does
 * not cover later ones. Costs time where units work by atomics; for small runs. */
void chk_race_precise(struct chk_race *r);
void chk_race_destroy(struct chk_race *r);
/* A new run begins: forgets everything except the reports. Operations under way no longer exist. */
void chk_race_restart(struct chk_race *r);

/* -- operations -------------------------------------------------------------------------------- */

/* at.unit posts an operation of a set to `target`: CHK_RACE_PUT, CHK_RACE_GET, CHK_RACE_AMO, or
 * CHK_RACE_SIGNAL (a signal, without or with bytes: len_bytes). chk_race_posted: of one that no
 * order is for alone. */
#define CHK_RACE_SETS 0u /* of an order: all sets */
struct chk_race_op *chk_race_posted_in(struct chk_race *r, struct chk_at at,
                                       enum chk_race_kind kind, uint16_t set, uint32_t target,
                                       uint64_t len_bytes);
static inline struct chk_race_op *chk_race_posted(struct chk_race *r, struct chk_at at,
                                                  enum chk_race_kind kind, uint32_t target,
                                                  uint64_t len_bytes) {
  return chk_race_posted_in(r, at, kind, CHK_RACE_SETS, target, len_bytes);
}
/* The same for an atomic that nothing but a flush completes: chk_race_flushed. */
struct chk_race_op *chk_race_posted_nbi(struct chk_race *r, struct chk_at at, uint16_t set,
                                        uint32_t target);
/* A put (or a signal's put) has now written these bytes of the target, or a get has read them. Any
 * number of pieces, in any order. */
void chk_race_applied(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes);
/* The same for a get that has read whole, aligned 4-byte words where signals do not tear words: no
 * race with those. */
void chk_race_applied_words(struct chk_race *r, struct chk_race_op *op,
                            struct chk_race_range bytes);
/* Global memory of the posting unit itself that a put has read as its source, or a get has written
 * or an atomic as its result. The access ends with local completion, also that of a put. */
void chk_race_local(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes);
/* The aligned 2, 4 or 8 bytes of a put, or of a signal's put, are in memory: from now on a waiter
 * sees them. */
void chk_race_arrived(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes);
/* The same for private memory, which no other unit can access; an address of this process. Any
 * number of pieces, before the first completion. */
void chk_race_private(struct chk_race *r, struct chk_race_op *op, uint64_t address,
                      uint64_t len_bytes);
/* The signal has changed its word; adds: FAB_SIG_ADD. Reported after all bytes of its put. */
void chk_race_signaled(struct chk_race *r, struct chk_race_op *op, chk_word_t word, bool adds);
/* The atomic has taken effect on the 8 or 4 bytes. */
struct chk_race_amo {
  bool fetched; /* its unit will have the value */
  bool wrote;   /* false for a read and for a compare-and-swap that failed */
  bool floats;  /* on a floating-point number */
};
void chk_race_atomic(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes,
                     struct chk_race_amo how);
/* BUFFERED: as remote, but the signal, or the aligned put of 2, 4 or 8 bytes, takes effect only
 * later (it is in a store buffer). */
enum chk_race_level { CHK_RACE_LOCAL = 0, CHK_RACE_REMOTE = 1, CHK_RACE_BUFFERED = 2 };
/* The unit has learned (req_wait, a test that returned done, flush) that op is complete. The local
 * level may be left out. After CHK_RACE_REMOTE op no longer exists; after CHK_RACE_BUFFERED, it
 * follows. */
void chk_race_completed(struct chk_race *r, struct chk_race_op *op, enum chk_race_level level);
/* False if no unit can learn anything from op's completion, after all its effects were reported. */
bool chk_race_matters(const struct chk_race_op *op);

/* -- actions of a unit itself ------------------------------------------------------------------ */

#define CHK_RACE_ALL UINT32_MAX
/* The unit calls order for `target`, or for all (CHK_RACE_ALL); of all sets, or of one. */
void chk_race_ordered_in(struct chk_race *r, uint32_t unit, uint16_t set, uint32_t target);
static inline void chk_race_ordered(struct chk_race *r, uint32_t unit, uint32_t target) {
  chk_race_ordered_in(r, unit, CHK_RACE_SETS, target);
}
/* The unit's flush for `target`, or for all, of all sets or of one, has ended: completes the
 * operations of chk_race_posted_nbi. */
void chk_race_flushed(struct chk_race *r, uint32_t unit, uint16_t set, uint32_t target,
                      enum chk_race_level level);
/* flush(FAB_REMOTE): a full barrier, besides the completions that it brings, which are reported one
 * by one before it. An atomic is a full barrier by itself, at posting. */
void chk_race_fenced(struct chk_race *r, uint32_t unit);
/* wait_mem, wait_any or a test has returned the value of a word, 4 or 8 bytes, and the unit acts on
 * it. */
void chk_race_waited(struct chk_race *r, struct chk_at at, struct chk_race_range bytes);
/* The CPU has loaded a word that signals and atomics change. */
void chk_race_saw(struct chk_race *r, struct chk_at at, chk_word_t word);
/* Loads and stores by the CPU of at.unit, in its own part of a segment or in another unit's. */
void chk_race_load(struct chk_race *r, struct chk_at at, struct chk_race_range bytes);
/* plain: rule 5 holds for it, if it does for the detector. */
void chk_race_store(struct chk_race *r, struct chk_at at, struct chk_race_range bytes, bool plain);

/* The CPU of at.unit reads or writes private memory: an error if an operation of the unit that it
 * has not seen complete writes or reads the bytes. chk_race_lent: whether that is so. */
void chk_race_private_access(struct chk_race *r, struct chk_at at, uint64_t address,
                             uint64_t len_bytes, bool writes);
bool chk_race_lent(const struct chk_race *r, uint32_t unit, uint64_t address, uint64_t len_bytes,
                   bool writes);

/* -- memory, and all units --------------------------------------------------------------------- */

/* The bytes are freed or allocated: earlier accesses have no meaning for them. Costs a step per 4
 * KiB, or per known page if that is less. An operation still under way there is not forgotten: it
 * corrupts the next owner's memory. */
void chk_race_forget(struct chk_race *r, struct chk_race_range bytes);
/* Races on these bytes are meant, and not reported, until they are freed or allocated; of private
 * memory (seg CHK_RACE_SEG_PRIVATE): off is an address. What is said before the first
 * chk_race_restart holds in all runs, else it ends with the run. */
void chk_race_racy(struct chk_race *r, struct chk_race_range bytes);
/* Rule 6, for all units (a segment is created or destroyed, a check begins). */
void chk_race_barrier(struct chk_race *r);

/* Rule 7: the seq-th exchange of `members` units that use this key and no other units do. A unit
 * enters the next exchange of a key after it has left the last one; a unit leaves after all have
 * entered. */
struct chk_race_exchange {
  uint64_t key[2];
  uint64_t seq;
  uint32_t members;
};
void chk_race_enters(struct chk_race *r, uint32_t unit, const struct chk_race_exchange *x);
void chk_race_leaves(struct chk_race *r, uint32_t unit, const struct chk_race_exchange *x);

/* -- reports ----------------------------------------------------------------------------------- */

enum chk_race_state {
  CHK_RACE_UNDER_WAY = 0, /* posted, and its unit has not seen it complete */
  CHK_RACE_RELEASED       /* its unit has seen it complete, or its CPU did the access itself */
};

struct chk_race_access {
  struct chk_at at; /* when: at posting */
  enum chk_race_kind kind;
  bool source;      /* true: the access at its own unit: a put's source, a get's result */
  bool with_signal; /* the bytes of a put with signal */
  bool write, atomic;
  bool floats; /* an atomic on a floating-point number */
  uint32_t target;
  uint64_t len_bytes; /* of the operation */
  uint32_t number;    /* its number among the events of its unit */
  enum chk_race_state state;
  uint32_t released; /* the event of its unit that released it, if it is released */
};

/* The first access had taken effect before the second did. */
struct chk_race_report {
  struct chk_race_access first, second;
  struct chk_race_range bytes; /* the bytes that both accessed, in the first word found */
  /* up to which event of first.at.unit the second unit knew when it posted (or did) the second
   * access */
  uint32_t known;
  uint64_t count; /* how often these two sites and kinds raced */
};

/* There is one report for each pair of sites and kinds. `found` is called at each race, whether the
 * report is new or (count > 1) not; may be NULL. */
typedef void (*chk_race_found)(void *ctx, const struct chk_race_report *report);
void chk_race_listen(struct chk_race *r, chk_race_found found, void *ctx);
uint32_t chk_race_reports(const struct chk_race *r, const struct chk_race_report **reports);
/* The accesses of the race that was found last, numbered in its run; the report that `found` has
 * passed may be of an earlier one. NULL before the first. */
const struct chk_race_report *chk_race_latest(const struct chk_race *r);
/* Events of the unit so far. */
uint32_t chk_race_events(const struct chk_race *r, uint32_t unit);
/* Writes what would have ordered the two accesses, in one or two sentences. noun: "unit"; shmem:
 * names calls of OpenSHMEM instead of eyot's. Returns as snprintf does. */
#define CHK_RACE_REMEDY 400u
int chk_race_remedy(const struct chk_race_report *report, const char *noun, bool shmem, char *buf,
                    size_t size);
/* Writes the report as sentences, without sites and times (the engine knows their names). where:
 * words for the first byte; NULL: segment and offset. Returns as snprintf does. */
int chk_race_text(const struct chk_race_report *report, const char *where, char *buf, size_t size);
#endif
