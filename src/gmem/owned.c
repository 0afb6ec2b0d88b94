/* SPDX-License-Identifier: BSD-3-Clause */
/* owned.c - buffers whose ownership passes (owned.h).
 *
 * A buffer that a unit frees stays with it, wherever it lies, and the one that was freed last is
 * the first to be used again: its bytes are in the cache, and a unit that takes as many buffers as
 * it gives asks no heap (Friedley 2013, section 4.3, receiver-side pools). What is more than
 * EYOT_OWN_POOL bytes, or a sixteenth of a heap, goes home, by the list of its home (returns.h).
 * Sizes are rounded, up to a page to powers of two, beyond to whole pages, so that buffers of
 * nearly one size serve each other. */
#include "gmem/owned.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/conf.h"
#include "gmem/parts.h"
#include "gmem/returns.h"
#include "gmem/sheap.h"
#include "rt/observe.h"
#include "rt/place.h"

#define MAGIC 0x65796f746f776e64u /* "eyotownd" */
#define KIND "buffer of eyot_own_alloc"
#define LEAST_BITS 6u /* the smallest buffer has 64 bytes */
#define BINS 42u      /* by the logarithm of the bytes */
#define HEAP_PART 16u /* a pool has at most that part of what a heap can be */
#define TRIES 8u      /* buffers of a bin */
#define HEAD sizeof(struct eyoti_owned)

struct eyoti_pool {
  struct eyoti_owned *bin[BINS];
  uint64_t bytes, most; /* of buffers in it */
  uint64_t held;        /* buffers that the unit owns */
  struct eyoti_parts parts;
};

static int pool_get(struct eyot_rt *rt, struct eyoti_pool **out) {
  struct eyoti_gmem *m = rt->gmem;
  if (__builtin_expect(m->pool == NULL, 0)) {
    uint64_t most;
    EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_OWN_POOL, &most));
    m->pool = calloc(1, sizeof *m->pool);
    if (m->pool == NULL) return EYOTI_GMEM_FAIL(rt, EYOT_ENOMEM, "no memory for a pool of buffers");
    uint64_t part = eyoti_gmem_heap_most(rt) / HEAP_PART;
    m->pool->most = most < part ? most : part;
  }
  *out = m->pool;
  return EYOT_OK;
}

static uint32_t log2_up(uint64_t n) {
  return n <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(n - 1);
}

static uint64_t capacity_of(uint64_t bytes) {
  if (bytes <= UINT64_C(1) << LEAST_BITS) return UINT64_C(1) << LEAST_BITS;
  if (bytes <= EYOTI_GMEM_PAGE) return UINT64_C(1) << log2_up(bytes);
  if (bytes > UINT64_MAX / 2) return bytes; /* no heap has as much */
  return eyoti_gmem_round_up(bytes, EYOTI_GMEM_PAGE);
}

static uint32_t bin_of(uint64_t capacity) {
  uint32_t bits = log2_up(capacity) - LEAST_BITS;
  return bits < BINS ? bits : BINS - 1;
}

/* -- memory ------------------------------------------------------------------------------------ */

/* Gives it back to the heap in which it lies. */
static int owned_home(struct eyot_rt *rt, struct eyoti_owned *o) {
  uint64_t off = o->off;
  bool tried;
  eyoti_observe_owned(rt, o + 1, o->capacity, FAB_OWNED_NOT);
  o->magic = 0;
  if (o->home != rt->fab->me)
    return eyoti_returns_push(rt, EYOTI_RETURNS_OWNED, o, (fab_unit_t)o->home, off, &tried);
  eyoti_gmem_own_give(rt, off);
  return EYOT_OK;
}

/* Takes what others have sent home. */
static int returns_drain(struct eyot_rt *rt) {
  uint64_t off;
  EYOTI_TRY(eyoti_returns_take(rt, EYOTI_RETURNS_OWNED, &off));
  while (off != 0) {
    uint64_t next = *(const uint64_t *)(const void *)eyoti_gmem_at(rt->gmem, off);
    eyoti_gmem_own_give(rt, off);
    off = next;
  }
  return EYOT_OK;
}

/* Sends all of the pool home. */
static int pool_empty(struct eyot_rt *rt, struct eyoti_pool *pool) {
  for (uint32_t b = 0; b < BINS; b++)
    for (struct eyoti_owned *o; (o = pool->bin[b]) != NULL;) {
      pool->bin[b] = o->next;
      pool->bytes -= o->capacity;
      EYOTI_TRY(owned_home(rt, o));
    }
  return EYOT_OK;
}

