/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c - examples/upc/collectives.upc as Clang UPC2C translates it (translate.sh). */
#include <upcr.h>
/* its own headers after it */
#include <stddef.h>
#include <stdio.h>
#ifndef UPCR_TRANS_EXTRA_INCL
#define UPCR_TRANS_EXTRA_INCL
int32_t upcrt_forall_control;
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads), (elemsz), #sptr, (typestr) }
#define UPCRT_STARTUP_PSHALLOC UPCRT_STARTUP_SHALLOC
#endif
upcr_pshared_ptr_t part;
upcr_pshared_ptr_t ring;
upcr_pshared_ptr_t perm;
upcr_pshared_ptr_t sums;
upcr_pshared_ptr_t count;
static int larger(int a, int b) {
  UPCR_BEGIN_FUNCTION();
  int _bupc_spilld0;
  {
    {
      _bupc_spilld0 = a > b ? a : b;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld0;
    }
  }
  UPCR_EXIT_FUNCTION();
}
static void must(int holds, int line) {
  UPCR_BEGIN_FUNCTION();
  {
    if (!holds) {
      fprintf(stderr, "collectives.upc:%d: thread %d: not so\n", line, (int)upcr_mythread());
      upc_global_exit(1);
    }
  }
  UPCR_EXIT_FUNCTION();
}
static void all(upc_flag_t mode) {
  UPCR_BEGIN_FUNCTION();
  int _bupc_spilld0;
  int _bupc_spilld1;
  {
    upcr_pshared_ptr_t row = upcr_shared_to_pshared(
        upc_all_alloc((int)upcr_threads(), (int)upcr_threads() * sizeof(int)));
    int *mine = (int *)upcr_pshared_to_local(upcr_add_pshared1(row, 4UL, (int)upcr_mythread()));
    (_bupc_spilld0 = 10 * (int)upcr_mythread() + 1,
     upcr_put_pshared_val(upcr_add_pshared1(ring, 4UL, (int)upcr_mythread()), 0UL,
                          (upcr_register_value_t)_bupc_spilld0, 4UL),
     _bupc_spilld0);
    (_bupc_spilld1 = ((int)upcr_mythread() + 1) % (int)upcr_threads(),
     upcr_put_pshared_val(upcr_add_pshared1(perm, 4UL, (int)upcr_mythread()), 0UL,
                          (upcr_register_value_t)_bupc_spilld1, 4UL),
     _bupc_spilld1);
    upcr_barrier(0, 1);
    upc_all_broadcast(upcr_pshared_to_shared(sums), upcr_pshared_to_shared(ring), sizeof(int),
                      mode);
    upcr_barrier(0, 1);
    must(((int)upcr_get_pshared_val(upcr_add_pshared1(sums, 4UL, (int)upcr_mythread()), 0UL,
                                    4UL)) == 1,
         31);
    upc_all_gather_all(upcr_pshared_to_shared(row), upcr_pshared_to_shared(ring), sizeof(int),
                       mode);
    upcr_barrier(0, 1);
    for (int t = 0; t < (int)upcr_threads(); t++) must(mine[t] == 10 * t + 1, 34);
    upcr_barrier(0, 1);
    upc_all_permute(upcr_pshared_to_shared(sums), upcr_pshared_to_shared(ring), perm, sizeof(int),
                    mode);
    upcr_barrier(0, 1);
    must(
        ((int)upcr_get_pshared_val(upcr_add_pshared1(sums, 4UL, (int)upcr_mythread()), 0UL, 4UL)) ==
            10 * (((int)upcr_mythread() + (int)upcr_threads() - 1) % (int)upcr_threads()) + 1,
        38);
    upcr_barrier(0, 1);
    upc_all_reduceI(upcr_pshared_to_shared(sums), upcr_pshared_to_shared(ring), 1UL,
                    (int)upcr_threads(), 1, ((void *)0), mode);
    upcr_barrier(0, 1);
    must(((int)upcr_get_pshared_val(sums, 0UL, 4UL)) ==
             5 * (int)upcr_threads() * ((int)upcr_threads() - 1) + (int)upcr_threads(),
         42);
    upcr_barrier(0, 1);
    upc_all_prefix_reduceI(upcr_pshared_to_shared(sums), upcr_pshared_to_shared(ring), 65536UL,
                           (int)upcr_threads(), 1, larger, mode);
    upcr_barrier(0, 1);
    must(((int)upcr_get_pshared_val(upcr_add_pshared1(sums, 4UL, (int)upcr_mythread()), 0UL,
                                    4UL)) == 10 * (int)upcr_mythread() + 1,
         46);
    upcr_barrier(0, 1);
    upc_all_free(upcr_pshared_to_shared(row));
  }
  UPCR_EXIT_FUNCTION();
}
int user_main() {
  UPCR_BEGIN_FUNCTION();
  upcr_pshared_ptr_t _bupc_spilld0;
  upcr_pshared_ptr_t _bupc_spilld1;
  int _bupc_spilld2;
  upcr_pshared_ptr_t _bupc_spilld3;
  upcr_pshared_ptr_t _bupc_spilld4;
  upcr_pshared_ptr_t _bupc_spilld5;
  int _bupc_spilld6;
  {
    upcr_shared_ptr_t domain = upc_all_atomicdomain_alloc(7, 1UL | 512UL, 0);
    long two = 2, seen;
    all(1 | 8);
    all(2 | 16);
    all(4 | 32);
    (_bupc_spilld0 = upcr_shared_to_pshared(upc_alloc(4 * sizeof(int))),
     upcr_put_pshared(upcr_add_pshared1(part, 8UL, (int)upcr_mythread()), 0UL, &_bupc_spilld0, 8UL),
     _bupc_spilld0);
    (_bupc_spilld2 = (int)upcr_mythread(),
     upcr_put_pshared_val(
         (upcr_get_pshared(&_bupc_spilld1, upcr_add_pshared1(part, 8UL, (int)upcr_mythread()), 0UL,
                           8UL),
          _bupc_spilld1),
         (4UL) * (3), (upcr_register_value_t)_bupc_spilld2, 4UL),
     _bupc_spilld2);
    upc_atomic_relaxed(domain, ((void *)0), 1UL, upcr_pshared_to_shared(count), &two, ((void *)0));
    upcr_barrier(0, 1);
    int next = ((int)upcr_mythread() + 1) % (int)upcr_threads();
    must(((int)upcr_get_pshared_val(
             (upcr_get_pshared(&_bupc_spilld3, upcr_add_pshared1(part, 8UL, next), 0UL, 8UL),
              _bupc_spilld3),
             (4UL) * (3), 4UL)) == next &&
             upc_threadof(upcr_pshared_to_shared(
                 (upcr_get_pshared(&_bupc_spilld4, upcr_add_pshared1(part, 8UL, next), 0UL, 8UL),
                  _bupc_spilld4))) == next,
         62);
    upc_atomic_strict(domain, &seen, 512UL, upcr_pshared_to_shared(count), ((void *)0),
                      ((void *)0));
    must(seen == 2 * (int)upcr_threads(), 64);
    upcr_barrier(0, 1);
    upc_free(upcr_pshared_to_shared(
        (upcr_get_pshared(&_bupc_spilld5, upcr_add_pshared1(part, 8UL, next), 0UL, 8UL),
         _bupc_spilld5)));
    upc_all_atomicdomain_free(domain);
    {
      _bupc_spilld6 = 0;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld6;
    }
  }
  UPCR_EXIT_FUNCTION();
  return 0;
}
extern void UPCRI_ALLOC_collectives_2647679936() {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_pshalloc_t _bupc_pinfo[] = {UPCRT_STARTUP_PSHALLOC(part, 8UL, 1UL, 1UL, 8UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(ring, 4UL, 1UL, 1UL, 4UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(perm, 4UL, 1UL, 1UL, 4UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(sums, 4UL, 1UL, 1UL, 4UL, ""),
                                           UPCRT_STARTUP_PSHALLOC(count, 8UL, 1UL, 0UL, 8UL, "")};
  upcr_startup_pshalloc(_bupc_pinfo, 5UL);
}
extern void UPCRI_INIT_collectives_2647679936() {
  UPCR_BEGIN_FUNCTION();
  if (upcr_mythread() == 0) {
  }
}
