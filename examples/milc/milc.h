/* SPDX-License-Identifier: BSD-3-Clause */
/* milc.h - shared declarations of milc: one unit's part of a lattice, and the table of the ways in
 * which its faces are exchanged.
 *
 * A linear system with the staggered operator of lattice QCD in four dimensions is solved by
 * conjugate gradients, as in the solver of the MILC code: an exchange in eight directions for each
 * application of the operator, and two allreduces an iteration. Source of the problem and of its
 * one-sided communication: R. Gerstenberger, M. Besta, T. Hoefler, SC 2013, section 4.4. */
#ifndef MILC_H
#define MILC_H

#include <complex.h>
#include <eyot/eyot.h>
#include <stdint.h>

/* Direction 2 * axis is the low side, 2 * axis + 1 the high side; d ^ 1 is the opposite one. */
enum { MC_AXES = 4, MC_DIRECTIONS = 8, MC_COLORS = 3 };

typedef struct mc_vector {
  double complex c[MC_COLORS];
} mc_vector_t;
typedef struct mc_matrix {
  double complex e[MC_COLORS][MC_COLORS];
} mc_matrix_t;

/* Declared costs: of the operator at one site, eight products of a matrix and a vector, about 570
 * floating-point operations; of a vector that is packed or added to another one. */
#define MC_SITE_NS 140u
#define MC_VECTOR_NS 4u

struct mc_opts {
  uint32_t local[MC_AXES]; /* sites of a unit */
  uint32_t iterations;
  uint32_t variant; /* 0: all, else 1 + its index in the table */
  bool verify;
};

struct mc_variant;

/* One unit's part; periodic on all axes. Sites: x fastest. Along an axis with one part a unit is
 * its own neighbor, without messages. */
struct mc_lattice {
  bool alone; /* the serial run of unit 0, which has the whole lattice */
  uint32_t me;
  uint32_t parts[MC_AXES], coord[MC_AXES], local[MC_AXES];
  uint32_t sites, face[MC_AXES]; /* face: sites on a side */
  mc_matrix_t *link[MC_AXES];    /* from a site to the next one along the axis */
  mc_vector_t *b, *x, *r, *p, *ap, *dp;
  double rr, rr_start;                          /* |r|^2, of all units */
  mc_vector_t *own[MC_DIRECTIONS];              /* ghosts that the unit makes itself */
  const mc_vector_t *ghost[MC_DIRECTIONS];      /* what lies beyond a side */
  uint64_t slot_at[MC_DIRECTIONS], slots_bytes; /* of a way's buffers */
  const struct mc_variant *variant;
  void *state;
  uint64_t messages, allreduces; /* of this unit */
  uint64_t communication_ns;
};

/* A way of communication. For one exchange: begin; for each direction with a neighbor, `out` is
 * packed and sent; receive waits for all directions and sets their `ghost`, which stays until the
 * next begin; end. Functions return EYOT_OK or a code that was printed; then the run must end.
 * Called by all units. */
struct mc_variant {
  const char *name;
  int (*open)(struct mc_lattice *l);
  int (*begin)(struct mc_lattice *l);
  int (*out)(struct mc_lattice *l, uint32_t direction, mc_vector_t **out);
  int (*send)(struct mc_lattice *l, uint32_t direction);
  int (*receive)(struct mc_lattice *l);
  int (*end)(struct mc_lattice *l);
  int (*close)(struct mc_lattice *l);
};
enum { MC_MAX_VARIANTS = 8 };
/* milc_variants.c; bench/milc_mpi.c has another table, which is linked instead. Ends with NULL. */
extern const struct mc_variant *const MC_VARIANTS[];
extern const struct mc_variant MC_MSG, MC_GET, MC_RMA;

/* mc_lattice.c: allocates and fills the part of unit `me`; links and the right-hand side depend on
 * a site's place in the whole lattice alone. Local. */
int mc_lattice_open(struct mc_lattice *l, const uint32_t parts[MC_AXES], uint32_t me,
                    const uint32_t local[MC_AXES]);
void mc_lattice_close(struct mc_lattice *l);
bool mc_has_neighbor(const struct mc_lattice *l, uint32_t direction);
uint32_t mc_neighbor(const struct mc_lattice *l, uint32_t direction);
uint64_t mc_bytes(const struct mc_lattice *l, uint32_t direction); /* of a message */
int mc_spend(const struct mc_lattice *l, uint64_t ns); /* declares the cost of a computation */

/* mc_operator.c: to = D from, with one exchange. The sites of a side in the order of faces. */
int mc_operator(struct mc_lattice *l, const mc_vector_t *from, mc_vector_t *to);

/* mc_solver.c: conjugate gradients for (1 - D D) x = b, from x = 0, and the residual
 * |b - (1 - D D) x| / |b|. Collective unless alone. */
int mc_solver_start(struct mc_lattice *l);
int mc_solver_step(struct mc_lattice *l);
int mc_solver_residual(struct mc_lattice *l, double *residual);
/* The bound of the residual after so many steps: eigenvalues lie between 1 and 17. */
double mc_solver_bound(uint32_t steps);

/* milc.c: prints "milc: unit U: what: reason" and passes the code on. */
int mc_fail(const char *what, int code);
#define MC_TRY(call)                                    \
  do {                                                  \
    int code_ = (call);                                 \
    if (code_ != EYOT_OK) return mc_fail(#call, code_); \
  } while (0)
#endif