static struct eyoti_owned *pool_take(struct eyoti_pool *pool, uint64_t capacity) {
  struct eyoti_owned **at = &pool->bin[bin_of(capacity)];
  for (uint32_t i = 0; i < TRIES && *at != NULL; i++, at = &(*at)->next) {
    struct eyoti_owned *o = *at;
    if (o->capacity < capacity) continue;
    *at = o->next;
    pool->bytes -= o->capacity;
    return o;
  }
  return NULL;
}

static int owned_make(struct eyot_rt *rt, struct eyoti_pool *pool, uint64_t capacity,
                      struct eyoti_owned **out) {
  uint64_t off;
  EYOTI_TRY(returns_drain(rt));
  int rc = capacity > UINT64_MAX / 2 ? EYOT_ENOMEM
                                     : eyoti_gmem_own_take(rt, HEAD + capacity, true, &off);
  if (rc == EYOT_ENOMEM && pool->bytes > 0) {
    EYOTI_TRY(pool_empty(rt, pool));
    rc = eyoti_gmem_own_take(rt, HEAD + capacity, true, &off);
  }
  if (rc != EYOT_OK)
    return EYOTI_GMEM_FAIL(rt, EYOT_ENOMEM,
                           "the heap has no place for a buffer of %" PRIu64
                           " bytes: free some by eyot_own_free, or raise EYOT_HEAP_MAX",
                           capacity);
  struct eyoti_owned *o = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, off));
  *o = (struct eyoti_owned){.magic = MAGIC, .capacity = capacity, .home = rt->fab->me, .off = off};
  *out = o;
  return EYOT_OK;
}

/* -- owners ------------------------------------------------------------------------------------ */

static void owned_change(struct eyot_rt *rt, struct eyoti_owned *o, enum eyoti_owned_state state) {
  o->state = state;
  o->changed = eyoti_rt_site(rt);
  if (__builtin_expect(!rt->observed, 1)) return;
  static const enum fab_owned HOW[] = {
      [EYOTI_OWNED_FREE] = FAB_OWNED_FREED,    [EYOTI_OWNED_HELD] = FAB_OWNED_HELD,
      [EYOTI_OWNED_GIVEN] = FAB_OWNED_GIVEN,   [EYOTI_OWNED_LENT] = FAB_OWNED_LENT,
      [EYOTI_OWNED_BORROWED] = FAB_OWNED_LENT, [EYOTI_OWNED_SPLIT] = FAB_OWNED_NOT};
  eyoti_observe_owned(rt, eyoti_owned_bytes(o), o->capacity, HOW[state]);
}

static void owned_hold(struct eyot_rt *rt, struct eyoti_owned *o) {
  o->owner = rt->fab->me;
  owned_change(rt, o, EYOTI_OWNED_HELD);
  rt->gmem->pool->held++;
  if (o->of != NULL) eyoti_parts_add(&rt->gmem->pool->parts, o);
  eyoti_observe_made(rt, KIND, (uintptr_t)o, o->capacity);
}

static void owned_leave(struct eyot_rt *rt, struct eyoti_owned *o, enum eyoti_owned_state state) {
  owned_change(rt, o, state);
  rt->gmem->pool->held--;
  if (o->of != NULL) eyoti_parts_remove(&rt->gmem->pool->parts, o);
  eyoti_observe_released(rt, KIND, (uintptr_t)o);
}

int eyoti_owned_new(struct eyot_rt *rt, uint64_t bytes, struct eyoti_owned **out) {
  struct eyoti_pool *pool;
  EYOTI_TRY(pool_get(rt, &pool));
  uint64_t capacity = capacity_of(bytes);
  struct eyoti_owned *o = pool_take(pool, capacity);
  if (o == NULL) EYOTI_TRY(owned_make(rt, pool, capacity, &o));
  owned_hold(rt, o);
  *out = o;
  return EYOT_OK;
}

/* What an owner has done with it. */
static const char *state_words(enum eyoti_owned_state state) {
  return state == EYOTI_OWNED_GIVEN ? "given away" : state == EYOTI_OWNED_SPLIT ? "split" : "freed";
}

static const char *site_text(struct eyot_rt *rt, const void *site, char text[EYOTI_CODE_LINE]) {
  return eyoti_place_text(rt, eyoti_place_of(rt, site), text);
}

static int no_more(struct eyot_rt *rt, const void *p, const void *changed,
                   enum eyoti_owned_state state) {
  char place[EYOTI_CODE_LINE];
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG,
                         "the buffer %p is not this unit's any more: it was %s at %s", p,
                         state_words(state), site_text(rt, changed, place));
}

