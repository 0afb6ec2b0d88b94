/* SPDX-License-Identifier: BSD-3-Clause */
/* pscw.h - post/start/complete/wait: what is kept where, and what the files of sync/pscw ask of
 * each other.
 *
 * The protocol (seed 002 section 2.3). Each member has a matching list of `places`, the storage of
 * which others take and give back, and a completion counter for each neighbor that it posts to.
 * Words of a member's part of the object, all zero at first:
 *   taken    1 bit a place: somebody holds it. Changed by others, with fetching or and plain and.
 *   counter  completions, ever; added to by those whom the member posts to
 *   posts    one a place: posts, ever; added to by whoever holds the place
 *   card     one a place: who holds the place, and which of his counters the answer goes to.
 *            Travels with the first post of a holder, as payload of its signal
 * Both counts only grow, whoever the place or counter belongs to: a place changes hands when all
 * its posts have been started, a counter when all its completions have been waited for, so that
 * each side needs to remember a number and nothing is ever reset.
 *
 * A unit that posts for the first time *leases* a place at the neighbor: one fetching atomic. The
 * first post is a put with signal, each further one a signal, both adding 1: posts of several
 * epochs may be under way and arrive in any order, except that the first must not be overtaken (its
 * card would be missing): an order stands behind it. start at the neighbor waits for a post more
 * than it has seen in the place of each unit of its group. complete flushes and adds 1 to the
 * counter on the card. wait wants of each neighbor as many completions as there were posts to it
 * up to its epoch; with one counter for all neighbors, as in the source, the completion of a fast
 * neighbor's next epoch would pass for that of a slow one.
 *
 * Why a bit map and not the linked free list of the source's figure 2c: taking from a list is a
 * dependent chain of three remote accesses (head, link, compare-and-swap) that starts again
 * whenever another wins, needs a tag against ABA, and giving back is as long. Setting a bit that is
 * free is one fetching atomic, can be issued to all neighbors at once, tells on failure which
 * others are free, cannot be fooled by ABA, and giving back is one atomic that nobody waits for. */
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
_Static_assert(sizeof(struct eyoti_pscw_origin) == 8, "a card is one word and is never torn");

/* Units and what they are known by here, in ascending order of units; room for one a place. */
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
  EYOTI_PSCW_NEW,   /* the place is taken, and nothing posted */
  EYOTI_PSCW_FIRST, /* the first post is on its way, or has arrived */
  EYOTI_PSCW_KNOWN  /* nothing can overtake it any more */
};
struct eyoti_pscw_lease {
  enum eyoti_pscw_lease_state state;
  uint32_t unit;
  uint32_t slot;   /* in the neighbor's list */
  uint32_t open;   /* epochs posted and not yet waited for */
  uint64_t posted; /* posts ever, whoever the counter belonged to: completions to expect */
  bool asked;      /* a take of the place is under way, as `req` */
  fab_req_t req;
  uint64_t bits;                   /* its result: the word of the map as it was before */
  struct eyoti_pscw_origin origin; /* leaves from here */
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

/* A place of the caller's own list. */
struct eyoti_pscw_slot {
  uint64_t started; /* posts that have been started */
  uint32_t owner;   /* who posted here last, EYOTI_PSCW_NONE: nobody */
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
  uint32_t n_slots;    /* of the list, and leases: `neighbors`, twice as many if changing */
  uint32_t words;      /* of the bit map */
  bool broken;         /* the fabric has failed between two messages that belong together */
  bool accessing;      /* an access epoch is open */
  struct fab_addr own; /* byte 0 of the caller's part, and where it is mapped */
  const char *mem;
  /* exposure */
  struct eyoti_pscw_lease *lease;
  struct eyoti_pscw_map leased; /* unit to lease */
  uint32_t *free_lease;         /* n_free of them */
  uint32_t n_free;
  struct eyoti_pscw_epoch *oldest, *newest, *spare;
  /* access */
  struct eyoti_pscw_slot *slot;
  struct eyoti_pscw_map known; /* unit to place */
  struct fab_cond *cond;
  struct eyoti_pscw_access *access;
  uint32_t n_access;
};

struct eyoti_pscws {
  struct eyoti_pscw *first; /* by last use */
};

/* pscw_make.c: the caller's view of an object. Errors: ESEG (logged). */
int eyoti_pscw_find(struct eyot_rt *rt, eyot_pscw_t name, struct eyoti_pscw **out);
/* Bytes of a member's part, and where things lie in it. */
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
/* The place of byte `off` of the part of `unit`, a member. Errors: those of resolve. */
int eyoti_pscw_at(struct eyot_rt *rt, const struct eyoti_pscw *p, fab_unit_t unit, uint64_t off,
                  struct fab_addr *out);

/* pscw_map.c */
bool eyoti_pscw_map_find(const struct eyoti_pscw_map *m, uint32_t unit, uint32_t *index);
/* Enters or replaces; there must be room. */
void eyoti_pscw_map_set(struct eyoti_pscw_map *m, uint32_t unit, uint32_t index);
void eyoti_pscw_map_drop(struct eyoti_pscw_map *m, uint32_t unit);

/* pscw_lease.c, the side that posts. A lease for each unit of `group`, in its order, into e->entry.
 * All or none: on failure those taken by this call are given back. A fetching atomic for each that
 * is new, all at once. Errors: EBUSY (no place there, or no lease here), the fabric's. */
int eyoti_pscw_lease_all(struct eyot_rt *rt, struct eyoti_pscw *p, const struct eyoti_ranges *group,
                         struct eyoti_pscw_epoch *e);
/* One post. 1 message. */
int eyoti_pscw_lease_post(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t lease);
/* Gives the place back. 1 atomic, not waited for. */
int eyoti_pscw_lease_end(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t lease);

/* pscw_list.c, the side that starts: waits until `unit` has posted once more than was started.
 * Errors: EBUSY (it cannot post: all places hold others). */
int eyoti_pscw_list_await(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t unit,
                          struct eyoti_pscw_access *out);
#endif
