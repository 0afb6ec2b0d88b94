/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - the heap segment (state.h): its size, its layout, taking and giving back of ranges, and
 * eyot_heap_info. */
#include <inttypes.h>
#include <string.h>

#include "base/conf.h"
#include "gmem/state.h"

/* Finds the mapped units' heaps, if the fabric maps any. */
static int find_mapping(struct eyot_rt *rt, struct eyoti_gmem *m) {
  if (rt->fab->local.n == 0) return EYOT_OK;
  int rc = rt->fab->ops->seg_map(rt->fab, m->seg, &m->map_base, &m->map_stride);
  if (rc == EYOT_ENOTSUP) m->map_base = NULL;
  return rc == EYOT_ENOTSUP ? EYOT_OK : rc;
}

#define SPARE_PART 8u /* of the fabric's memory, one part in SPARE_PART is left to others */

/* Whether the user or the program has set the size at start. */
static bool size_is_set(const struct eyot_rt *rt) {
  return eyoti_conf_is_set(EYOTI_CONF_HEAP_SIZE) || rt->heap_asked.size != 0;
}

/* Of more simulated units the default is what the fabric can give to each without a page of page
 * tables for each of them: parts of 64 MiB cost a million units 4 GiB of these (docs/adr/0069). */
#define MANY_UNITS 65536u
#define MANY_LEAST (UINT64_C(128) << 10)

static int fit_many(struct eyot_rt *rt, uint64_t *size) {
  uint64_t reach;
  if ((rt->fab->caps & FAB_CAP_VIRTUAL_TIME) == 0 || rt->fab->n <= MANY_UNITS) return EYOT_OK;
  EYOTI_TRY(rt->fab->ops->seg_reach(rt->fab, *size, &reach));
  /* less: address space is limited, and parts are as far apart as they are promised */
  if (reach < MANY_LEAST || reach >= *size) return EYOT_OK;
  *size = reach / EYOTI_GMEM_PAGE * EYOTI_GMEM_PAGE;
  if (rt->fab->me == 0)
    eyoti_log(EYOTI_LOG_INFO, "eyot_init", 0,
              "the symmetric heap has %" PRIu64
              " bytes a unit, because there are %u; EYOT_HEAP_SIZE gives more",
              *size, rt->fab->n);
  return EYOT_OK;
}

/* Reduces the default to the memory that there is: a container may have little shared memory. A
 * size that was set is not reduced. */
static int fit_default(struct eyot_rt *rt, uint64_t *size) {
  if (size_is_set(rt)) return EYOT_OK;
  uint64_t available;
  EYOTI_TRY(fit_many(rt, size));
  EYOTI_TRY(rt->fab->ops->seg_available(rt->fab, &available));
  available -= available / SPARE_PART;
  if (available >= *size) return EYOT_OK;
  if (rt->fab->me == 0)
    eyoti_log(EYOTI_LOG_INFO, "eyot_init", 0,
              "the symmetric heap has %" PRIu64
              " bytes a unit, as much as there is room for; EYOT_HEAP_SIZE would ask for %" PRIu64,
              available, *size);
  *size = available;
  return EYOT_OK;
}

#define GROWTH 16u /* the default of EYOT_HEAP_MAX, in times of EYOT_HEAP_SIZE */
#define HEAP_LIMIT (UINT64_C(1) << 47)
_Static_assert(EYOTI_GMEM_LEAST ==
                   EYOTI_GMEM_HEAP_OFF / EYOTI_GMEM_PAGE * EYOTI_GMEM_PAGE + EYOTI_GMEM_PAGE,
               "a heap is whole pages, and has some of its own");

/* Finds the size to reserve: the one that the user has set, or else as far as it costs nothing. */
static int find_most(struct eyot_rt *rt, uint64_t promised, uint64_t *most) {
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_HEAP_MAX, most));
  if (*most == 0 && rt->heap_asked.most != 0)
    *most = rt->heap_asked.most > promised ? rt->heap_asked.most : promised;
  if (*most != 0) {
    *most = *most / EYOTI_GMEM_PAGE * EYOTI_GMEM_PAGE;
    return EYOT_OK;
  }
  uint64_t reach, wished = GROWTH * promised;
  EYOTI_TRY(rt->fab->ops->seg_reach(rt->fab, wished, &reach));
  if (reach < wished) reach -= reach / SPARE_PART;
  *most = reach > promised ? reach / EYOTI_GMEM_PAGE * EYOTI_GMEM_PAGE : promised;
  return EYOT_OK;
}