static int not_owned(struct eyot_rt *rt, const void *p, const struct eyoti_owned *o) {
  char place[EYOTI_CODE_LINE];
  if (o->owner != rt->fab->me)
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "the buffer %p belongs to unit %u, %s", p, o->owner,
                           o->state == EYOTI_OWNED_LENT
                               ? "which has lent it: what this unit borrows it returns by "
                                 "eyot_own_return, or makes its own by eyot_own_clone"
                               : "not to this one");
  if (o->state == EYOTI_OWNED_LENT)
    return EYOTI_GMEM_FAIL(rt, EYOT_EBUSY,
                           "the buffer %p is lent since %s: complete the handle of that call first",
                           p, site_text(rt, o->changed, place));
  if (o->state == EYOTI_OWNED_BORROWED)
    return EYOTI_GMEM_FAIL(
        rt, EYOT_ESEG,
        "the buffer %p was borrowed at %s: return it by eyot_own_return, or make "
        "it this unit's by eyot_own_clone",
        p, site_text(rt, o->changed, place));
  return no_more(rt, p, o->changed, (enum eyoti_owned_state)o->state);
}

/* The buffer whose head stands before p, or NULL. */
static struct eyoti_owned *head_before(struct eyot_rt *rt, const void *p) {
  /* p may be NULL, from which no pointer is made */
  struct eyoti_owned *o = (struct eyoti_owned *)((uintptr_t)p - HEAD);
  fab_unit_t unit;
  uint64_t off;
  bool reaches =
      p != NULL && (uintptr_t)p % HEAD == 0 &&
      (eyoti_gmem_heap_has(rt, o, HEAD, &off) || eyoti_sheap_find(rt, o, HEAD, &unit, &off));
  return reaches && o->magic == MAGIC ? o : NULL;
}

int eyoti_owned_find_lent(struct eyot_rt *rt, const void *p, struct eyoti_owned **out) {
  if (p == NULL)
    return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL,
                           "the buffer is NULL, as after its give or free; expected one that "
                           "eyot_own_alloc, a take or a clone has returned");
  const struct eyoti_pool *pool = rt->gmem->pool;
  struct eyoti_owned *o = pool != NULL ? eyoti_parts_find(&pool->parts, p) : NULL;
  if (o == NULL) o = head_before(rt, p);
  if (o != NULL && o->owner == rt->fab->me &&
      (o->state == EYOTI_OWNED_HELD || o->state == EYOTI_OWNED_LENT)) {
    *out = o;
    return EYOT_OK;
  }
  /* the whole has a head before its first part */
  const struct eyoti_part_gone *gone = pool != NULL && (o == NULL || o->state == EYOTI_OWNED_SPLIT)
                                           ? eyoti_parts_gone(&pool->parts, p)
                                           : NULL;
  if (gone != NULL) return no_more(rt, p, gone->changed, gone->state);
  if (o != NULL) return not_owned(rt, p, o);
  return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL,
                         "%p is no buffer of eyot_own_alloc, or was given back to its heap", p);
}

int eyoti_owned_find(struct eyot_rt *rt, const void *p, struct eyoti_owned **out) {
  EYOTI_TRY(eyoti_owned_find_lent(rt, p, out));
  return (*out)->state != EYOTI_OWNED_LENT ? EYOT_OK : not_owned(rt, p, *out);
}

static int whole_drop(struct eyot_rt *rt, struct eyoti_owned *o) {
  struct eyoti_pool *pool = rt->gmem->pool;
  if (o->capacity > pool->most || pool->bytes > pool->most - o->capacity) return owned_home(rt, o);
  o->state = EYOTI_OWNED_FREE;
  o->next = pool->bin[bin_of(o->capacity)];
  pool->bin[bin_of(o->capacity)] = o;
  pool->bytes += o->capacity;
  return EYOT_OK;
}

/* Where the count of a split is. */
static struct fab_addr split_left(struct eyot_rt *rt, const struct eyoti_owned_split *split) {
  const struct eyoti_owned *record = (const struct eyoti_owned *)(const void *)split - 1;
  return eyoti_gmem_heap_at(rt, record->home,
                            record->off + HEAD + offsetof(struct eyoti_owned_split, left));
}

