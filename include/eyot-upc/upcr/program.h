/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr/program.h - what surrounds a translated program: threads, barriers, private data, shared
 * data, start and end (UPCR, Job startup; Barriers; Static data).
 *
 * The library's main starts UPC, calls the functions UPCRI_ALLOC_... of all translated files on
 * all threads, then UPCRI_INIT_..., then user_main; it finds them in the program's table of
 * symbols. What user_main returns is the exit code. */
#ifndef EYOT_UPCR_PROGRAM_H
#define EYOT_UPCR_PROGRAM_H

#include "access.h"

#ifdef __cplusplus
extern "C" {
#endif

#define UPCR_RUNTIME_SPEC_MAJOR 3
#define UPCR_RUNTIME_SPEC_MINOR 11

EYOTI_INLINE upcr_thread_t upcr_mythread(void) {
  return (upcr_thread_t)upci_run.me;
}
EYOTI_INLINE upcr_thread_t upcr_threads(void) {
  return (upcr_thread_t)upci_run.threads;
}

/* Functions of a program begin and end so; eyot needs nothing there. */
#define UPCR_BEGIN_FUNCTION() ((void)0)
#define UPCR_EXIT_FUNCTION() ((void)0)
#define UPCR_SET_SRCPOS(file, line) ((void)0)
#define upcri_srcpos() ((void)0)

/* Private data with static storage: each thread has its own copy of the program. */
#define UPCR_TLD_DEFINE(name, size, align) name
#define UPCR_TLD_DEFINE_TENTATIVE(name, size, align) name
#define UPCR_TLD_ADDR(name) ((void *)&(name))

/* Shared data with static storage: upcr_startup_shalloc and upcr_startup_pshalloc allocate
 * numblocks blocks (times THREADS, if mult_by_threads) of blockbytes bytes from thread 0 on, with
 * zeros, for each of `count` variables that has no memory yet. Collective, blocking; called by
 * UPCRI_ALLOC_... alone. */
typedef struct upcr_startup_shalloc {
  upcr_shared_ptr_t *sptr_addr;
  size_t blockbytes, numblocks;
  int mult_by_threads;
  size_t elemsz;
  const char *namestr, *typestr;
} upcr_startup_shalloc_t;
typedef upcr_startup_shalloc_t upcr_startup_pshalloc_t;
upc_shared_t upcri_startup_take(size_t blockbytes, size_t numblocks, int mult_by_threads);
EYOTI_INLINE void upcr_startup_shalloc(upcr_startup_shalloc_t *infos, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (upcr_isnull_shared(*infos[i].sptr_addr))
      *infos[i].sptr_addr = upcri_pack(
          upcri_startup_take(infos[i].blockbytes, infos[i].numblocks, infos[i].mult_by_threads));
}
#define upcr_startup_pshalloc upcr_startup_shalloc

/* Barriers, as upc_notify and its kin. flags: UPCR_BARRIERFLAG_ANONYMOUS is one without an
 * expression. */
#define UPCR_BARRIERFLAG_ANONYMOUS 1
void upcr_notify(int value, int flags);
void upcr_wait(int value, int flags);
void upcr_barrier(int value, int flags);
int upcr_try_wait(int value, int flags);
/* upcr_poll is upc_fence, and lets others make progress. */
void upcr_poll(void);

/* upcr_exit ends the calling thread's part; collective, does not return. upcr_global_exit ends the
 * run. */
void upcr_exit(int code) __attribute__((noreturn));
void upcr_global_exit(int code) __attribute__((noreturn));
#define upc_global_exit(code) upcr_global_exit(code)
/* Berkeley UPC's headers replace exit by it. */
void upcri_do_exit(int code) __attribute__((noreturn));

/* A file that is translated for a constant number of threads; the start compares it. */
#ifdef UPCR_STATIC_THREADS
static const int upcri_static_threads __attribute__((section("upcri_threads"), used)) =
    UPCR_STATIC_THREADS;
#endif

/* Where a for-all loop inside another one begins: the first i >= lo of step `step` at which
 * (i * scale + start_thread) mod THREADS is the caller. */
int _upcrt_forall_start(int start_thread, int step, int lo, int scale);
int upcrt_gcd(int a, int b);

/* Strings that describe how an object was built. */
#define GASNETT_IDENT(name, text) extern int upcri_ident_##name __attribute__((unused))

#ifdef __cplusplus
}
#endif
#endif
