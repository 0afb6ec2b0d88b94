/* SPDX-License-Identifier: BSD-3-Clause */
/* pscw.h - post/start/complete/wait: the state of an object on one unit, its layout in global
 * memory, and the functions of the files of src/sync/pscw, which alone use it. One thread of the
 * unit uses it.
 *
 * Source: Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote memory access programming
 * with MPI-3 one sided, SC 2013, section 2.3 (general active target). A bit map replaces the linked
 * free list of its figure 2c, for the reason below. */

/* The layout. Each member has a matching list of slots, the storage of which others take and give
 * back, and a completion counter for each neighbor that it posts to. Words of a member's part of
 * the object, all zero at first:
 *   taken    1 bit a slot: a unit holds it. Changed by others, with fetching or and plain and.
 *   counter  completions, ever; added to by the units that the member posts to
 *   posts    one a slot: posts, ever; added to, or set, by the unit that holds the slot
 *   origin   one a slot: the unit that holds the slot, and which of its counters the answer goes
 *            to. Travels with the first post of a holder, as payload of its signal
 * Both counts only grow, whichever unit the slot or counter belongs to: a slot changes hands when
 * all its posts have been started, a counter when all its completions have been waited for, so that
 * each side needs to remember a number and no word is ever reset.
 *
 * The protocol. A unit that posts for the first time *leases* a slot at the neighbor: one fetching
 * atomic. The first post is a put with signal, each further one a signal. Where the slot changes
 * hands (`changing`) both add 1, for a new holder does not know the count: posts of several epochs
 * may be in flight and arrive in any order, except that the first must not be overtaken (its origin
 * record would be missing): an order follows it. Otherwise the one holder sets the word to its
 * count, which is a put where an addition is an atomic of the NIC; an order precedes a post while
 * an earlier one to the neighbor may be in flight, which is while its epoch is open, so that the
 * count never falls.
 *
 * start at the neighbor waits for a post more than it has seen in the slot of each unit of its
 * group. complete flushes and adds 1 to the counter that the origin record names. wait needs of
 * each neighbor as many completions as there were posts to it up to its epoch; with one counter for
 * all neighbors, as in the source, the completion of a fast neighbor's next epoch would pass for
 * that of a slow one.
 *
 * Why a bit map and not a linked free list: taking from a list is a dependent chain of three remote
 * accesses (head, link, compare-and-swap) that starts again whenever another unit wins, needs a tag
 * against ABA, and giving back is as long. Setting a bit that is free is one fetching atomic, can
 * be issued to all neighbors at once, returns on failure which others are free, cannot suffer from
 * ABA, and giving back is one atomic without a wait. */
#ifndef EYOT_SYNC_PSCW_PSCW_H
#define EYOT_SYNC_PSCW_PSCW_H

#include <eyot/pscw.h>

#include "sync/sync.h"
#include "teams/ranges.h"

#define EYOTI_PSCW_NEIGHBORS_MAX 65535u
#define EYOTI_PSCW_NONE UINT32_MAX

/* Logs an error under the name of the public function that was called. */
#define EYOTI_PSCW_FAIL(rt, code, ...) \
  (eyoti_log(EYOTI_LOG_ERROR, (rt)->fab->note.what, (code), __VA_ARGS__), (code))

struct eyoti_pscw_origin {
  uint32_t unit, counter;
};
_Static_assert(sizeof(struct eyoti_pscw_origin) == 8,
               "an origin record is one word, which is never torn");

/* From units to indices, in ascending order of units; space for one entry a slot. */
struct eyoti_pscw_map_entry {
  uint32_t unit, index;
};
struct eyoti_pscw_map {
  uint32_t n;
  struct eyoti_pscw_map_entry *entry;
};

/* A neighbor that the caller posts to. The index of a lease is that of its counter. */
enum eyoti_pscw_lease_state {
  EYOTI_PSCW_FREE = 0,
  EYOTI_PSCW_NEW,   /* the slot is taken, without a post */
  EYOTI_PSCW_FIRST, /* the first post is in flight, or has arrived */
  EYOTI_PSCW_KNOWN  /* no signal can overtake it any more */
};
struct eyoti_pscw_lease {
  enum eyoti_pscw_lease_state state;
  uint32_t unit;
  uint32_t slot;   /* in the neighbor's list */
  uint32_t open;   /* epochs posted and not yet waited for */
  uint64_t posted; /* posts, ever, of all users of the counter: the completions to expect */
  bool asked;      /* a take of the slot is in flight, as `req` */
  fab_req_t req;
  uint64_t bits;                   /* the result: the word of the map before */
  struct eyoti_pscw_origin origin; /* source of the put */
};