/* The unit that frees the last part frees what was split, which may be a part too. */
static int part_drop(struct eyot_rt *rt, const struct eyoti_owned *o) {
  const struct fab_amo less = {.op = FAB_AMO_ADD, .width = 8, .operand = UINT64_MAX};
  while (o->of != NULL) {
    struct eyoti_owned_split *split = o->of;
    struct eyoti_owned *whole = split->whole;
    uint64_t left;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* its bytes are not used any more */
    EYOTI_TRY(fab_amo_wait(rt->fab, split_left(rt, split), &less, &left));
    if (left > 1) return EYOT_OK;
    EYOTI_TRY(whole_drop(rt, (struct eyoti_owned *)(void *)split - 1));
    o = whole;
    if (whole->of == NULL) return whole_drop(rt, whole);
  }
  return EYOT_OK;
}

int eyoti_owned_drop(struct eyot_rt *rt, struct eyoti_owned *o) {
  if (o->state == EYOTI_OWNED_HELD) owned_leave(rt, o, EYOTI_OWNED_FREE);
  if (o->state == EYOTI_OWNED_BORROWED) owned_change(rt, o, EYOTI_OWNED_FREE);
  return o->of != NULL ? part_drop(rt, o) : whole_drop(rt, o);
}

int eyoti_owned_return(struct eyot_rt *rt, struct eyoti_owned *o) {
  return o->home == rt->fab->me || o->of != NULL ? eyoti_owned_drop(rt, o) : owned_home(rt, o);
}

void eyoti_owned_give(struct eyot_rt *rt, struct eyoti_owned *o) {
  owned_leave(rt, o, EYOTI_OWNED_GIVEN);
}

void eyoti_owned_adopt(struct eyot_rt *rt, struct eyoti_owned *o) {
  owned_hold(rt, o);
}

void eyoti_owned_lend(struct eyot_rt *rt, struct eyoti_owned *o) {
  o->loans++;
  owned_change(rt, o, EYOTI_OWNED_LENT);
}

void eyoti_owned_regain(struct eyot_rt *rt, struct eyoti_owned *o) {
  if (--o->loans == 0) owned_change(rt, o, EYOTI_OWNED_HELD);
}

/* Returning it is reported apart. */
void eyoti_owned_borrow(struct eyot_rt *rt, struct eyoti_owned *o) {
  owned_leave(rt, o, EYOTI_OWNED_BORROWED);
}

int eyoti_owned_pool(struct eyot_rt *rt) {
  struct eyoti_pool *pool;
  return pool_get(rt, &pool);
}

/* -- calls ------------------------------------------------------------------------------------- */

/* The plain cases of eyot_own_alloc and eyot_own_free: the buffer of the bin that was freed last,
 * and a whole buffer of the caller's own heap, to the pool. False: this is none, and nothing was
 * done. Both leave what owned_hold and owned_leave leave, where nobody observes. */
static inline bool alloc_at_once(const struct eyot_rt *rt, uint64_t bytes, void **p) {
  struct eyoti_pool *pool = rt->gmem->pool;
  if (pool == NULL || rt->observed) return false;
  struct eyoti_owned **bin = &pool->bin[bytes <= HEAD ? 0 : bin_of(bytes)], *o = *bin;
  if (o == NULL || o->capacity < bytes) return false;
  *bin = o->next;
  pool->bytes -= o->capacity;
  pool->held++;
  o->owner = rt->fab->me;
  o->state = EYOTI_OWNED_HELD;
  o->changed = eyoti_rt_site(rt);
  *p = o + 1;
  return true;
}

static inline bool free_at_once(const struct eyot_rt *rt, void **p) {
  const struct eyoti_gmem *m = rt->gmem;
  struct eyoti_pool *pool = m->pool;
  struct eyoti_owned *o = (struct eyoti_owned *)((uintptr_t)*p - HEAD);
  uint64_t off;
  if (pool == NULL || rt->observed || pool->parts.n > 0 || (uintptr_t)*p % HEAD != 0 ||
      !eyoti_gmem_has(m, o, HEAD, &off) || o->magic != MAGIC || o->owner != rt->fab->me ||
      o->state != EYOTI_OWNED_HELD || pool->bytes + o->capacity > pool->most)
    return false;
  struct eyoti_owned **bin = &pool->bin[bin_of(o->capacity)];
  o->state = EYOTI_OWNED_FREE;
  o->changed = eyoti_rt_site(rt);
  o->next = *bin;
  *bin = o;
  pool->bytes += o->capacity;
  pool->held--;
  *p = NULL;
  return true;
}

int eyot_own_alloc(uint64_t bytes, void **p) {
  EYOTI_ENTER(rt);
  struct eyoti_owned *o;
  if (p != NULL && bytes != 0 && alloc_at_once(rt, bytes, p)) return EYOT_OK;
  if (p == NULL || bytes == 0)
    return EYOTI_FAIL(EYOT_EINVAL, p == NULL ? "p is NULL" : "bytes is 0");
  EYOTI_TRY(eyoti_owned_new(rt, bytes, &o));
  *p = eyoti_owned_bytes(o);
  return EYOT_OK;
}