#define ASKED_LEAST (UINT64_C(64) << 10) /* as the option's */
#define ASKED_SIZE_MOST (UINT64_C(1) << 40)
#define ASKED_MOST (UINT64_C(16) << 40)

static int check_asked(const struct eyoti_heap_asked *a) {
  bool size = a->size == 0 || (a->size >= ASKED_LEAST && a->size <= ASKED_SIZE_MOST);
  if (size && a->most <= ASKED_MOST && (a->most == 0 || a->most >= a->size)) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "heap_size is %" PRIu64 " and heap_max %" PRIu64
                    " bytes; expected 0, or 64 KiB to 1 TiB, and 0, or heap_size to 16 TiB",
                    a->size, a->most);
}

/* The user's options come before what the program asks for. */
static int find_sizes(struct eyot_rt *rt, struct eyoti_gmem *m) {
  EYOTI_TRY(check_asked(&rt->heap_asked));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_HEAP_SIZE, &m->promised));
  if (!eyoti_conf_is_set(EYOTI_CONF_HEAP_SIZE) && rt->heap_asked.size != 0)
    m->promised = eyoti_gmem_round_up(rt->heap_asked.size, EYOTI_GMEM_PAGE);
  EYOTI_TRY(fit_default(rt, &m->promised));
  m->promised = m->promised / EYOTI_GMEM_PAGE * EYOTI_GMEM_PAGE;
  EYOTI_TRY(find_most(rt, m->promised, &m->size));
  if (m->size <= m->first)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "EYOT_HEAP_MAX is %" PRIu64
                      " bytes, of which the runtime itself needs %" PRIu64
                      "; raise it, or leave it out",
                      m->size, m->first);
  if (m->size < m->promised && !size_is_set(rt)) m->promised = m->size;
  if (m->size < m->promised)
    return EYOTI_FAIL(
        EYOT_EINVAL, "EYOT_HEAP_MAX is %" PRIu64 " bytes, less than %s with %" PRIu64, m->size,
        eyoti_conf_is_set(EYOTI_CONF_HEAP_SIZE) ? "EYOT_HEAP_SIZE" : "heap_size of eyot_init_with",
        m->promised);
  if (m->promised <= m->first || m->size > HEAP_LIMIT)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "EYOT_HEAP_SIZE (or the room for it) is %" PRIu64
                      " bytes, EYOT_HEAP_MAX %" PRIu64 ": the runtime itself needs %" PRIu64
                      ", and 2^47 is the limit",
                      m->promised, m->size, m->first);
  return EYOT_OK;
}

/* Small allocations of thousands of simulated units lie close together (docs/adr/0137). Of a heap
 * whose size was set all is one piece: its user knows what it holds. */
#define FRONT (UINT64_C(256) << 10)
static bool size_is_default(const struct eyot_rt *rt) {
  return !size_is_set(rt) && rt->heap_asked.most == 0 && !eyoti_conf_is_set(EYOTI_CONF_HEAP_MAX);
}

int eyoti_gmem_heap_make(struct eyot_rt *rt, struct eyoti_gmem *m) {
  uint64_t check;
  struct eyoti_teams_place place = eyoti_teams_place_bytes(rt);
  m->first = EYOTI_GMEM_HEAP_OFF + (place.all > 0 ? place.all + EYOTI_GMEM_SLACK_BYTES : 0);
  EYOTI_TRY(find_sizes(rt, m));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_CHECK, &check));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_HEAP_KEEP, &m->keep));
  m->check = check != 0;
  void *base, *others;
  m->front = size_is_default(rt) && m->first < FRONT / 2 ? FRONT : 0;
  EYOTI_TRY(rt->fab->ops->seg_reserve(rt->fab, m->size + EYOTI_GMEM_TAIL_BYTES + place.first,
                                      m->promised, &m->front, &m->seg));
  EYOTI_TRY(rt->fab->ops->seg_ptr(rt->fab, m->seg, rt->fab->me, 0, &base));
  EYOTI_TRY(rt->fab->ops->seg_ptr(rt->fab, m->seg, rt->fab->me, m->front, &others));
  m->base = base;
  m->others = (char *)others - m->front;
  m->fresh[0].low = m->first;
  m->fresh[0].high = m->front;
  m->fresh[1].low = m->front != 0 ? m->front : m->first;
  m->fresh[1].high = m->size;
  return find_mapping(rt, m);
}

/* The bytes of [off, off+len) before and after the part that was never used, which is zero already
 * and stays untouched; the latter begin at *from. */
