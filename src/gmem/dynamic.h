/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamic.h - dynamic segments: the layout of a member's part and the functions of dynamic.c and
 * dyn_*.c, which alone use this header. One thread of the unit uses its state.
 *
 * A dynamic segment is a collective allocation. A member's part describes the memory that it has
 * attached, for other members (it is a *target*), and holds the words by which it is notified of
 * detaches elsewhere (it is an *origin*). */

/* The layout:
 * - head {id, reg}. id: version << 16 | number of regions; each attach and detach adds 1 to the
 *   version. reg: epoch << 32 | registrations.
 * - flags (NOTIFY): a word for each slot of the origin's own cache; a target adds 1 when it has
 *   detached something.
 * - lists (NOTIFY): two lists of registered origins, slot << 32 | unit + 1. Epoch e uses list e %
 *   2; a detach ends an epoch.
 * - tables: two copies of the table of regions, sorted by address. Version v is copy v % 2.
 *
 * Two copies, so that no reader ever waits for the owner: an origin reads the head, then copy v %
 * 2, then the head again. While the version is still v no unit has written to that copy, since the
 * owner writes the other one and publishes it by an atomic on id; it comes back to this copy only
 * for v + 2. A sequence word that is odd during a change would need one copy only, but origins
 * would have to poll it while the owner is kept from running.
 *
 * Registration (NOTIFY) takes an index by a fetch-add on reg and then fills the entry; only then
 * does it read the table. A detach publishes the table, then ends the epoch by a swap of reg, then
 * notifies the registered: either the swap has counted the origin, which is notified, or the
 * origin's fetch-add came later, and then the table that it reads is the new one. The two lists
 * alternate, so registrations go on while the owner walks the old list. Words written by atomics
 * and signals: head, flags, lists. */
#ifndef EYOT_GMEM_DYNAMIC_H
#define EYOT_GMEM_DYNAMIC_H

#include <eyot/dynamic.h>

#include "gmem/state.h"
#include "rt/observe.h"

#define EYOTI_DYN_REGIONS_MAX 4096u
#define EYOTI_DYN_PEERS_MAX 4096u
#define EYOTI_DYN_COUNT_BITS 16u /* in the id word */
#define EYOTI_DYN_NONE UINT32_MAX
_Static_assert(EYOTI_DYN_REGIONS_MAX < 1u << EYOTI_DYN_COUNT_BITS,
               "the number of regions fits in the id word");

struct eyoti_dyn_region {
  uint64_t addr, len, key; /* key: of the fabric's attach */
};

struct eyoti_dyn_head {
  uint64_t id, reg;
};
#define EYOTI_DYN_HEAD_BYTES 64u
_Static_assert(sizeof(struct eyoti_dyn_head) == 16, "the head is one small get");

/* An origin's record of a target. Its index in the cache is its slot, and so its flag word. */
struct eyoti_dyn_peer {
  uint32_t unit;
  uint32_t chain;        /* next of its bucket */
  uint32_t newer, older; /* in the order of use */
  bool fetched;          /* regions are those of version id >> 16 */
  bool registered;       /* NOTIFY: the target will notify this unit, in `epoch` */
  uint32_t epoch;
  uint32_t capacity; /* of regions */
  uint64_t seen;     /* the own flag word when the table was last known to be current */
  uint64_t id;
  struct eyoti_dyn_region *regions;
};

struct eyoti_dynamic {
  eyot_dynamic_attr_t attr;
  struct eyoti_team *team;
  eyot_gptr_t at;          /* byte 0 of the caller's part */
  struct eyoti_gseg *part; /* the collective allocation */
  uint64_t off;            /* its offset in the heap */
  char *base;              /* its address */
  /* Target: the list of the last epoch that ended; its entries [notified, to_notify) are still to
   * be notified. Empty except inside detach, or after one that failed. */
  uint32_t notified, to_notify, notify_list;
  /* Origin: the cache. Slots below n_peers are in use; capacity is a power of two and also the
   * number of buckets. */
  struct eyoti_dyn_peer *peers;
  uint32_t *buckets;
  uint32_t n_peers, capacity, newest, oldest;
};