int eyot_own_free(void **p) {
  EYOTI_ENTER(rt);
  struct eyoti_owned *o;
  if (p == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "p is NULL, expected the address of the pointer to the buffer");
  if (*p == NULL || free_at_once(rt, p)) return EYOT_OK;
  EYOTI_TRY(eyoti_owned_find(rt, *p, &o));
  *p = NULL;
  return eyoti_owned_drop(rt, o);
}

/* Checks the lengths of n parts. Errors: EINVAL, ERANGE. */
static int split_lengths(struct eyot_rt *rt, const struct eyoti_owned *o, uint32_t n,
                         const uint64_t *bytes) {
  uint64_t left = o->capacity;
  for (uint32_t i = 0; i < n; i++) {
    if (bytes[i] == 0) return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL, "bytes[%u] is 0", i);
    if (bytes[i] > left)
      return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                             "the buffer has %" PRIu64 " bytes, too few for the part %u",
                             o->capacity, i);
    left -= bytes[i];
  }
  return EYOT_OK;
}

/* Makes the record of a split. Errors: ENOMEM, the fabric's. */
static int split_record(struct eyot_rt *rt, struct eyoti_owned *whole, uint32_t n,
                        struct eyoti_owned_split **out) {
  struct eyoti_owned *record;
  const uint64_t left = n;
  EYOTI_TRY(eyoti_owned_new(rt, sizeof(struct eyoti_owned_split) + n * sizeof(struct eyoti_part),
                            &record));
  struct eyoti_owned_split *split = eyoti_owned_bytes(record);
  split->whole = whole;
  int rc = fab_put_wait(rt->fab, split_left(rt, split), &left, sizeof left);
  if (rc != EYOT_OK) {
    (void)eyoti_owned_drop(rt, record);
    return rc;
  }
  owned_leave(rt, record, EYOTI_OWNED_SPLIT); /* it is no buffer of the program's */
  *out = split;
  return EYOT_OK;
}

int eyot_own_split(void **p, uint32_t n, const uint64_t *bytes, void **parts) {
  EYOTI_ENTER(rt);
  struct eyoti_owned *o;
  struct eyoti_owned_split *split;
  if (p == NULL || n == 0 || bytes == NULL || parts == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s",
                      p == NULL       ? "p is NULL"
                      : n == 0        ? "there are 0 parts, expected some"
                      : bytes == NULL ? "bytes is NULL"
                                      : "parts is NULL");
  EYOTI_TRY(eyoti_owned_find(rt, *p, &o));
  EYOTI_TRY(split_lengths(rt, o, n, bytes));
  EYOTI_TRY(split_record(rt, o, n, &split));
  owned_leave(rt, o, EYOTI_OWNED_SPLIT);
  uint64_t off = o->off;
  char *at = *p;
  for (uint32_t i = 0; i < n; i++) {
    struct eyoti_part *part = &split->part[i];
    part->bytes = at;
    part->head = (struct eyoti_owned){
        .magic = MAGIC, .capacity = bytes[i], .home = o->home, .off = off, .of = split};
    owned_hold(rt, &part->head);
    at += bytes[i];
    off += bytes[i];
  }
  *p = NULL; /* which may be one of: */
  for (uint32_t i = 0; i < n; i++) parts[i] = split->part[i].bytes;
  return EYOT_OK;
}

int eyot_own_bytes(const void *p, uint64_t *bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_owned *o;
  if (bytes == NULL) return EYOTI_FAIL(EYOT_EINVAL, "bytes is NULL");
  EYOTI_TRY(eyoti_owned_find_lent(rt, p, &o));
  *bytes = o->capacity;
  return EYOT_OK;
}

/* -- the end ----------------------------------------------------------------------------------- */

void eyoti_owned_list(struct eyot_rt *rt) {
  const struct eyoti_pool *pool = rt->gmem->pool;
  if (pool == NULL || pool->held == 0) return;
  eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
            "this unit owns %" PRIu64
            " buffers that it has neither freed nor given away; "
            "eyotcheck names the calls",
            pool->held);
}

void eyoti_owned_stop(struct eyot_rt *rt) {
  if (rt->gmem->pool != NULL) eyoti_parts_free(&rt->gmem->pool->parts);
  free(rt->gmem->pool);
  rt->gmem->pool = NULL;
}
