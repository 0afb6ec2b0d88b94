/* SPDX-License-Identifier: BSD-3-Clause */
/* fsh.h - what the files of OpenSHMEM's Fortran interface share.
 *
 * Each function has the name that gfortran calls (lower case and an underscore) and takes its
 * arguments by reference; the lengths of character arguments come last and are ignored but where
 * they are needed. It marks itself as the caller, so that reports name the line of the Fortran
 * program, and calls the C function. Source: OpenSHMEM 1.4, the Fortran synopses of section 9. */
#ifndef INTERFACES_OPENSHMEM_FORTRAN_FSH_H
#define INTERFACES_OPENSHMEM_FORTRAN_FSH_H

#include <eyot/eyot.h>
#include <shmem.h>
#include <stdint.h>

/* Begins a function: refuses the call outside init and finalize, and marks it. `name` is a word. */
#define FSH_ENTER(name)                                   \
  fsh_check("shmem_" #name, __builtin_return_address(0)); \
  EYOT_CALLER("shmem_" #name)

/* Ends the run if OpenSHMEM is not initialized. */
void fsh_check(const char *call, const void *site);
/* Ends the run after a message, for a function that has entered. */
_Noreturn void fsh_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* *n as a size; ends the run if it is negative. `what` is the name of the argument. */
size_t fsh_count(const char *what, const int *n);

/* The types of copies by name, and the sizes: X(name, bits of an element, op). */
#define FSH_TYPES(X, op) \
  X(complex, 64, op) X(double, 64, op) X(integer, 32, op) X(logical, 32, op) X(real, 32, op)
#define FSH_SIZES(X, op) X(4, 32, op) X(8, 64, op) X(32, 32, op) X(64, 64, op) X(128, 128, op)
/* Collectives are of 4 bytes and 8: X(name, bits, op). */
#define FSH_COLL_SIZES(X, op) X(4, 32, op) X(8, 64, op) X(32, 32, op) X(64, 64, op)
/* Words: X(type of C, its name in the C functions, name in Fortran's, op). */
#define FSH_INTEGERS(X, op) X(int32_t, int32, int4, op) X(int64_t, int64, int8, op)
#define FSH_WORDS(X, op) FSH_INTEGERS(X, op) X(float, float, real4, op) X(double, double, real8, op)

#endif