/* -- layout: bytes from the start of a member's part ------------------------------------------- */
static inline uint64_t eyoti_dyn_flag_off(uint32_t slot) {
  return EYOTI_DYN_HEAD_BYTES + slot * sizeof(uint64_t);
}
static inline uint64_t eyoti_dyn_entry_off(const struct eyoti_dynamic *d, uint32_t epoch,
                                           uint32_t index) {
  return eyoti_dyn_flag_off(d->attr.peers * (1 + epoch % 2) + index);
}
static inline uint64_t eyoti_dyn_table_off(const eyot_dynamic_attr_t *attr, uint64_t version) {
  uint64_t words = attr->kind == EYOT_DYNAMIC_NOTIFY ? 3 * (uint64_t)attr->peers : 0;
  return EYOTI_DYN_HEAD_BYTES + words * sizeof(uint64_t) +
         version % 2 * attr->regions * sizeof(struct eyoti_dyn_region);
}
static inline uint64_t eyoti_dyn_bytes(const eyot_dynamic_attr_t *attr) {
  return eyoti_dyn_table_off(attr, 1) + attr->regions * sizeof(struct eyoti_dyn_region);
}
static inline uint32_t eyoti_dyn_count(uint64_t id) {
  return (uint32_t)(id & ((1u << EYOTI_DYN_COUNT_BITS) - 1));
}
static inline uint64_t eyoti_dyn_version(uint64_t id) {
  return id >> EYOTI_DYN_COUNT_BITS;
}

/* The caller's own word at `off`. Pairs with the signal or atomic that wrote it. */
static inline uint64_t eyoti_dyn_own_word(const struct eyoti_dynamic *d, uint64_t off) {
  return eyoti_load_own(d->base + off);
}
static inline struct eyoti_dyn_region *eyoti_dyn_own_table(const struct eyoti_dynamic *d,
                                                           uint64_t version) {
  return (struct eyoti_dyn_region *)(void *)(d->base + eyoti_dyn_table_off(&d->attr, version));
}
/* The address of byte `off` of a member's part. Errors: those of resolve. */
static inline int eyoti_dyn_at(struct eyot_rt *rt, const struct eyoti_dynamic *d, uint32_t unit,
                               uint64_t off, uint64_t len, struct fab_addr *out) {
  eyot_gptr_t g = d->at;
  g.unit = unit;
  g.offset += off;
  return eyoti_gmem_resolve_part(rt, d->part, g, len, out);
}

/* dyn_table.c: sorted tables of regions. */
/* The number of regions that begin at or below addr. */
uint32_t eyoti_dyn_rank(const struct eyoti_dyn_region *r, uint32_t n, uint64_t addr);
/* The region that holds [addr, addr+len), or NULL. */
const struct eyoti_dyn_region *eyoti_dyn_find(const struct eyoti_dyn_region *r, uint32_t n,
                                              uint64_t addr, uint64_t len);
/* Logs that no region holds [addr, addr+len), and names the closest one. Returns ERANGE. */
int eyoti_dyn_missing(struct eyot_rt *rt, const struct eyoti_dyn_region *r, uint32_t n,
                      uint32_t unit, uint64_t addr, uint64_t len);
/* At the owner: publishes the table with `region` inserted at `index`, or without the one at
 * `index`. On failure the table is unchanged. */
int eyoti_dyn_insert(struct eyot_rt *rt, struct eyoti_dynamic *d, uint32_t index,
                     const struct eyoti_dyn_region *region);
int eyoti_dyn_remove(struct eyot_rt *rt, struct eyoti_dynamic *d, uint32_t index);

/* dyn_notify.c: registration and notices. */
/* Registers so that target p notifies this origin of detaches; `seen` is the own flag word, read
 * before the head was. *fresh becomes false if the origin has registered now: data read before may
 * be older. *entry is the request of the entry, to be completed. If the target's list is full,
 * p->registered is false. */
int eyoti_dyn_register(struct eyot_rt *rt, const struct eyoti_dynamic *d, struct eyoti_dyn_peer *p,
                       uint64_t reg, uint64_t seen, bool *fresh, fab_req_t *entry);
/* At the owner, after the table was published: ends the epoch, notifies all that are registered,
 * and returns when they can see it. */
int eyoti_dyn_notify(struct eyot_rt *rt, struct eyoti_dynamic *d);

/* dyn_cache.c: descriptors of other units. */
/* Resolves [addr, addr+len) of another unit. */
int eyoti_dyn_resolve_remote(struct eyot_rt *rt, struct eyoti_dynamic *d, uint32_t unit,
                             uint64_t addr, uint64_t len, struct eyoti_dyn_region *out);
void eyoti_dyn_cache_fini(struct eyoti_dynamic *d);
#endif