/* An exposure epoch. */
struct eyoti_pscw_epoch {
  struct eyoti_pscw_epoch *next;
  uint32_t n, capacity;
  uint32_t done; /* entries 0 .. done-1 have completed */
  struct {
    uint32_t lease;
    uint64_t completions; /* its counter then */
  } entry[];
};

/* A slot of the caller's own list. */
struct eyoti_pscw_slot {
  uint64_t started; /* posts that have been started */
  uint32_t owner;   /* the unit that posted here last, or EYOTI_PSCW_NONE */
};

/* A unit of the open access epoch. */
struct eyoti_pscw_access {
  uint32_t unit, slot, counter;
};

struct eyoti_pscw {
  eyot_pscw_t name;
  struct eyoti_pscw *next;
  struct eyoti_team *team;
  eyot_pscw_attr_t attr;
  uint32_t n_slots;    /* of the list, and leases: `neighbors`, or twice as many if changing */
  uint32_t words;      /* of the bit map */
  bool broken;         /* the fabric has failed between two messages that belong together */
  bool accessing;      /* an access epoch is open */
  struct fab_addr own; /* byte 0 of the caller's part; mem is its local address */
  const char *mem;
  /* exposure */
  struct eyoti_pscw_lease *lease;
  struct eyoti_pscw_map leased; /* unit to lease */
  uint32_t *free_lease;         /* n_free of them */
  uint32_t n_free;
  struct eyoti_pscw_epoch *oldest, *newest, *spare;
  /* access */
  struct eyoti_pscw_slot *slot;
  struct eyoti_pscw_map known; /* unit to slot */
  struct fab_cond *cond;
  struct eyoti_pscw_access *access;
  uint32_t n_access;
};

struct eyoti_pscws {
  struct eyoti_pscw *first; /* by last use, the latest first */
};

/* make.c: the caller's state of an object. Errors: ESEG (logged). */
int eyoti_pscw_find(struct eyot_rt *rt, eyot_pscw_t name, struct eyoti_pscw **out);
/* Bytes of a member's part, and the offsets in it. */
uint64_t eyoti_pscw_bytes(uint32_t n_slots);
static inline uint64_t eyoti_pscw_taken_off(uint32_t word) {
  return (uint64_t)word * 8;
}
static inline uint64_t eyoti_pscw_counter_off(const struct eyoti_pscw *p, uint32_t counter) {
  return ((uint64_t)p->words + counter) * 8;
}
static inline uint64_t eyoti_pscw_posts_off(const struct eyoti_pscw *p, uint32_t slot) {
  return ((uint64_t)p->words + p->n_slots + 2 * (uint64_t)slot) * 8;
}
static inline uint64_t eyoti_pscw_origin_off(const struct eyoti_pscw *p, uint32_t slot) {
  return eyoti_pscw_posts_off(p, slot) + 8;
}
/* The address of byte `off` of the part of `unit`, a member. Errors: those of resolve. */
int eyoti_pscw_at(struct eyot_rt *rt, const struct eyoti_pscw *p, fab_unit_t unit, uint64_t off,
                  struct fab_addr *out);

/* unit_map.c: false if `unit` is not in the map. */
bool eyoti_pscw_map_find(const struct eyoti_pscw_map *m, uint32_t unit, uint32_t *index);
/* Enters or replaces; there must be space. */
void eyoti_pscw_map_set(struct eyoti_pscw_map *m, uint32_t unit, uint32_t index);
void eyoti_pscw_map_drop(struct eyoti_pscw_map *m, uint32_t unit);

/* lease.c, the side that posts. Stores a lease for each unit of `group`, in its order, in e->entry.
 * All or none: on failure those taken by this call are given back. A fetching atomic for each new
 * one, all at once. Errors: EBUSY (no slot there, or no lease here), the fabric's. */
int eyoti_pscw_lease_all(struct eyot_rt *rt, struct eyoti_pscw *p, const struct eyoti_ranges *group,
                         struct eyoti_pscw_epoch *e);
/* Posts once. 1 message. */
int eyoti_pscw_lease_post(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t lease);
/* Gives the slot back. 1 atomic, not waited for. */
int eyoti_pscw_lease_end(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t lease);

/* list.c, the side that starts: waits until `unit` has posted once more than was started. Errors:
 * EBUSY (it cannot post: other units hold all slots). */
int eyoti_pscw_list_await(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t unit,
                          struct eyoti_pscw_access *out);
#endif
