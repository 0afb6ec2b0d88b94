/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - examples/upc/stream.upc as Clang UPC2C translates it (translate.sh). */
#include <upcr.h>
/* its own headers after it */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifndef UPCR_TRANS_EXTRA_INCL
#define UPCR_TRANS_EXTRA_INCL
int32_t upcrt_forall_control;
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads), (elemsz), #sptr, (typestr) }
#define UPCRT_STARTUP_PSHALLOC UPCRT_STARTUP_SHALLOC
#endif
upcr_shared_ptr_t a;
upcr_shared_ptr_t b;
upcr_shared_ptr_t c;
int user_main() {
  UPCR_BEGIN_FUNCTION();
  double _bupc_spilld0;
  double _bupc_spilld1;
  double _bupc_spilld2;
  int _bupc_spilld3;
  {
    long i;
    if (upcrt_forall_control) {
      for (i = 0; i < (long)5000 * (int)upcr_threads(); i++) {
        (_bupc_spilld0 = i,
         upcr_put_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000UL), 0UL, _bupc_spilld0),
         _bupc_spilld0);
        (_bupc_spilld1 = 2 * i,
         upcr_put_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000UL), 0UL, _bupc_spilld1),
         _bupc_spilld1);
      }
    } else {
      upcrt_forall_control = 1;
      for (i = 0; i < (long)5000 * (int)upcr_threads(); i++)
        if (upcr_hasMyAffinity_shared(upcr_add_shared(b, 8UL, i, 5000UL))) {
          (_bupc_spilld0 = i,
           upcr_put_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000UL), 0UL, _bupc_spilld0),
           _bupc_spilld0);
          (_bupc_spilld1 = 2 * i,
           upcr_put_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000UL), 0UL, _bupc_spilld1),
           _bupc_spilld1);
        }
      upcrt_forall_control = 0;
    }
    upcr_barrier(0, 1);
    upc_tick_t begin = upc_ticks_now();
    if (upcrt_forall_control) {
      for (i = 0; i < (long)5000 * (int)upcr_threads(); i++)
        (_bupc_spilld2 =
             ((double)upcr_get_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000UL), 0UL)) +
             3 * ((double)upcr_get_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000UL), 0UL)),
         upcr_put_shared_doubleval(upcr_add_shared(a, 8UL, i, 5000UL), 0UL, _bupc_spilld2),
         _bupc_spilld2);
    } else {
      upcrt_forall_control = 1;
      for (i = 0; i < (long)5000 * (int)upcr_threads(); i++)
        if (upcr_hasMyAffinity_shared(upcr_add_shared(a, 8UL, i, 5000UL)))
          (_bupc_spilld2 =
               ((double)upcr_get_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000UL), 0UL)) +
               3 * ((double)upcr_get_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000UL), 0UL)),
           upcr_put_shared_doubleval(upcr_add_shared(a, 8UL, i, 5000UL), 0UL, _bupc_spilld2),
           _bupc_spilld2);
      upcrt_forall_control = 0;
    }
    upcr_barrier(0, 1);
    upc_tick_t end = upc_ticks_now();
    if ((int)upcr_mythread() == 0) {
      for (i = 0; i < (long)5000 * (int)upcr_threads(); i += 5000 / 4)
        if (((double)upcr_get_shared_doubleval(upcr_add_shared(a, 8UL, i, 5000UL), 0UL)) != 7. * i)
          upc_global_exit(1);
      printf("the triad of %ld elements took %lu ns\n", (long)5000 * (int)upcr_threads(),
             (unsigned long)upc_ticks_to_ns(end - begin));
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
extern void UPCRI_ALLOC_stream_930280368() {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_shalloc_t _bupc_info[] = {UPCRT_STARTUP_SHALLOC(a, 40000UL, 1UL, 1UL, 8UL, ""),
                                         UPCRT_STARTUP_SHALLOC(b, 40000UL, 1UL, 1UL, 8UL, ""),
                                         UPCRT_STARTUP_SHALLOC(c, 40000UL, 1UL, 1UL, 8UL, "")};
  upcr_startup_shalloc(_bupc_info, 3UL);
}
extern void UPCRI_INIT_stream_930280368() {
  UPCR_BEGIN_FUNCTION();
  if (upcr_mythread() == 0) {
  }
}
