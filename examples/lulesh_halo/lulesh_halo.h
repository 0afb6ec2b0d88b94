/* SPDX-License-Identifier: BSD-3-Clause */
/* lulesh_halo.h - shared declarations of lulesh_halo: one unit's block of a mesh, and the table of
 * the ways in which blocks exchange their boundaries.
 *
 * A blast wave in a gas on a mesh that moves with it (Lagrangian), with the exchanges of LULESH of
 * Lawrence Livermore National Laboratory: forces of nodes that several units share are summed over
 * 26 neighbors, their positions and velocities are made equal, and velocity differences of elements
 * are copied to 6. Source of the exchanges: A. Friedley, "Shared Memory Optimizations for
 * Distributed Memory Programming Models", 2013, section 3.4.2. */
#ifndef LULESH_HALO_H
#define LULESH_HALO_H

#include <eyot/eyot.h>
#include <stdint.h>

/* Direction (x, y, z), each -1, 0 or 1, has the number (x + 1) + 3 (y + 1) + 9 (z + 1); 26 - d is
 * the opposite one of d, and a neighbor's unit number is below the unit's own if d < LH_SELF. */
enum { LH_AXES = 3, LH_DIRECTIONS = 27, LH_SELF = 13 };
#define LH_GAMMA 1.4 /* of the gas */
/* The exchanges. The mass of nodes is summed once, before the first step. */
enum lh_kind { LH_MASS, LH_FORCE, LH_SYNC, LH_DIFFERENCE, LH_KINDS };

/* Declared costs of one element: its forces, about 200 floating-point operations, and its new
 * state, about 150; of a node's step; of a number that is packed or unpacked. */
#define LH_FORCE_NS 50u
#define LH_STATE_NS 40u
#define LH_NODE_NS 4u
#define LH_NUMBER_NS 1u

struct lh_opts {
  uint32_t elements; /* along each edge of a unit's block */
  uint32_t steps;
  uint32_t variant; /* 0: all, else 1 + its index in the table */
  bool verify;
};

/* A box of nodes or elements: from[a] to to[a], both included. */
struct lh_range {
  int32_t from[LH_AXES], to[LH_AXES];
};

/* What is compared with the serial run, of one step: the energies, and the internal energy with a
 * weight for each element that depends on its place in the mesh. */
struct lh_sums {
  double internal, kinetic, weighted;
};

struct lh_variant;

struct lh_mesh {
  bool alone;        /* the serial run of unit 0, which has the whole mesh */
  uint32_t me, side; /* side: blocks along each axis */
  uint32_t coord[LH_AXES];
  int32_t n; /* elements along each edge of the block; nodes are n + 1 */
  double h;  /* edge of an element at the start */
  double dt;
  /* nodes: x fastest, then y, z */
  double *position[LH_AXES], *velocity[LH_AXES], *force[LH_AXES], *mass;
  /* elements: internal energy, volume, pressure with viscosity */
  double *energy, *volume, *pressure;
  /* with one layer of ghosts: differences of velocity along each axis */
  double *difference[LH_AXES];
  uint64_t slot_at[LH_KINDS][LH_DIRECTIONS + 1]; /* of a way's buffers, in bytes */
  uint64_t slots_bytes;
  const struct lh_variant *variant;
  void *state;
  uint64_t messages; /* sent so far */
  uint64_t communication_ns;
};

/* A way of communication. One exchange: begin; of each direction in which the block sends, `out` is
 * packed and sent; of each from which it receives, `await` returns what has come; end. Functions
 * return EYOT_OK or a code that was printed; then the run must end. Called by all units. */
struct lh_variant {
  const char *name;
  int (*open)(struct lh_mesh *m);
  int (*begin)(struct lh_mesh *m, enum lh_kind kind);
  int (*out)(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, double **out);
  int (*send)(struct lh_mesh *m, enum lh_kind kind, uint32_t direction);
  int (*await)(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, const double **in);
  int (*end)(struct lh_mesh *m, enum lh_kind kind);
  int (*close)(struct lh_mesh *m);
};
enum { LH_MAX_VARIANTS = 8 };
/* lulesh_halo_variants.c; bench/lulesh_halo_mpi.c has another table, which is linked instead. Ends
 * with NULL. */
extern const struct lh_variant *const LH_VARIANTS[];
extern const struct lh_variant LH_MSG, LH_RMA;

/* lh_mesh.c: allocates and fills the block of unit `me` of side^3 blocks. Local. */
int lh_mesh_open(struct lh_mesh *m, uint32_t side, uint32_t me, uint32_t elements);
void lh_mesh_close(struct lh_mesh *m);
uint64_t lh_node(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k);
uint64_t lh_element(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k);
uint64_t lh_ghosted(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k); /* from -1 on */
/* From 1 to 2, and different for neighbors; the place in the whole mesh counts. */
double lh_weight(const struct lh_mesh *m, const int32_t at[LH_AXES]);
int lh_spend(const struct lh_mesh *m, uint64_t ns); /* declares the cost of a computation */

/* lh_neighbor.c: who sends what to whom. */
bool lh_has_neighbor(const struct lh_mesh *m, uint32_t direction);
uint32_t lh_neighbor(const struct lh_mesh *m, uint32_t direction);
bool lh_sends(const struct lh_mesh *m, enum lh_kind kind, uint32_t direction);
bool lh_receives(const struct lh_mesh *m, enum lh_kind kind, uint32_t direction);
uint64_t lh_bytes(const struct lh_mesh *m, enum lh_kind kind, uint32_t direction);
struct lh_range lh_nodes_at(const struct lh_mesh *m, uint32_t direction);
/* Elements at the side, or the ghosts beyond it. */
struct lh_range lh_elements_at(const struct lh_mesh *m, uint32_t direction, bool ghosts);
/* Fills slot_at and slots_bytes: the slot of a direction is that of messages from there, or to
 * there. */
void lh_slots(struct lh_mesh *m);

/* lh_exchange.c: one exchange, packing and unpacking included. */
int lh_exchange(struct lh_mesh *m, enum lh_kind kind);

/* lh_step.c: the masses, and one time step. */
int lh_start(struct lh_mesh *m);
int lh_step(struct lh_mesh *m);
struct lh_sums lh_sums(const struct lh_mesh *m); /* this block's share */

/* lulesh_halo.c: prints "lulesh_halo: unit U: what: reason" and passes the code on. */
int lh_fail(const char *what, int code);
#define LH_TRY(call)                                    \
  do {                                                  \
    int code_ = (call);                                 \
    if (code_ != EYOT_OK) return lh_fail(#call, code_); \
  } while (0)
#endif
