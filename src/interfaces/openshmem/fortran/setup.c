/* SPDX-License-Identifier: BSD-3-Clause */
/* setup.c - Fortran: start and end, queries, memory, ordering, caches. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/errors.h"
#include "interfaces/openshmem/fortran/fsh.h"

/* -- errors ------------------------------------------------------------------------------------ */

#define OUTSIDE "called before shmem_init or after shmem_finalize"

static const struct interface_words words = {
    .before = OUTSIDE,
    .after = OUTSIDE,
    .refused = "OpenSHMEM is not initialized",
    .failed = "a call of OpenSHMEM has failed (see the message above)"};

void fsh_check(const char *call, const void *site) {
  int initialized;
  shmem_query_initialized(&initialized);
  if (!initialized) interface_refuse(&words, false, call, site);
}

void fsh_fail(int code, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  interface_log(code, format, ap);
  va_end(ap);
  interface_failed(&words);
}

size_t fsh_count(const char *what, const int *n) {
  if (*n < 0) fsh_fail(EYOT_EINVAL, "%s is %d; it must not be negative", what, *n);
  return (size_t)*n;
}

/* -- start, end, queries ----------------------------------------------------------------------- */

/* Before eyot_init there is no mark: these are jumps to the C functions, which return to the
 * program. */
void shmem_init_(void) {
  shmem_init();
}
void start_pes_(const int *npes) {
  start_pes(*npes);
}
void shmem_finalize_(void) {
  shmem_finalize();
}

void shmem_global_exit_(const int *status) {
  FSH_ENTER(global_exit);
  shmem_global_exit(*status);
}

int shmem_my_pe_(void) {
  FSH_ENTER(my_pe);
  return shmem_my_pe();
}
int shmem_n_pes_(void) {
  FSH_ENTER(n_pes);
  return shmem_n_pes();
}
int my_pe_(void) {
  fsh_check("my_pe", __builtin_return_address(0));
  return shmem_my_pe();
}
int num_pes_(void) {
  fsh_check("num_pes", __builtin_return_address(0));
  return shmem_n_pes();
}

int shmem_pe_accessible_(const int *pe) {
  FSH_ENTER(pe_accessible);
  return shmem_pe_accessible(*pe);
}
int shmem_addr_accessible_(const void *addr, const int *pe) {
  FSH_ENTER(addr_accessible);
  return shmem_addr_accessible(addr, *pe);
}
/* The value of a Cray pointer. */
void *shmem_ptr_(const void *dest, const int *pe) {
  FSH_ENTER(ptr);
  return shmem_ptr(dest, *pe);
}

void shmem_info_get_version_(int *major, int *minor) {
  shmem_info_get_version(major, minor);
}
/* The name is padded with blanks, or cut, to the variable's length. */
void shmem_info_get_name_(char *name, size_t length) {
  char text[SHMEM_MAX_NAME_LEN];
  shmem_info_get_name(text);
  size_t n = strnlen(text, sizeof text);
  if (n > length) n = length;
  memset(name, ' ', length);
  memcpy(name, text, n);
}

/* -- memory ------------------------------------------------------------------------------------ */

/* Lengths are in words of 32 bits. Errors are those of the tables of 1.4: -1 the length is not
 * positive, -2 no memory, -3 the address is not symmetric. A nonzero `give_up` ends the run. */
enum { BAD_LENGTH = -1, NO_MEMORY = -2, BAD_ADDRESS = -3, WORD = 4 };

static void failed(int *code, int error, const int *give_up, const char *why) {
  *code = error;
  if (*give_up != 0) fsh_fail(EYOT_EINVAL, "%s, and the argument 'abort' is not 0", why);
}

void shpalloc_(void **addr, const int *length, int *errcode, const int *give_up) {
  fsh_check("shpalloc", __builtin_return_address(0));
  EYOT_CALLER("shpalloc");
  *errcode = 0;
  if (*length <= 0) {
    failed(errcode, BAD_LENGTH, give_up, "the length is not positive");
    return;
  }
  void *block = shmem_malloc((size_t)*length * WORD);
  if (block == NULL) {
    failed(errcode, NO_MEMORY, give_up, "no memory of that size is left");
    return;
  }
  *addr = block;
}

void shpdeallc_(void **addr, int *errcode, const int *give_up) {
  fsh_check("shpdeallc", __builtin_return_address(0));
  EYOT_CALLER("shpdeallc");
  *errcode = 0;
  if (!shmem_addr_accessible(*addr, shmem_my_pe())) {
    failed(errcode, BAD_ADDRESS, give_up, "the address is not symmetric");
    return;
  }
  shmem_free(*addr);
}

void shpclmove_(void **addr, const int *length, int *status, const int *give_up) {
  fsh_check("shpclmove", __builtin_return_address(0));
  EYOT_CALLER("shpclmove");
  *status = 0;
  if (*length <= 0) {
    failed(status, BAD_LENGTH, give_up, "the length is not positive");
    return;
  }
  if (!shmem_addr_accessible(*addr, shmem_my_pe())) {
    failed(status, BAD_ADDRESS, give_up, "the address is not symmetric");
    return;
  }
  void *block = shmem_realloc(*addr, (size_t)*length * WORD);
  if (block == NULL) {
    failed(status, NO_MEMORY, give_up, "no memory of that size is left");
    return;
  }
  *status = block != *addr;
  *addr = block;
}

/* -- ordering, caches ---------- */

#define ORDER(name)            \
  void shmem_##name##_(void);  \
  void shmem_##name##_(void) { \
    FSH_ENTER(name);           \
    shmem_##name();            \
  }
ORDER(barrier_all)
ORDER(fence)
ORDER(quiet)
ORDER(clear_cache_inv)
ORDER(set_cache_inv)
ORDER(udcflush)

void shmem_barrier_(const int *start, const int *log_stride, const int *size, void *psync) {
  FSH_ENTER(barrier);
  shmem_barrier(*start, *log_stride, *size, psync);
}

#define LINE(name)                   \
  void shmem_##name##_(void *dest);  \
  void shmem_##name##_(void *dest) { \
    FSH_ENTER(name);                 \
    shmem_##name(dest);              \
  }
LINE(set_cache_line_inv)
LINE(udcflush_line)
