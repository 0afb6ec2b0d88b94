/* SPDX-License-Identifier: BSD-3-Clause */
/* gups.c - examples/upc/gups.upc as Clang UPC2C translates it. */
#include <upcr.h>
/* */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "prelude.h"

upcr_pshared_ptr_t table;
upcr_pshared_ptr_t lock;
upcr_pshared_ptr_t wrong;

static uint64_t next(uint64_t *seed) {
  UPCR_BEGIN_FUNCTION();
  unsigned long _bupc_spilld0;
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
  unsigned long _bupc_spilld1;
  {
    uint64_t i, seed = ((int)upcr_mythread()) + 1;
    for (long k = 0; k < updates; k++) {
      i = next(&seed);
      (_bupc_spilld0 = upcr_add_pshared1(table, 8UL, i % total),
       (_bupc_spilld1 = ((unsigned long)upcr_get_pshared_val(_bupc_spilld0, 0, 8UL)) ^ i,
        upcr_put_pshared_val(_bupc_spilld0, 0, (upcr_register_value_t)_bupc_spilld1, 8UL),
        _bupc_spilld1));
    }
  }
  UPCR_EXIT_FUNCTION();
}
int user_main(int argc, char **argv) {
  UPCR_BEGIN_FUNCTION();
  upcr_shared_ptr_t _bupc_spilld0;
  unsigned long _bupc_spilld1;
  upcr_shared_ptr_t _bupc_spilld4;
  upcr_pshared_ptr_t _bupc_spilld5;
  unsigned long _bupc_spilld6;
  unsigned long _bupc_spilld7;
  int _bupc_spilld8;
  {
    long k, updates = argc > 1 ? atol(argv[1]) : 4 * 4096,
            total = (long)4096 * ((int)upcr_threads());
    uint64_t i, lost = 0, seed;
    (_bupc_spilld0 = upc_global_lock_alloc(),
     upcr_put_pshared(upcr_add_pshared1(lock, 8UL, ((int)upcr_mythread())), 0, &_bupc_spilld0,
                      8UL));
    upcrt_forall_control = 1;
    for (k = 0; k < total; k++)
      if (upcr_hasMyAffinity_pshared(upcr_add_pshared1(table, 8UL, k)))
        (_bupc_spilld1 = k, upcr_put_pshared_val(upcr_add_pshared1(table, 8UL, k), 0,
                                                 (upcr_register_value_t)_bupc_spilld1, 8UL));
    upcrt_forall_control = 0;
    upcr_barrier(0, 1);
    race(updates, total);
    upcr_barrier(0, 1);
    seed = ((int)upcr_mythread()) + 1;
    for (k = 0; k < updates; k++) {
      i = next(&seed);
      upcr_shared_ptr_t l =
          (upcr_get_pshared(&_bupc_spilld4,
                            upcr_add_pshared1(lock, 8UL,
                                              upc_threadof(upcr_pshared_to_shared(
                                                  upcr_add_pshared1(table, 8UL, i % total)))),
                            0, 8UL),
           _bupc_spilld4);
      upc_lock(l);
      (_bupc_spilld5 = upcr_add_pshared1(table, 8UL, i % total),
       (_bupc_spilld6 = ((unsigned long)upcr_get_pshared_val(_bupc_spilld5, 0, 8UL)) ^ i,
        upcr_put_pshared_val(_bupc_spilld5, 0, (upcr_register_value_t)_bupc_spilld6, 8UL),
        _bupc_spilld6));
      upc_unlock(l);
    }
    upcr_barrier(0, 1);
    upcrt_forall_control = 1;
    for (k = 0; k < total; k++)
      if (upcr_hasMyAffinity_pshared(upcr_add_pshared1(table, 8UL, k)))
        lost += ((unsigned long)upcr_get_pshared_val(upcr_add_pshared1(table, 8UL, k), 0, 8UL)) !=
                (unsigned long)k;
    upcrt_forall_control = 0;
    (_bupc_spilld7 = lost,
     upcr_put_pshared_val(upcr_add_pshared1(wrong, 8UL, ((int)upcr_mythread())), 0,
                          (upcr_register_value_t)_bupc_spilld7, 8UL));
    upcr_barrier(0, 1);
    if (((int)upcr_mythread()) == 0) {
      for (lost = 0, k = 0; k < ((int)upcr_threads()); k++)
        lost += ((unsigned long)upcr_get_pshared_val(upcr_add_pshared1(wrong, 8UL, k), 0, 8UL));
      printf("%ld updates, %.3f %% of the words are wrong\n", updates * ((int)upcr_threads()),
             100. * lost / total);
      if (100 * lost > (unsigned long)total) upc_global_exit(1);
    }
    {
      _bupc_spilld8 = 0;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld8;
    }
  }
  UPCR_EXIT_FUNCTION();
  return 0;
}
void UPCRI_ALLOC_gups_5150(void) {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_pshalloc_t _bupc_pinfo[] = {UPCRT_STARTUP_PSHALLOC(table, 8UL, 4096UL, 1UL, 8UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(lock, 8UL, 1UL, 1UL, 8UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(wrong, 8UL, 1UL, 1UL, 8UL, "")};
  upcr_startup_pshalloc(_bupc_pinfo, 3UL);
}
void UPCRI_INIT_gups_5150(void) {
  UPCR_BEGIN_FUNCTION();
  if (upcr_mythread() == 0) {
  }
}
