/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl.h - the control plane: agreement over a set of units, for teams and gmem (ids and offsets)
 * and for the barriers of sync, before sync and coll exist.
 *
 * One primitive serves barrier, and-, or-, max- and min-reduction and small broadcasts (a broadcast
 * is an or-reduction to which only the root contributes): a dissemination exchange of up to
 * EYOTI_CTL_WORDS words in ceil(log2 p) rounds, or, among members that share a node and its
 * processors, a central counter (ctl_central.h). One thread of a unit uses a set's state. Sources:
 * Hensgen, Finkel, Manber: Two Algorithms for Barrier Synchronization, International Journal of
 * Parallel Programming 17(1), 1988; Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote
 * memory access programming with MPI-3 one sided, SC 2013, section 2.3 (fence), uses the same. */

/* Why it is right. The operators are idempotent, so dissemination is right for any p. State is one
 * block of O(log p) words a unit and team in the symmetric heap, at the same offset on all members.
 * Two parities of payload and flag are enough: a member can be at most one exchange ahead of
 * another (it cannot finish exchange k before all have entered k), and it starts exchange k+2 only
 * after everything sent in k has arrived. Flags hold the number of the exchange and never go
 * back.
 *
 * Of many members on several nodes the exchange may be by nodes (ctl_nodes.h), in words of its own.
 * Exchanges of both ways may follow each other: each is a barrier, so the argument of parities
 * holds for them together, as long as all members take the same way in the same exchange. */
#ifndef EYOT_FABRIC_CTL_H
#define EYOT_FABRIC_CTL_H

#include "fabric/fabric.h"

#define EYOTI_CTL_WORDS 4u

/* A set of units: its size, the caller's index, and a function from an index to a unit. */
struct eyoti_ctl_set {
  uint32_t size;
  uint32_t my_index;
  fab_unit_t (*unit_at)(const void *set, uint32_t index);
  const void *set;
};

#define EYOTI_CTL_MAPPED_ROUNDS 8u /* for teams of up to 256 */

/* The exchange state of one team on one unit. `off` is the offset of its block in segment `seg` on
 * every member. */
struct eyoti_ctl {
  struct eyoti_ctl_set members;
  fab_seg_t seg;
  uint64_t off;
  uint64_t seq; /* exchanges entered */
  /* Chosen at the first exchange. MAPPED: all members that the caller sends to are mapped here, and
   * the CPU's stores may stand for the fabric's signals (fab.cpu_atomics). CENTRAL: the members
   * also share processors, and use a central counter (ctl_central.h). */
  enum eyoti_ctl_way {
    EYOTI_CTL_UNKNOWN = 0,
    EYOTI_CTL_SIGNALED,
    EYOTI_CTL_MAPPED,
    EYOTI_CTL_CENTRAL
  } where;
  uint32_t rounds;
  char *own; /* the caller's part of the segment */
  /* the part of the member that the caller sends to in each round */
  char *mapped[EYOTI_CTL_MAPPED_ROUNDS];
  /* The way by nodes, or NULL; whether exchanges take it unless they ask for dissemination. The
   * same on all members. */
  struct eyoti_ctl_nodes *nodes;
  bool by_nodes;
  bool *differ_at_end; /* eyoti_ctl_end; else NULL */
  /* An exchange in steps is under way, and `where` unknown: the next one that begins settles it
   * first. Its owner sets both after its exchange has begun, and clears `held`. */
  struct eyoti_ctl_held *held;
  const struct eyoti_ctl_others *others; /* NULL: messages name no other function */
};
struct eyoti_ctl_held {
  void (*settle)(struct eyoti_ctl_held *h); /* ends it; blocks */
  /* The public function that has begun it, which runs no longer, and where that was called; NULL:
   * the one that runs. For messages. */
  const char *what;
  const void *site;
};
#define EYOTI_CTL_OTHER_BYTES 80u
struct eyoti_ctl_others {
  /* Writes which other function than `what` (NULL: the one that runs) a member has called, as "unit
   * 1 called eyot_barrier", or "" if that is not found out. Of an exchange that is over, in which
   * all members learn that they differ: each calls it, and waits for the others, some seconds at
   * most. */
  void (*name)(const struct eyoti_ctl *c, const char *what, char text[EYOTI_CTL_OTHER_BYTES]);
  uint64_t team; /* no other team's */
};
/* The same; "" without c->others. */
static inline void eyoti_ctl_other(const struct eyoti_ctl *c, const char *what,
                                   char text[EYOTI_CTL_OTHER_BYTES]) {
  text[0] = '\0';
  if (c->others != NULL) c->others->name(c, what, text);
}

/* Whether exchanges take fewer waits than messages in ceil(log2 p) rounds: they go by nodes, or by
 * a central counter. The same on all members, at any time. Local. */
bool eyoti_ctl_is_short(struct fab *f, const struct eyoti_ctl *c);

/* A way that an exchange asks for. */
enum eyoti_ctl_ask { EYOTI_CTL_ANY = 0, EYOTI_CTL_DISSEMINATE, EYOTI_CTL_BY_NODES };

enum eyoti_ctl_op { EYOTI_CTL_OR = 0, EYOTI_CTL_AND, EYOTI_CTL_MAX, EYOTI_CTL_MIN };

