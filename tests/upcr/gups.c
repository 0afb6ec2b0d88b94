/* SPDX-License-Identifier: BSD-3-Clause */
/* gups.c - examples/upc/gups.upc as Clang UPC2C translates it (translate.sh). */
#include <upcr.h>
/* its own headers after it */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef UPCR_TRANS_EXTRA_INCL
#define UPCR_TRANS_EXTRA_INCL
int32_t upcrt_forall_control;
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads), (elemsz), #sptr, (typestr) }
#define UPCRT_STARTUP_PSHALLOC UPCRT_STARTUP_SHALLOC
#endif
upcr_pshared_ptr_t table;
upcr_pshared_ptr_t lock;
upcr_pshared_ptr_t wrong;
static uint64_t next(uint64_t *seed) {
  UPCR_BEGIN_FUNCTION();
  uint64_t _bupc_spilld0;
  {
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    {
      _bupc_spilld0 = *seed >> 20;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld0;
    }
  }
  UPCR_EXIT_FUNCTION();
}
static void race(long updates, long total) {
  UPCR_BEGIN_FUNCTION();
  upcr_pshared_ptr_t _bupc_spilld0;
  uint64_t _bupc_spilld1;
  {
    uint64_t i, seed = (int)upcr_mythread() + 1;
    for (long k = 0; k < updates; k++) {
      i = next(&seed);
      (_bupc_spilld0 = (upcr_add_pshared1(table, 8UL, i % total)),
       (_bupc_spilld1 = ((uint64_t)upcr_get_pshared_val(_bupc_spilld0, 0UL, 8UL)) ^ (i),
        upcr_put_pshared_val(_bupc_spilld0, 0UL, (upcr_register_value_t)_bupc_spilld1, 8UL),
        _bupc_spilld1));
    }
  }
  UPCR_EXIT_FUNCTION();
}
static void undo(long updates, long total) {
  UPCR_BEGIN_FUNCTION();
  upcr_shared_ptr_t _bupc_spilld0;
  upcr_pshared_ptr_t _bupc_spilld1;
  uint64_t _bupc_spilld2;
  {
    uint64_t i, seed = (int)upcr_mythread() + 1;
    for (long k = 0; k < updates; k++) {
      i = next(&seed);
      upcr_shared_ptr_t l =
          (upcr_get_pshared(&_bupc_spilld0,
                            upcr_add_pshared1(lock, 8UL,
                                              upc_threadof(upcr_pshared_to_shared(
                                                  upcr_add_pshared1(table, 8UL, i % total)))),
                            0UL, 8UL),
           _bupc_spilld0);
      upc_lock(l);
      (_bupc_spilld1 = (upcr_add_pshared1(table, 8UL, i % total)),
       (_bupc_spilld2 = ((uint64_t)upcr_get_pshared_val(_bupc_spilld1, 0UL, 8UL)) ^ (i),
        upcr_put_pshared_val(_bupc_spilld1, 0UL, (upcr_register_value_t)_bupc_spilld2, 8UL),
        _bupc_spilld2));
      upc_unlock(l);
    }
  }
  UPCR_EXIT_FUNCTION();
}
int user_main(int argc, char **argv) {
  UPCR_BEGIN_FUNCTION();
  upcr_shared_ptr_t _bupc_spilld0;
  uint64_t _bupc_spilld1;
  uint64_t _bupc_spilld2;
  int _bupc_spilld3;
  {
    long k, updates = argc > 1 ? atol(argv[1]) : 4 * 4096, total = (long)4096 * (int)upcr_threads();
    uint64_t lost = 0;
    (_bupc_spilld0 = upc_global_lock_alloc(),
     upcr_put_pshared(upcr_add_pshared1(lock, 8UL, (int)upcr_mythread()), 0UL, &_bupc_spilld0, 8UL),
     _bupc_spilld0);
    if (upcrt_forall_control) {
      for (k = 0; k < total; k++)
        (_bupc_spilld1 = k,
         upcr_put_pshared_val(upcr_add_pshared1(table, 8UL, k), 0UL,
                              (upcr_register_value_t)_bupc_spilld1, 8UL),
         _bupc_spilld1);
    } else {
      upcrt_forall_control = 1;
      for (k = 0; k < total; k++)
        if (upcr_hasMyAffinity_pshared(upcr_add_pshared1(table, 8UL, k)))
          (_bupc_spilld1 = k,
           upcr_put_pshared_val(upcr_add_pshared1(table, 8UL, k), 0UL,
                                (upcr_register_value_t)_bupc_spilld1, 8UL),
           _bupc_spilld1);
      upcrt_forall_control = 0;
    }
    upcr_barrier(0, 1);
    race(updates, total);
    upcr_barrier(0, 1);
    undo(updates, total);
    upcr_barrier(0, 1);
    if (upcrt_forall_control) {
      for (k = 0; k < total; k++)
        lost += ((uint64_t)upcr_get_pshared_val(upcr_add_pshared1(table, 8UL, k), 0UL, 8UL)) != k;
    } else {
      upcrt_forall_control = 1;
      for (k = 0; k < total; k++)
        if (upcr_hasMyAffinity_pshared(upcr_add_pshared1(table, 8UL, k)))
          lost += ((uint64_t)upcr_get_pshared_val(upcr_add_pshared1(table, 8UL, k), 0UL, 8UL)) != k;
      upcrt_forall_control = 0;
    }
    (_bupc_spilld2 = lost,
     upcr_put_pshared_val(upcr_add_pshared1(wrong, 8UL, (int)upcr_mythread()), 0UL,
                          (upcr_register_value_t)_bupc_spilld2, 8UL),
     _bupc_spilld2);
    upcr_barrier(0, 1);
    if ((int)upcr_mythread() == 0) {
      for (lost = 0, k = 0; k < (int)upcr_threads(); k++)
        lost += ((uint64_t)upcr_get_pshared_val(upcr_add_pshared1(wrong, 8UL, k), 0UL, 8UL));
      printf("%ld updates, %.3f %% of the words are wrong\n", updates * (int)upcr_threads(),
             100. * lost / total);
      if (100 * lost > total) upc_global_exit(1);
    }
    {
      _bupc_spilld3 = 0;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld3;
    }
  }
  UPCR_EXIT_FUNCTION();
  return 0;
}
extern void UPCRI_ALLOC_gups_1755728503() {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_pshalloc_t _bupc_pinfo[] = {UPCRT_STARTUP_PSHALLOC(table, 8UL, 4096UL, 1UL, 8UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(lock, 8UL, 1UL, 1UL, 8UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(wrong, 8UL, 1UL, 1UL, 8UL, "")};
  upcr_startup_pshalloc(_bupc_pinfo, 3UL);
}
extern void UPCRI_INIT_gups_1755728503() {
  UPCR_BEGIN_FUNCTION();
  if (upcr_mythread() == 0) {
  }
}
