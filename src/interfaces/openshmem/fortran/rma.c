/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c - Fortran: put, get and their strided and non-blocking forms. The numbers 4 and 8 in a name
 * are bytes, 32, 64 and 128 bits; COMPLEX, REAL, INTEGER and LOGICAL are of default kind. */
#include "interfaces/openshmem/fortran/fsh.h"

#define COPY(name, call)                                                                   \
  void shmem_##name##_(void *dest, const void *source, const int *nelems, const int *pe);  \
  void shmem_##name##_(void *dest, const void *source, const int *nelems, const int *pe) { \
    FSH_ENTER(name);                                                                       \
    shmem_##call(dest, source, fsh_count("nelems", nelems), *pe);                          \
  }
#define STRIDED(name, call)                                                            \
  void shmem_##name##_(void *dest, const void *source, const int *dst, const int *sst, \
                       const int *nelems, const int *pe);                              \
  void shmem_##name##_(void *dest, const void *source, const int *dst, const int *sst, \
                       const int *nelems, const int *pe) {                             \
    FSH_ENTER(name);                                                                   \
    shmem_##call(dest, source, *dst, *sst, fsh_count("nelems", nelems), *pe);          \
  }

#define BY_TYPE(name, bits, op)           \
  COPY(name##_##op, op##bits)             \
  COPY(name##_##op##_nbi, op##bits##_nbi) \
  STRIDED(name##_i##op, i##op##bits)
FSH_TYPES(BY_TYPE, put)
FSH_TYPES(BY_TYPE, get)

#define BY_SIZE(size, bits, op)        \
  COPY(op##size, op##bits)             \
  COPY(op##size##_nbi, op##bits##_nbi) \
  STRIDED(i##op##size, i##op##bits)
FSH_SIZES(BY_SIZE, put)
FSH_SIZES(BY_SIZE, get)

/* An element is a character, or a byte. */
COPY(character_put, putmem)
COPY(character_put_nbi, putmem_nbi)
COPY(character_get, getmem)
COPY(character_get_nbi, getmem_nbi)
COPY(putmem, putmem)
COPY(putmem_nbi, putmem_nbi)
COPY(getmem, getmem)
COPY(getmem_nbi, getmem_nbi)
