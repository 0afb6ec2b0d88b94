/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d.h - shared declarations of fft2d: the part of the matrix that one unit has, and the table
 * of the ways in which a transposition communicates.
 *
 * A matrix of n x n complex numbers lies on p units by rows, n/p of them a unit. A transform is:
 * FFTs of the rows, a transposition, FFTs of the rows, a transposition. Source: A. Friedley,
 * "Shared Memory Optimizations for Distributed Memory Programming Models", 2013, sections 4.7.3
 * and 5.3. */
#ifndef FFT2D_H
#define FFT2D_H

#include <complex.h> /* before fftw3.h, whose numbers are then C's */
#include <eyot/eyot.h>
#include <fftw3.h>
#include <stdint.h>

typedef double complex fft2d_number;

/* Declared costs: a floating-point operation of an FFT, 5 m log2(m) of them for m numbers (the
 * count of the FFTW authors' benchmarks), on a core that does 4 a nanosecond; a number that is
 * packed or unpacked, 16 bytes read and 16 written at 16 bytes a nanosecond. */
#define FFT2D_FLOPS_A_NS 4.0
#define FFT2D_TOUCH_NS 2u

/* The most blocks that a unit expects at a time: of a transposition among more units the later ones
 * wait for their turn, so that what is under way does not grow with the number of units. */
#define FFT2D_WINDOW 128u

struct fft2d_opts {
  uint32_t elements; /* numbers a unit, if size is 0 */
  uint32_t size;     /* rows and columns; 0: by elements */
  uint32_t steps;
  uint32_t variant; /* 0: all, else 1 + its index in the table */
  bool verify;
};

struct fft2d_unit {
  const struct fft2d_opts *opts;
  uint32_t me, units;
  uint64_t n, rows;  /* rows: of this unit, n / units */
  uint64_t block;    /* numbers in a block, which one unit sends another: rows * rows */
  fft2d_number *own; /* private: the block that stays on the unit */
  fftw_plan forward, backward;
};

/* A way of communication. Block i of unit j, the columns of unit i in the rows of unit j, goes to
 * unit i, which finds it transposed as its block j. All blocks of a unit are packed before the
 * first is unpacked, as both lie in the matrix. Functions return EYOT_OK or a code that was
 * printed; then the run must end. Called by all units. */
struct fft2d_variant {
  const char *name;
  bool shared; /* the matrix lies in the shared heap */
  int (*open)(const struct fft2d_unit *u, void **state);
  int (*transpose)(const struct fft2d_unit *u, void *state, fft2d_number *matrix);
  int (*close)(const struct fft2d_unit *u, void *state);
};
enum { FFT2D_MAX_VARIANTS = 8 };
/* fft2d_variants.c; bench/fft2d_mpi.c has another table, which is linked instead. Ends with NULL.
 */
extern const struct fft2d_variant *const FFT2D_VARIANTS[];
extern const struct fft2d_variant FFT2D_MSG, FFT2D_OWN, FFT2D_EXCHANGE, FFT2D_RMA;

/* fft2d_matrix.c: packs block `to` into `block`; unpacks what unit `from` has packed; both for the
 * block that stays. They declare their cost. */
int fft2d_pack(const struct fft2d_unit *u, const fft2d_number *matrix, uint32_t to,
               fft2d_number *block);
int fft2d_unpack(const struct fft2d_unit *u, const fft2d_number *block, uint32_t from,
                 fft2d_number *matrix);
/* Swaps each number of the rows first to end of block a, as far as it has rows, with its place in
 * the transposed block b; both lie in matrices. */
int fft2d_swap(const struct fft2d_unit *u, fft2d_number *a, fft2d_number *b, uint64_t first,
               uint64_t end);
/* Transposes a block of a matrix in its place. */
int fft2d_turn_in_place(const struct fft2d_unit *u, fft2d_number *block);
/* FFTs of all rows; the inverse is not scaled. */
int fft2d_rows(const struct fft2d_unit *u, bool inverse, fft2d_number *matrix);
void fft2d_scale(const struct fft2d_unit *u, fft2d_number *matrix); /* by 1 / (n n) */

/* fft2d_verify.c: the input, whose transform is known in closed form, and the largest errors of
 * this unit's rows, relative to the size of an entry; infinity if one is not a number. */
void fft2d_fill(const struct fft2d_unit *u, fft2d_number *matrix);
double fft2d_input_error(const struct fft2d_unit *u, const fft2d_number *matrix);
double fft2d_spectrum_error(const struct fft2d_unit *u, const fft2d_number *matrix);

/* fft2d.c: prints "fft2d: unit U: what: reason" and passes the code on. */
int fft2d_fail(const char *what, int code);
#define FFT2D_TRY(call)                                    \
  do {                                                     \
    int code_ = (call);                                    \
    if (code_ != EYOT_OK) return fft2d_fail(#call, code_); \
  } while (0)
#endif