/* Bytes of a block for a team of `size` units. The block must be zero before the first exchange on
 * every member. */
uint64_t eyoti_ctl_bytes(uint32_t size);

/* The first so many bytes are its flags. To use a block for another set, clear them while nothing
 * is on its way to it. */
uint64_t eyoti_ctl_flag_bytes(uint32_t size);

/* For reports of a wait: the unit that signals at a word of the caller's part; UINT32_MAX: it is no
 * flag of the block, or one of several units may. Local. */
uint32_t eyoti_ctl_writer(const struct eyoti_ctl *c, fab_seg_t seg, uint64_t off);

/* Tells apart functions whose exchanges have the same words: part of the shape. */
enum eyoti_ctl_tag { EYOTI_CTL_PLAIN = 0, EYOTI_CTL_FENCE, EYOTI_CTL_TAGS };

/* An exchange in steps: between them the caller may make any other calls, including exchanges over
 * other blocks. */
struct eyoti_ctl_step {
  /* set by the caller, as are n, ask, tag and words[0..n): see eyoti_ctl_exchange */
  const enum eyoti_ctl_op *ops;
  uint16_t n;
  uint8_t tag;           /* enum eyoti_ctl_tag; PLAIN of EYOTI_CTL_WORDS words */
  uint32_t round, shape; /* ctl's own, as are central, nodes and block */
  uint8_t ask;           /* enum eyoti_ctl_ask */
  bool earlier; /* set by the caller: of a call before eyoti_ctl_end, also if it begins after it */
  bool central, nodes;
  char *block;
  uint64_t words[EYOTI_CTL_WORDS]; /* last: a barrier does not touch them */
};
/* Enters the next exchange and sends its first round. Does not block. After an error it has not
 * been entered. Errors: the fabric's. */
int eyoti_ctl_begin(struct fab *f, struct eyoti_ctl *c, struct eyoti_ctl_step *s);
/* Continues until the exchange is over, and waits at most timeout_ns in each round (0: checks
 * once). On EYOT_OK words are those of all members; ETIMEOUT (not logged): not yet. Errors:
 * EMISMATCH (it is over, and members differ in n or ops; first tells them and waits for them, see
 * eyoti_ctl_others), the fabric's. */
int eyoti_ctl_advance(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s,
                      uint64_t timeout_ns);

/* The condition that the exchange waits for, for callers that wait for other words too, and the
 * word itself, which may be read (atomically) to see whether a call of pass is worthwhile. NULL:
 * none, and advance returns the result. Of an exchange by nodes only after advance has returned
 * ETIMEOUT. Local. */
const uint64_t *eyoti_ctl_awaits(const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                                 struct fab_cond *cond);
/* A wait for that condition and others, which a detector takes as a part of the exchange. */
int eyoti_ctl_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                       uint32_t *which);
/* Ends an exchange that did not begin (`entered` false), or is not over, after an error. Others may
 * have completed it; those that cannot must leave it likewise. The next exchanges are then right on
 * all. Blocks until what the caller has sent has arrived. */
void eyoti_ctl_leave(struct fab *f, struct eyoti_ctl *c, bool entered);
/* One round of an exchange that awaits a word, not by nodes (c->nodes is NULL). Does not block.
 * ETIMEOUT (not logged): it has not arrived. Errors: the fabric's; the round can be tried again. */
int eyoti_ctl_pass(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s);

/* Combines words[0..n) of all members (n <= EYOTI_CTL_WORDS; 0: a barrier; ops[i] is the operator
 * of word i) into words on all of them. Collective over the set, blocking. Errors: EMISMATCH
 * (members differ in n or ops, thus are in different functions; all members get it, at the end of
 * the exchange), the fabric's. */
int eyoti_ctl_exchange(struct fab *f, struct eyoti_ctl *c, const enum eyoti_ctl_op *ops,
                       uint64_t *words, uint32_t n);
/* A barrier that members of an exchange with another tag do not take for theirs. */
int eyoti_ctl_barrier_of(struct fab *f, struct eyoti_ctl *c, enum eyoti_ctl_tag tag);
/* Of an exchange that is over, by whose words all members have found that they are in different
 * functions: logs that, as eyoti_ctl_exchange does. Collective, as eyoti_ctl_others. Returns
 * EMISMATCH. */
int eyoti_ctl_differ(const struct fab *f, const struct eyoti_ctl *c);
/* The caller's next exchanges are the last of the set: members whose exchanges are not fail with
 * EMISMATCH, as does the caller, for whom *differ is true then. Local. */
void eyoti_ctl_end(struct eyoti_ctl *c, bool *differ);
/* The next exchange is the first of a new row, whatever exchanges members have made before, or
 * left: of all members at once, while nothing that they have sent is on its way. Once. Local. */
void eyoti_ctl_anew(struct eyoti_ctl *c);
/* A barrier by one way, where the set has it; all members must ask for the same. Errors: as
 * eyoti_ctl_exchange. */
int eyoti_ctl_barrier_by(struct fab *f, struct eyoti_ctl *c, enum eyoti_ctl_ask ask);
#endif