static void used_parts(const struct eyoti_gmem *m, uint64_t off, uint64_t len, uint64_t *low,
                       uint64_t *from, uint64_t *high) {
  const uint64_t end = off + len, fresh_low = m->fresh[off >= m->front].low;
  const uint64_t fresh_high = m->fresh[off >= m->front].high;
  *low = off >= fresh_low ? 0 : (end < fresh_low ? end : fresh_low) - off;
  *from = off > fresh_high ? off : fresh_high;
  *high = end > *from ? end - *from : 0;
}

void eyoti_gmem_zero(const struct eyoti_gmem *m, uint64_t off, uint64_t len) {
  uint64_t low, from, high;
  used_parts(m, off, len, &low, &from, &high);
  if (low > 0) memset(eyoti_gmem_at(m, off), 0, low);
  if (high > 0) memset(eyoti_gmem_at(m, from), 0, high);
}

/* What is promised is taken later without an error, so its place in the table is reserved anew. */
static int take_extent(struct eyoti_gmem *m, uint64_t off, uint64_t len) {
  EYOTI_TRY(eyoti_extents_take(&m->space, off, len));
  if (m->space.promised_len == 0) return EYOT_OK;
  int rc = eyoti_extents_reserve(&m->space);
  if (rc != EYOT_OK) (void)eyoti_extents_release(&m->space, off, NULL);
  return rc;
}

int eyoti_gmem_take(struct eyoti_gmem *m, uint64_t off, uint64_t len, uint32_t how) {
  EYOTI_TRY(take_extent(m, off, len));
  uint64_t low, from, high, end = off + len;
  used_parts(m, off, len, &low, &from, &high);
  if ((how & EYOTI_GMEM_RAW) == 0) eyoti_gmem_zero(m, off, len);
  m->idle -= low + high < m->idle ? low + high : m->idle;
  uint64_t *fresh_low = &m->fresh[off >= m->front].low;
  uint64_t *fresh_high = &m->fresh[off >= m->front].high;
  if ((how & EYOTI_GMEM_FROM_TOP) != 0 && off < *fresh_high) *fresh_high = off;
  if ((how & EYOTI_GMEM_FROM_TOP) == 0 && end > *fresh_low) *fresh_low = end;
  return EYOT_OK;
}

bool eyoti_gmem_give(struct eyot_rt *rt, uint64_t off, uint64_t *len) {
  struct eyoti_gmem *m = rt->gmem;
  if (!eyoti_extents_release(&m->space, off, len)) return false;
  m->idle += *len;
  if (m->idle <= m->keep || rt->fab->ops->seg_return == NULL) return true;
  /* Pages that the system refuses to take back stay as they are. */
  if (rt->fab->ops->seg_return(rt->fab, m->seg, off, *len) != EYOT_OK) return true;
  m->idle -= *len;
  eyoti_gmem_forget(m, off, *len);
  return true;
}

uint64_t eyoti_gmem_heap_most(const struct eyot_rt *rt) {
  return rt->gmem->size;
}

void *eyoti_gmem_mapped(struct eyot_rt *rt, struct fab_addr a) {
  const struct eyoti_gmem *m = rt->gmem;
  if (a.seg != m->seg) return NULL;
  if (a.unit == rt->fab->me) return eyoti_gmem_at(m, a.off);
  uint32_t k = a.unit - rt->fab->local.first;
  return m->map_base != NULL && k < rt->fab->local.n ? m->map_base + k * m->map_stride + a.off
                                                     : NULL;
}

struct fab_addr eyoti_gmem_lock_word(struct eyot_rt *rt, fab_unit_t unit) {
  return fab_at(unit, rt->gmem->seg, EYOTI_GMEM_LOCK_OFF);
}

struct fab_addr eyoti_gmem_sync_at(struct eyot_rt *rt, fab_unit_t unit, uint64_t off) {
  EYOTI_ASSERT(off < EYOTI_GMEM_SYNC_BYTES);
  return fab_at(unit, rt->gmem->seg, EYOTI_GMEM_SYNC_OFF + off);
}

int eyot_heap_info(eyot_heap_info_t *info) {
  EYOTI_ENTER(rt);
  if (info == NULL) return EYOTI_FAIL(EYOT_EINVAL, "info is NULL");
  const struct eyoti_gmem *m = rt->gmem;
  *info = (eyot_heap_info_t){.size = eyoti_gmem_size_now(m),
                             .most = eyoti_gmem_size_most(m),
                             .collective_used = m->collective_used,
                             .private_used = m->private_used,
                             .largest_free = eyoti_extents_largest_free(&m->space, NULL)};
  return EYOT_OK;
}
