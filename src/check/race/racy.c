/* SPDX-License-Identifier: BSD-3-Clause */
/* racy.c - the bytes on which races are meant (eyot_check_racy), for the race detector: races there
 * are not reported.
 *
 * Why it exists: a sequence lock, or a poll of a flag by plain loads, races by design. Marks are
 * looked up where a race is found, so that they cost nothing elsewhere. Those that were made before
 * the first run are kept in all runs; the others end with their run. */
#include <string.h>

#include "base/check.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

static bool racy_same_part(const struct chk_race_range *a, const struct chk_race_range *b) {
  return a->unit == b->unit && a->seg == b->seg;
}

static bool racy_less(const struct chk_race_range *a, const struct chk_race_range *b) {
  if (a->unit != b->unit) return a->unit < b->unit;
  return a->seg != b->seg ? a->seg < b->seg : a->off < b->off;
}

/* Index of the first mark that begins after the start of `x`. */
static uint32_t racy_after(const struct chk_racy *m, const struct chk_race_range *x) {
  uint32_t lo = 0, hi = m->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (racy_less(x, &m->at[mid])) {
      hi = mid;
    } else {
      lo = mid + 1;
    }
  }
  return lo;
}

static void racy_replace(struct chk_racy *m, uint32_t from, uint32_t to,
                         const struct chk_race_range *by, uint32_t n) {
  uint32_t now = m->n - (to - from) + n;
  if (now > m->cap) {
    m->cap = now * 2;
    m->at = chk_resize(m->at, m->cap * sizeof *m->at);
    if (m->at == NULL) eyoti_no_memory(m->cap * sizeof *m->at, "%u racy ranges", m->cap);
  }
  if (m->n > to) memmove(&m->at[from + n], &m->at[to], (m->n - to) * sizeof *m->at);
  if (n > 0) memcpy(&m->at[from], by, n * sizeof *by);
  m->n = now;
}

/* Sets from .. to to the marks that touch or overlap x. */
static uint32_t racy_touching(const struct chk_racy *m, const struct chk_race_range *x,
                              uint32_t *to) {
  uint32_t from = racy_after(m, x);
  while (from > 0 && racy_same_part(&m->at[from - 1], x) &&
         m->at[from - 1].off + m->at[from - 1].len >= x->off)
    from--;
  *to = from;
  while (*to < m->n && racy_same_part(&m->at[*to], x) && m->at[*to].off <= x->off + x->len) ++*to;
  return from;
}

void chk_race_racy(struct chk_race *r, struct chk_race_range x) {
  struct chk_racy *m = &r->racy[r->restarted ? 1 : 0];
  uint32_t to, from = racy_touching(m, &x, &to);
  if (x.len == 0) return;
  if (from < to) {
    uint64_t end = x.off + x.len, last = m->at[to - 1].off + m->at[to - 1].len;
    if (m->at[from].off < x.off) x.off = m->at[from].off;
    x.len = (last > end ? last : end) - x.off;
  }
  racy_replace(m, from, to, &x, 1);
}

void chk_racy_forget(struct chk_race *r, struct chk_race_range x) {
  struct chk_racy *m = &r->racy[r->restarted ? 1 : 0];
  if (m->n == 0 || x.len == 0) return;
  uint32_t to, from = racy_touching(m, &x, &to), n = 0;
  if (from == to) return;
  struct chk_race_range rest[2], *first = &m->at[from], *last = &m->at[to - 1];
  uint64_t end = x.off + x.len, last_end = last->off + last->len;
  if (first->off < x.off)
    rest[n++] = (struct chk_race_range){x.unit, x.seg, first->off, x.off - first->off};
  if (last_end > end) rest[n++] = (struct chk_race_range){x.unit, x.seg, end, last_end - end};
  racy_replace(m, from, to, rest, n);
}

bool chk_racy_has(const struct chk_race *r, struct chk_race_range x) {
  for (uint32_t k = 0; k < 2; k++) {
    const struct chk_racy *m = &r->racy[k];
    uint32_t i = m->n == 0 ? 0 : racy_after(m, &x);
    if (i > 0 && racy_same_part(&m->at[i - 1], &x) &&
        m->at[i - 1].off + m->at[i - 1].len >= x.off + x.len)
      return true;
  }
  return false;
}
