/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d.h - shared declarations of fft3d: the NAS FT benchmark on slabs, and the table of the ways
 * in which a transposition communicates.
 *
 * A grid of complex numbers is transformed, and an equation of heat conduction is solved in the
 * transform: each iteration is a factor for each entry, an inverse transform and a checksum.
 * Sources: D. Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, 1994, section 2.3; the
 * overlap of slabs: R. Gerstenberger, M. Besta, T. Hoefler, SC 2013, section 4.3. */
#ifndef FFT3D_H
#define FFT3D_H

#include <complex.h> /* before fftw3.h, whose numbers are then C's */
#include <eyot/eyot.h>
#include <fftw3.h>
#include <stdint.h>

typedef double complex fft3d_number;

/* Declared costs: a floating-point operation of an FFT, 5 m log2(m) of them for m numbers (the
 * count of the FFTW authors' benchmarks), on a core that does 4 a nanosecond; a number that is
 * packed or unpacked, or has its factor. */
#define FFT3D_FLOPS_A_NS 4.0
#define FFT3D_TOUCH_NS 2u

enum fft3d_class { FFT3D_S, FFT3D_W, FFT3D_OTHER };
enum { FFT3D_X, FFT3D_Y, FFT3D_Z, FFT3D_AXES };

struct fft3d_opts {
  uint32_t size[FFT3D_AXES];
  uint32_t iterations;
  uint32_t variant; /* 0: all, else 1 + its index in the table */
  enum fft3d_class class;
  bool verify;
};

/* A unit has `planes` planes of z before a transposition there, and `rows` planes of y after it;
 * each number of the grid is in one of them: z-planes as [z][y][x], y-planes as [y][x][z]. */
struct fft3d_unit {
  const struct fft3d_opts *opts;
  uint32_t me, units;
  uint64_t nx, ny, nz, planes, rows;
  uint64_t piece, numbers;      /* of a pair of units: planes * rows * nx numbers; of a unit */
  fftw_plan plane[2], lines[2]; /* x and y of a z-plane, z of a y-plane; forward, inverse */
};

struct fft3d_variant;

/* The grid of one way of communication. `out` and `in` have a piece for each unit. A transposition
 * packs a part of each piece for each plane: parts of one target follow one another. */
struct fft3d_grid {
  const struct fft3d_variant *variant;
  void *state;
  fft3d_number *transform;     /* of the start, as y-planes */
  fft3d_number *space, *lines; /* z-planes; y-planes */
  fft3d_number *out, *in;      /* the variant's */
  uint64_t communication_ns;
};

/* A way of communication. `send` sends numbers [from, from + count) of the piece for `to`; with
 * `early` it is called as soon as a plane is ready, else once for a whole piece. `await` returns
 * when the piece of a unit is there, and `end` when `out` may change. Functions return EYOT_OK or a
 * code that was printed; then the run must end. Called by all units. */
struct fft3d_variant {
  const char *name;
  bool early;
  int (*open)(const struct fft3d_unit *u, struct fft3d_grid *g);
  int (*begin)(const struct fft3d_unit *u, struct fft3d_grid *g);
  int (*send)(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t to, uint64_t from,
              uint64_t count);
  int (*await)(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t from);
  int (*end)(const struct fft3d_unit *u, struct fft3d_grid *g);
  int (*close)(const struct fft3d_unit *u, struct fft3d_grid *g);
};
enum { FFT3D_MAX_VARIANTS = 8 };
/* fft3d_variants.c; bench/fft3d_mpi.c has another table, which is linked instead. Ends with
 * NULL. */
extern const struct fft3d_variant *const FFT3D_VARIANTS[];
extern const struct fft3d_variant FFT3D_MSG, FFT3D_RMA, FFT3D_LATE;

/* fft3d_grid.c: the transform of z-planes to y-planes, and its inverse (not scaled). */
int fft3d_forward(const struct fft3d_unit *u, struct fft3d_grid *g);
int fft3d_inverse(const struct fft3d_unit *u, struct fft3d_grid *g);

/* fft3d_nas.c: the numbers of NAS FT. A random grid from number `first` on; the exponent of an
 * entry's factor; the sum of 1,024 numbers, of those that lie in z-planes [z, z + planes); and the
 * published checksums of a class, six of them. */
void fft3d_random(fft3d_number *to, uint64_t first, uint64_t count);
double fft3d_exponent(const struct fft3d_unit *u, uint64_t x, uint64_t y, uint64_t z);
fft3d_number fft3d_checksum(const struct fft3d_unit *u, const fft3d_number *space, uint64_t z,
                            uint64_t planes);
enum { FFT3D_PUBLISHED = 6 };
extern const fft3d_number FFT3D_CHECKSUMS[2][FFT3D_PUBLISHED];

/* fft3d_serial.c: the checksums by transforms of the whole grid on one unit. */
int fft3d_serial(const struct fft3d_unit *u, fft3d_number *sums);

/* fft3d.c: prints "fft3d: unit U: what: reason" and passes the code on. */
int fft3d_fail(const char *what, int code);
#define FFT3D_TRY(call)                                    \
  do {                                                     \
    int code_ = (call);                                    \
    if (code_ != EYOT_OK) return fft3d_fail(#call, code_); \
  } while (0)
#endif
