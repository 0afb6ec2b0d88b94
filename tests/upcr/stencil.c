/* SPDX-License-Identifier: BSD-3-Clause */
/* stencil.c - examples/upc/stencil.upc as Clang UPC2C translates it (translate.sh). */
#include <upcr.h>
/* its own headers after it */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef UPCR_TRANS_EXTRA_INCL
#define UPCR_TRANS_EXTRA_INCL
int32_t upcrt_forall_control;
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads), (elemsz), #sptr, (typestr) }
#define UPCRT_STARTUP_PSHALLOC UPCRT_STARTUP_SHALLOC
#endif
typedef struct {
  double v[64];
} stripe_t;
upcr_pshared_ptr_t grid;
static double begin_at(int row, int column) {
  UPCR_BEGIN_FUNCTION();
  double _bupc_spilld0;
  {
    {
      _bupc_spilld0 = row == 0 ? 1. : 0.001 * ((3 * row + column) % 100);
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld0;
    }
  }
  UPCR_EXIT_FUNCTION();
}
static void step(double *to, const double *from, int first, int rows, int all) {
  UPCR_BEGIN_FUNCTION();
  {
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < 16; c++) {
        const double *p = from + (r + 1) * 16 + c;
        int border = first + r == 0 || first + r == all - 1 || c == 0 || c == 16 - 1;
        to[r * 16 + c] = border ? *p : 0.25 * (p[-16] + p[16] + p[-1] + p[1]);
      }
  }
  UPCR_EXIT_FUNCTION();
}
static double serial(int all) {
  UPCR_BEGIN_FUNCTION();
  double _bupc_spilld0;
  {
    double *a = calloc((all + 2) * 16, sizeof *a), *b = calloc(all * 16, sizeof *b), sum = 0;
    for (int i = 0; i < all * 16; i++) a[16 + i] = begin_at(i / 16, i % 16);
    for (int s = 0; s < 10; s++) {
      step(b, a, 0, all, all);
      memcpy(a + 16, b, all * 16 * sizeof *b);
    }
    for (int i = 0; i < all * 16; i++) sum += b[i];
    free(a);
    free(b);
    {
      _bupc_spilld0 = sum;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld0;
    }
  }
  UPCR_EXIT_FUNCTION();
}
int user_main() {
  UPCR_BEGIN_FUNCTION();
  int _bupc_spilld0;
  {
    const size_t row = 16 * sizeof(double);
    double from[96] = {0};
    stripe_t *mine[2] = {(stripe_t *)upcr_pshared_to_local(upcr_add_pshared1(
                             grid, 512UL, (int)upcr_mythread() + (0 * (1UL * upcr_threads())))),
                         (stripe_t *)upcr_pshared_to_local(upcr_add_pshared1(
                             grid, 512UL, (int)upcr_mythread() + (1 * (1UL * upcr_threads()))))};
    for (int i = 0; i < 4 * 16; i++)
      mine[0]->v[i] = begin_at((int)upcr_mythread() * 4 + i / 16, i % 16);
    upcr_barrier(0, 1);
    for (int s = 0; s < 10; s++) {
      int now = s % 2;
      if ((int)upcr_mythread() > 0)
        upc_memget(
            from,
            upcr_pshared_to_shared(upcr_add_psharedI(
                upcr_add_pshared1(grid, 512UL,
                                  (int)upcr_mythread() - 1 + ((now) * (1UL * upcr_threads()))),
                1UL, (4 - 1) * row)),
            row);
      if ((int)upcr_mythread() < (int)upcr_threads() - 1)
        upc_memget(from + (4 + 1) * 16,
                   upcr_pshared_to_shared(upcr_add_pshared1(
                       grid, 512UL, (int)upcr_mythread() + 1 + ((now) * (1UL * upcr_threads())))),
                   row);
      memcpy(from + 16, mine[now]->v, sizeof mine[now]->v);
      step(mine[1 - now]->v, from, (int)upcr_mythread() * 4, 4, (int)upcr_threads() * 4);
      upcr_barrier(0, 1);
    }
    if ((int)upcr_mythread() == 0) {
      double sum = 0, want = serial((int)upcr_threads() * 4);
      for (int t = 0; t < (int)upcr_threads(); t++)
        for (int i = 0; i < 4 * 16; i++)
          sum += ((double)upcr_get_pshared_doubleval(
              upcr_add_pshared1(grid, 512UL, t + ((10 % 2) * (1UL * upcr_threads()))),
              (8UL) * (i)));
      printf("the sum is %.9f, serially %.9f\n", sum, want);
      if (fabs(sum - want) > 1.0000000000000001E-9 * want) upc_global_exit(1);
    }
    {
      _bupc_spilld0 = 0;
      UPCR_EXIT_FUNCTION();
      return _bupc_spilld0;
    }
  }
  UPCR_EXIT_FUNCTION();
  return 0;
}
extern void UPCRI_ALLOC_stencil_3993613646() {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_pshalloc_t _bupc_pinfo[] = {
      UPCRT_STARTUP_PSHALLOC(grid, 512UL, 2UL, 1UL, 512UL, "")};
  upcr_startup_pshalloc(_bupc_pinfo, 1UL);
}
extern void UPCRI_INIT_stencil_3993613646() {
  UPCR_BEGIN_FUNCTION();
  if (upcr_mythread() == 0) {
  }
}
