/* SPDX-License-Identifier: BSD-3-Clause */
/* wakeup.c - see wakeup.h. Futexes of Linux, which work between processes that share the memory
 * (no FUTEX_PRIVATE_FLAG). */

/* Why no wakeup is lost.
 *
 * The sleeper sets its word, fences, checks once more what it waits for, and sleeps only while the
 * word is set; the other changes what is waited for, fences, and reads the word. At least one of
 * them sees the other's store. A process that posts often must not pay for the fence:
 * fmpi_wakeup_quiet_fence lets the sleeper pay for both.
 *
 * Words that others change by the CPU inline have no such sender. So a unit shows its conditions
 * before it sets its word and its bit of `sleepers`, and each process of the node that begins to
 * wait fences and evaluates what the sleepers have shown. Let W store a word inline and wait next,
 * and S sleep for that word. If S's fence comes after W's, S's check sees the word. If it comes
 * before, W's reads see S's word, bit and conditions, or later ones of S, which came after
 * another check of S, with another fence, for which the same holds. So S sleeps on only while every
 * process that has stored its word has not waited since: until W enters eyot again, S's sleep ends
 * by time (idle.c). A reader that finds conditions half written misses nothing: S has fenced and
 * checked after it wrote the others. */
#include "fabric_real/wait/wakeup.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/conf.h"
#include "fabric_real/endpoint/node_memory.h"

#define NS_A_S UINT64_C(1000000000)
#define BITS 64u /* of a word of `sleepers` */

