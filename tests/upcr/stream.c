/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - examples/upc/stream.upc as Clang UPC2C translates it. */
#include <upcr.h>
/* */
#include <stdio.h>

#include "prelude.h"

upcr_shared_ptr_t a;
upcr_shared_ptr_t b;
upcr_shared_ptr_t c;

int user_main(void) {
  UPCR_BEGIN_FUNCTION();
  double _bupc_spilld0;
  double _bupc_spilld1;
  double _bupc_spilld2;
  double _bupc_spilld3;
  double _bupc_spilld4;
  double _bupc_spilld5;
  int _bupc_spilld6;
  {
    long i;
    if (upcrt_forall_control) {
      for (i = 0; i < (long)5000 * ((int)upcr_threads()); i++) {
        (_bupc_spilld0 = i,
         upcr_put_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000), 0, _bupc_spilld0));
        (_bupc_spilld1 = 2 * i,
         upcr_put_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000), 0, _bupc_spilld1));
      }
    } else {
      upcrt_forall_control = 1;
      for (i = 0; i < (long)5000 * ((int)upcr_threads()); i++)
        if (upcr_hasMyAffinity_shared(upcr_add_shared(b, 8UL, i, 5000))) {
          (_bupc_spilld2 = i,
           upcr_put_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000), 0, _bupc_spilld2));
          (_bupc_spilld3 = 2 * i,
           upcr_put_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000), 0, _bupc_spilld3));
        }
      upcrt_forall_control = 0;
    }
    upcr_barrier(0, 1);
    upc_tick_t begin = upc_ticks_now();
    if (upcrt_forall_control) {
      for (i = 0; i < (long)5000 * ((int)upcr_threads()); i++)
        (_bupc_spilld4 =
             ((double)upcr_get_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000), 0)) +
             3 * ((double)upcr_get_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000), 0)),
         upcr_put_shared_doubleval(upcr_add_shared(a, 8UL, i, 5000), 0, _bupc_spilld4));
    } else {
      upcrt_forall_control = 1;
      for (i = 0; i < (long)5000 * ((int)upcr_threads()); i++)
        if (upcr_hasMyAffinity_shared(upcr_add_shared(a, 8UL, i, 5000)))
          (_bupc_spilld5 =
               ((double)upcr_get_shared_doubleval(upcr_add_shared(b, 8UL, i, 5000), 0)) +
               3 * ((double)upcr_get_shared_doubleval(upcr_add_shared(c, 8UL, i, 5000), 0)),
           upcr_put_shared_doubleval(upcr_add_shared(a, 8UL, i, 5000), 0, _bupc_spilld5));
      upcrt_forall_control = 0;
    }
    upcr_barrier(0, 1);
    upc_tick_t end = upc_ticks_now();
    if (((int)upcr_mythread()) == 0) {
      for (i = 0; i < (long)5000 * ((int)upcr_threads()); i += 5000 / 4)
        if (((double)upcr_get_shared_doubleval(upcr_add_shared(a, 8UL, i, 5000), 0)) != 7. * i)
          upc_global_exit(1);
      printf("the triad of %ld elements took %lu ns\n", (long)5000 * ((int)upcr_threads()),
             (unsigned long)upc_ticks_to_ns(end - begin));
    }
    {
      _bupc_spilld6 = 0;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld6;
    }
  }
  UPCR_EXIT_FUNCTION();
  return 0;
}
void UPCRI_ALLOC_stream_771(void) {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_shalloc_t _bupc_info[] = {UPCRT_STARTUP_SHALLOC(a, 40000UL, 1UL, 1UL, 8UL, ""),
                                         UPCRT_STARTUP_SHALLOC(b, 40000UL, 1UL, 1UL, 8UL, ""),
                                         UPCRT_STARTUP_SHALLOC(c, 40000UL, 1UL, 1UL, 8UL, "")};
  upcr_startup_shalloc(_bupc_info, 3UL);
}
void UPCRI_INIT_stream_771(void) {
  UPCR_BEGIN_FUNCTION();
  if (upcr_mythread() == 0) {
  }
}
