/* SPDX-License-Identifier: BSD-3-Clause */
/* cpi.c - examples/upc/cpi.upc as Clang UPC2C translates it (translate.sh). */
#include <upcr.h>
/* its own headers after it */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef UPCR_TRANS_EXTRA_INCL
#define UPCR_TRANS_EXTRA_INCL
int32_t upcrt_forall_control;
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads), (elemsz), #sptr, (typestr) }
#define UPCRT_STARTUP_PSHALLOC UPCRT_STARTUP_SHALLOC
#endif
upcr_pshared_ptr_t part;
int user_main(int argc, char **argv) {
  UPCR_BEGIN_FUNCTION();
  double _bupc_spilld0;
  int _bupc_spilld1;
  {
    long i, n = argc > 1 ? atol(argv[1]) : 100000;
    double sum = 0, h = 1. / n;
    if (upcrt_forall_control) {
      for (i = 0; i < n; i++) {
        double x = h * (i + 0.5);
        sum += 4. / (1. + x * x);
      }
    } else {
      upcrt_forall_control = 1;
      for (i = 0; i < n; i++)
        if ((i) % upcr_threads() == upcr_mythread()) {
          double x = h * (i + 0.5);
          sum += 4. / (1. + x * x);
        }
      upcrt_forall_control = 0;
    }
    (_bupc_spilld0 = h * sum,
     upcr_put_pshared_doubleval(upcr_add_pshared1(part, 8UL, (int)upcr_mythread()), 0UL,
                                _bupc_spilld0),
     _bupc_spilld0);
    upcr_barrier(0, 1);
    if ((int)upcr_mythread() == 0) {
      double pi = 0;
      for (i = 0; i < (int)upcr_threads(); i++)
        pi += ((double)upcr_get_pshared_doubleval(upcr_add_pshared1(part, 8UL, i), 0UL));
      printf("pi is %.10f\n", pi);
      if (fabs(pi - acos(-1.)) > 9.9999999999999995E-7) upc_global_exit(1);
    }
    {
      _bupc_spilld1 = 0;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld1;
    }
  }
  UPCR_EXIT_FUNCTION();
  return 0;
}
extern void UPCRI_ALLOC_cpi_695681734() {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_pshalloc_t _bupc_pinfo[] = {UPCRT_STARTUP_PSHALLOC(part, 8UL, 1UL, 1UL, 8UL, "")};
  upcr_startup_pshalloc(_bupc_pinfo, 1UL);
}
extern void UPCRI_INIT_cpi_695681734() {
  UPCR_BEGIN_FUNCTION();
  if (upcr_mythread() == 0) {
  }
}