bool fmpi_wakeup_register(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool fmpi_wakeup_quiet_fence(const struct fmpi *f) {
  return f->job.quiet_fence && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

int fmpi_wakeups_open(struct fmpi *f) {
  uint32_t n = fmpi_node_processes(f);
  if (n == 1 || (!f->job.oversubscribed && f->job.servers == 0)) return EYOT_OK;
  uint64_t words = ((uint64_t)n + BITS - 1) / BITS;
  uint64_t mask_bytes = (words * sizeof(uint64_t) + FMPI_LINE - 1) / FMPI_LINE * FMPI_LINE;
  struct fmpi_wakeups *b = calloc(1, sizeof *b);
  if (b == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for wakeups (%zu bytes)", sizeof *b);
  f->idle.wakeups = b;
  EYOTI_TRY(fmpi_share_lines(f, "wakeups", mask_bytes + (uint64_t)n * sizeof(struct fmpi_wakeup),
                             &b->shared));
  b->sleepers = (uint64_t *)(void *)b->shared.at;
  b->wakeup = (struct fmpi_wakeup *)(void *)(b->shared.at + mask_bytes);
  b->rank = fmpi_node_rank(f);
  b->n = n;
  b->own = &b->wakeup[b->rank];
  /* tests of sleeping on any machine; not an option of a run */
  const char *told = eyoti_conf_foreign_env("EYOTI_MPI_WAIT_IDLE");
  f->idle.always = f->job.oversubscribed && told != NULL && strcmp(told, "sleep") == 0;
  return EYOT_OK;
}

int fmpi_wakeups_close(struct fmpi *f) {
  if (f->idle.wakeups == NULL) return EYOT_OK;
  fmpi_shared_leave(&f->idle.wakeups->shared);
  free(f->idle.wakeups);
  f->idle.wakeups = NULL;
  return EYOT_OK;
}

void fmpi_wakeup_arm(struct fmpi *f) {
  const struct fmpi_wakeups *b = f->idle.wakeups;
  __atomic_store_n(&b->own->asleep, 1, __ATOMIC_RELAXED);
  if (f->job.server == FMPI_UNIT)
    __atomic_fetch_or(&b->sleepers[b->rank / BITS], UINT64_C(1) << b->rank % BITS,
                      __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with that of the sender of a wakeup */
}

void fmpi_wakeup_disarm(struct fmpi *f) {
  const struct fmpi_wakeups *b = f->idle.wakeups;
  __atomic_store_n(&b->own->asleep, 0, __ATOMIC_RELAXED);
  uint64_t bit = UINT64_C(1) << b->rank % BITS, *word = &b->sleepers[b->rank / BITS];
  if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) != 0) /* only we set and clear it */
    __atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
}

void fmpi_wakeup_sleep(struct fmpi *f, uint64_t most_ns) {
  const struct timespec most = {.tv_sec = (time_t)(most_ns / NS_A_S),
                                .tv_nsec = (long)(most_ns % NS_A_S)};
  /* Returns at once if a wakeup has come. Whatever ends it, the caller checks again. */
  (void)syscall(SYS_futex, &f->idle.wakeups->own->asleep, FUTEX_WAIT, 1, &most, NULL, 0);
  if (__atomic_load_n(&f->idle.wakeups->own->asleep, __ATOMIC_RELAXED) == 0)
    f->stats.sleeps_woken++;
  else
    f->stats.sleeps_timed++;
  fmpi_wakeup_disarm(f);
}

void fmpi_wakeup_at(const struct fmpi *f) {
  struct fmpi_wakeup *own = f->idle.wakeups->own;
  uint32_t now = (uint32_t)(sched_getcpu() + 1);
  if (__atomic_load_n(&own->processor, __ATOMIC_RELAXED) != now)
    __atomic_store_n(&own->processor, now, __ATOMIC_RELAXED);
}

bool fmpi_wakeup_has_company(const struct fmpi *f) {
  const struct fmpi_wakeups *b = f->idle.wakeups;
  uint32_t here = __atomic_load_n(&b->own->processor, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < b->n; i++) {
    if (i == b->rank || __atomic_load_n(&b->wakeup[i].processor, __ATOMIC_RELAXED) != here)
      continue;
    if (__atomic_load_n(&b->wakeup[i].asleep, __ATOMIC_RELAXED) == 0) return true;
  }
  return false;
}

static void show(struct fmpi_shown *to, const struct fmpi_shown *s) {
  __atomic_store_n(&to->seg, s->seg, __ATOMIC_RELAXED);
  __atomic_store_n(&to->rank, s->rank, __ATOMIC_RELAXED);
  __atomic_store_n(&to->off, s->off, __ATOMIC_RELAXED);
  __atomic_store_n(&to->mask, s->mask, __ATOMIC_RELAXED);
  __atomic_store_n(&to->value, s->value, __ATOMIC_RELAXED);
  __atomic_store_n(&to->cmp, s->cmp, __ATOMIC_RELAXED);
  __atomic_store_n(&to->type, s->type, __ATOMIC_RELAXED);
}

bool fmpi_wakeup_show(struct fmpi *f, const struct fab_cond *conds, uint32_t n) {
  const struct fmpi_wakeups *b = f->idle.wakeups;
  if (n > FMPI_WAKEUP_CONDS) return false;
  for (uint32_t i = 0; i < n; i++)
    if (conds[i].seg == FAB_SEG_ATTACHED) return false;
  for (uint32_t i = 0; i < n; i++)
    show(&b->own->shown[i], &(struct fmpi_shown){.seg = conds[i].seg,
                                                 .rank = b->rank,
                                                 .off = conds[i].off,
                                                 .mask = UINT64_MAX,
                                                 .value = conds[i].value,
                                                 .cmp = conds[i].cmp,
                                                 .type = conds[i].type});
  __atomic_store_n(&b->own->n, n, __ATOMIC_RELAXED);
  return true;
}

void fmpi_wakeup_show_low(struct fmpi *f, struct fab_addr at, uint32_t value) {
  struct fmpi_wakeup *own = f->idle.wakeups->own;
  show(&own->shown[0], &(struct fmpi_shown){.seg = at.seg,
                                            .rank = at.unit - f->fab.local.first,
                                            .off = at.off,
                                            .mask = UINT32_MAX,
                                            .value = value,
                                            .cmp = FAB_EQ});
  __atomic_store_n(&own->n, 1, __ATOMIC_RELAXED);
}

uint32_t fmpi_wakeup_sleepers(const struct fmpi *f) {
  const struct fmpi_wakeups *b = f->idle.wakeups;
  uint32_t n = 0;
  for (uint32_t i = 0; i * BITS < b->n; i++)
    n += (uint32_t)__builtin_popcountll(__atomic_load_n(&b->sleepers[i], __ATOMIC_RELAXED));
  return n;
}

/* Does a condition hold that the unit of that rank has shown? */
static bool shown_holds(const struct fmpi *f, uint32_t rank) {
  const struct fmpi_wakeup *b = &f->idle.wakeups->wakeup[rank];
  uint32_t n = __atomic_load_n(&b->n, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < n && i < FMPI_WAKEUP_CONDS; i++) {
    const struct fmpi_shown *c = &b->shown[i];
    fab_seg_t id = __atomic_load_n(&c->seg, __ATOMIC_RELAXED);
    uint32_t of = __atomic_load_n(&c->rank, __ATOMIC_RELAXED);
    uint64_t off = __atomic_load_n(&c->off, __ATOMIC_RELAXED);
    enum fab_word type = __atomic_load_n(&c->type, __ATOMIC_RELAXED);
    uint32_t bytes = fab_word_bytes(type);
    const struct fmpi_seg *s = &f->seg[id % FAB_SEG_MAX];
    /* a segment that this process has left already, or a condition half written */
    if (!s->live || s->id != id || off % bytes != 0 || off >= s->len || s->len - off < bytes ||
        of >= f->fab.local.n)
      continue;
    uint64_t word = fab_word_load(type, s->base + of * s->stride + off);
    if (type == FAB_U64) word &= __atomic_load_n(&c->mask, __ATOMIC_RELAXED);
    if (fab_word_holds(type, __atomic_load_n(&c->cmp, __ATOMIC_RELAXED), word,
                       __atomic_load_n(&c->value, __ATOMIC_RELAXED)))
      return true;
  }
  return false;
}

void fmpi_wakeup_others(const struct fmpi *f) {
  const struct fmpi_wakeups *b = f->idle.wakeups;
  if (b == NULL) return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* between the caller's stores and what others show */
  for (uint32_t first = 0; first < b->n; first += BITS) {
    uint64_t left = __atomic_load_n(&b->sleepers[first / BITS], __ATOMIC_ACQUIRE);
    for (; left != 0; left &= left - 1) {
      uint32_t rank = first + (uint32_t)__builtin_ctzll(left);
      if (rank != b->rank && shown_holds(f, rank)) fmpi_wakeup_post(f, rank);
    }
  }
}

void fmpi_wakeup_wake(struct fmpi_wakeup *b) {
  if (__atomic_exchange_n(&b->asleep, 0, __ATOMIC_RELAXED) != 0)
    (void)syscall(SYS_futex, &b->asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void fmpi_wake(struct fab *fab, fab_unit_t unit) {
  const struct fmpi *f = fmpi_of(fab);
  if (unit == FAB_ALL) {
    fmpi_wakeup_others(f);
    return;
  }
  uint32_t rank = unit - fab->local.first;
  EYOTI_ASSERT(rank < fab->local.n);
  fmpi_wakeup_post(f, rank);
}
