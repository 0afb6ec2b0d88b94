/* SPDX-License-Identifier: BSD-3-Clause */
/* mapped.c - see mapped.h. */
#include "fabric_real/mem/mapped.h"

#include <string.h>

#include "fabric_real/wait/wakeup.h"

/* One aligned word is copied by one instruction, so that it is never torn. */
void fmpi_copy_in(char *dst, const void *src, uint64_t len) {
  if (len == 8 && (uintptr_t)dst % 8 == 0) {
    uint64_t v;
    memcpy(&v, src, 8);
    __atomic_store_n((uint64_t *)(void *)dst, v, __ATOMIC_RELEASE);
  } else if (len == 4 && (uintptr_t)dst % 4 == 0) {
    uint32_t v;
    memcpy(&v, src, 4);
    __atomic_store_n((uint32_t *)(void *)dst, v, __ATOMIC_RELEASE);
  } else {
    memmove(dst, src, len); /* a unit may put to itself, from where it puts to */
    __atomic_thread_fence(__ATOMIC_RELEASE);
  }
}

void fmpi_copy_out(void *dst, const char *src, uint64_t len) {
  if (len == 8 && (uintptr_t)src % 8 == 0) {
    uint64_t v = __atomic_load_n((const uint64_t *)(const void *)src, __ATOMIC_ACQUIRE);
    memcpy(dst, &v, 8);
  } else if (len == 4 && (uintptr_t)src % 4 == 0) {
    uint32_t v = __atomic_load_n((const uint32_t *)(const void *)src, __ATOMIC_ACQUIRE);
    memcpy(dst, &v, 4);
  } else {
    memmove(dst, src, len);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  }
}

void fmpi_signal_mapped(const struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                        uint64_t value) {
  uint64_t *w = (uint64_t *)(void *)at->ptr;
  /* Pairs with the acquire load of wait_mem. */
  if (op == FAB_SIG_SET)
    __atomic_store_n(w, value, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add(w, value, __ATOMIC_ACQ_REL);
  fmpi_wakeup_changed(f, at->unit);
}

void fmpi_raise_mapped(const struct fmpi *f, const struct fmpi_at *at, uint64_t value) {
  uint64_t *w = (uint64_t *)(void *)at->ptr, was = __atomic_load_n(w, __ATOMIC_RELAXED);
  bool done = f->fab.local.n == 1 && f->progress.thread == NULL; /* others do not change it */
  if (done && was < value) __atomic_store_n(w, value, __ATOMIC_RELEASE);
  while (was < value && !done) /* as in fmpi_signal_mapped */
    done = __atomic_compare_exchange_n(w, &was, value, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  fmpi_wakeup_changed(f, at->unit);
}
