/* SPDX-License-Identifier: BSD-3-Clause */
/* forms_w2c.c - the second file of the program of forms.c, as the Berkeley translator writes it:
 *
 *   shared int other_file = 7;   static int calls;   int other_sum(void) { ... return other_file; }
 */
#include "upcr.h"
#include "upcr_proxy.h"
#include "whirl2c.h"
/* */
#define UPCR_WANT_MAJOR 3
#define UPCR_WANT_MINOR 6
#include "upcr_geninclude/stdio.h"

#ifndef UPCR_TRANS_EXTRA_INCL
#define UPCR_TRANS_EXTRA_INCL
extern int upcrt_gcd(int _a, int _b);
extern int _upcrt_forall_start(int _start_thread, int _step, int _lo, int _scale);
#define upcrt_forall_start(start_thread, step, lo, scale) \
  _upcrt_forall_start(start_thread, step, lo, scale)
extern int32_t upcrt_forall_control;
#define upcr_forall_control upcrt_forall_control
#ifndef UPCR_EXIT_FUNCTION
#define UPCR_EXIT_FUNCTION() ((void)0)
#endif
#if UPCR_RUNTIME_SPEC_MAJOR > 3 || (UPCR_RUNTIME_SPEC_MAJOR == 3 && UPCR_RUNTIME_SPEC_MINOR >= 8)
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads), (elemsz), #sptr, (typestr) }
#else
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads) }
#endif
#define UPCRT_STARTUP_PSHALLOC UPCRT_STARTUP_SHALLOC
#endif

extern int other_sum(void);

#define UPCR_SHARED_SIZE_ 8
#define UPCR_PSHARED_SIZE_ 8
upcr_pshared_ptr_t other_file = UPCR_INITIALIZED_PSHARED;
int UPCR_TLD_DEFINE(calls, 4, 4) = 5;

void UPCRI_ALLOC_forms_w2c_2(void);
void UPCRI_ALLOC_forms_w2c_2(void) {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_pshalloc_t _bupc_pinfo[] = {
      UPCRT_STARTUP_PSHALLOC(other_file, 4, 1, 0, 4, "R1_i"),
  };

  UPCR_SET_SRCPOS("_forms_w2c_2_ALLOC", 0);
  upcr_startup_pshalloc(_bupc_pinfo, sizeof(_bupc_pinfo) / sizeof(upcr_startup_pshalloc_t));
}

void UPCRI_INIT_forms_w2c_2(void);
void UPCRI_INIT_forms_w2c_2(void) {
  UPCR_BEGIN_FUNCTION();
  int32_t _bupc_other_file_val = 7;
  UPCR_SET_SRCPOS("_forms_w2c_2_INIT", 0);
  if (upcr_mythread() == 0) {
    upcr_put_pshared(other_file, 0, &_bupc_other_file_val, 4);
  }
}

/* The first loop index of each thread: 1, 4, 7, ... with affinity 2 * i. */
static int first_index(void) {
  int first = 1, n = ((int)upcr_threads());
  for (int k = 0; k < n; k++, first += 3)
    if (2 * first % n == ((int)upcr_mythread())) return first;
  return INT32_MAX;
}

extern int other_sum(void) {
  UPCR_BEGIN_FUNCTION();
  int _bupc_spillld0;
  UPCR_GET_PSHARED(&_bupc_spillld0, other_file, 0, 4);
  (*((_INT32 *)UPCR_TLD_ADDR(calls))) = (*((_INT32 *)UPCR_TLD_ADDR(calls))) + 1;
  if (calls != 6) return -1;
  if (upcrt_forall_start(2 % ((int)upcr_threads()), 3, 1, 2) != first_index()) return -2;
  if (_I4MODFLOOR(-7, 3) != 2 || _I4F8TRUNC(-2.75) != -2 || _I4F8RND(-2.5) != -3) return -3;
  if (_U8SHL(3, 66) != 12 || _I4MAX(-1, 2) != 2 || _I8DIVCEIL(7, 2) != 4) return -4;
  UPCR_EXIT_FUNCTION();
  return _bupc_spillld0;
} /* other_sum */

GASNETT_IDENT(UPCRI_IdentString_forms_w2c_o_1, "$UPCTranslateTime: (forms_w2c.o) $");
