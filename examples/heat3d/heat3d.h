/* SPDX-License-Identifier: BSD-3-Clause */
/* heat3d.h - shared declarations of heat3d: options, the block of one unit, and the scheme.
 *
 * The problem: unsteady heat conduction in a solid box, dT/dt = div(a(T) grad T), with a
 * diffusivity that depends on the temperature and constant temperatures outside the box. Explicit
 * finite differences on a grid; each unit owns one block of it. */
#ifndef HEAT3D_H
#define HEAT3D_H

#include <eyot/eyot.h>
#include <stdint.h>

/* face 2*a is the low side of axis a, face 2*a+1 the high side; a face's partner is face ^ 1 */
enum { HEAT_AXES = 3, HEAT_FACES = 6 };
#define HEAT_NO_NEIGHBOR UINT32_MAX

/* The declared cost of updating one cell: about 40 floating-point operations, on a core that does 8
 * of them a nanosecond (2.5 GHz, partly vectorized). */
#define HEAT_CELL_NS 5u
/* The declared cost of packing or unpacking one face cell, and of reading one cell for the
 * residual. */
#define HEAT_TOUCH_NS 1u

enum heat_variant { HEAT_NONBLOCKING = 0, HEAT_BLOCKING };
enum heat_sync { HEAT_SIGNALS = 0, HEAT_BARRIER };

struct heat_opts {
  uint32_t size[HEAT_AXES]; /* cells of the whole grid, or of one unit's block if per_unit */
  bool per_unit;
  uint32_t parts[HEAT_AXES]; /* blocks along each axis; 0: those of the least surface */
  bool verify;
  uint32_t steps;
  uint32_t residual_every; /* 0: only after the last step */
  uint32_t cell_ns;
  enum heat_variant variant;
  enum heat_sync sync;
  const char *image; /* file name or NULL */
};

/* The decomposition: parts[a] blocks along axis a; a unit's block starts at cell lo[a] and has n[a]
 * cells. Unit = x + parts[0] * (y + parts[1] * z). */
struct heat_grid {
  uint32_t size[HEAT_AXES];
  uint32_t parts[HEAT_AXES];
  uint32_t coord[HEAT_AXES];
  uint32_t lo[HEAT_AXES];
  uint32_t n[HEAT_AXES];
  uint32_t neighbor[HEAT_FACES]; /* unit id or HEAT_NO_NEIGHBOR */
};

/* A box of temperatures with one layer of ghost cells around it; cell (0,0,0) of the inside is at
 * index heat_at(box, 0, 0, 0). */
struct heat_box {
  int64_t n[HEAT_AXES];
  int64_t sy, sz; /* distance of neighbors along y and z, in cells */
};

/* One unit's state. The two fields and the packed faces lie in memory that other units can get. */
struct heat_unit {
  const struct heat_opts *opts;
  struct heat_grid grid;
  struct heat_box box;
  double *field[2];       /* field[step & 1] is the current one */
  double *faces;          /* packed: two parities of six slots */
  uint64_t slot;          /* doubles in a slot: the largest face of any block */
  double *inbox;          /* private: six slots for the neighbors' faces */
  struct heat_halo *halo; /* of the halo exchange alone */
};

/* heat_grid.c. Fails with -1 when the grid cannot be cut into `units` blocks of at least one cell,
 * or not into the parts that the options name; the grid of unit `me`. */
int heat_grid_make(const struct heat_opts *opts, uint32_t units, uint32_t me,
                   struct heat_grid *grid);
/* the same decomposition, for another unit */
void heat_grid_of(const struct heat_grid *grid, uint32_t unit, struct heat_grid *out);

/* heat_kernel.c: the arithmetic, the same for the blocks and for the serial run. */
void heat_box_init(struct heat_box *box, const uint32_t n[HEAT_AXES]);
uint64_t heat_box_cells(const struct heat_box *box); /* ghosts included */
int64_t heat_at(const struct heat_box *box, int64_t x, int64_t y, int64_t z);
/* Fills inside and ghosts with the initial and boundary temperatures; lo: grid coordinates of the
 * box's first cell; size: of the whole grid. */
void heat_fill(const struct heat_box *box, double *t, const uint32_t lo[HEAT_AXES],
               const uint32_t size[HEAT_AXES]);
/* Updates cells [from, to) of each axis: out from in. */
void heat_sweep(const struct heat_box *box, double *out, const double *in,
                const int64_t from[HEAT_AXES], const int64_t to[HEAT_AXES]);
/* largest change of a cell */
double heat_residual(const struct heat_box *box, const double *a, const double *b);

/* heat_faces.c: the packed faces. */
/* Sets u->slot. Returns the cells of the largest block, ghosts included: parts of symmetric memory
 * have one size on all units. */
uint64_t heat_faces_slot(struct heat_unit *u);
uint64_t heat_face_cells(const struct heat_box *box, int face);
/* Where a packed face lies among a unit's faces, in doubles. */
uint64_t heat_face_at(const struct heat_unit *u, uint32_t step, int face);
int heat_faces_pack(struct heat_unit *u, uint32_t step);
int heat_faces_unpack(struct heat_unit *u, uint32_t step); /* from u->inbox */

/* heat_halo.c: all communication between blocks. One exchange is pack, announce, await, then fetch
 * or start ... finish. bench/ has other halves of this interface (heat_mpi.c, heat_shared.c,
 * heat_rows.c), which are linked instead. */
int heat_halo_open(struct heat_unit *u); /* collective; after a failure the run must end */
int heat_halo_pack(struct heat_unit *u, uint32_t step);
/* announces to the neighbors that this unit's faces of this step can be fetched */
int heat_halo_announce(struct heat_unit *u);
/* waits until all neighbors have announced their faces */
int heat_halo_await(struct heat_unit *u, uint32_t step);
int heat_halo_fetch(struct heat_unit *u, uint32_t step); /* blocking gets, unpacked */
int heat_halo_start(struct heat_unit *u, uint32_t step);
int heat_halo_finish(struct heat_unit *u, uint32_t step);
/* Gets `rows` rows of `cells` cells of the field after the last step of another unit, from index
 * `first` of its box on, `there` cells apart, to `to`, `here` cells apart. */
struct heat_rows {
  int64_t first;
  uint64_t cells, rows;
  int64_t there, here;
};
int heat_halo_read(struct heat_unit *u, uint32_t unit, const struct heat_rows *rows, double *to);
int heat_halo_close(struct heat_unit *u); /* collective */

/* heat_verify.c: unit 0 computes the whole grid alone and compares every block and the residual.
 * *worst: the largest difference. Unit 0 only; no unit may change its fields meanwhile. */
int heat_verify(struct heat_unit *u, double residual, double *worst);
/* heat_image.c: writes the slice through the middle of y of the final field as a PPM image. Unit 0
 * only, as above. */
int heat_image(struct heat_unit *u, const char *file);

/* heat3d.c: prints "heat3d: unit U: what: reason" and passes the code on. */
int heat_fail(const char *what, int code);
#define HEAT_TRY(call)                                    \
  do {                                                    \
    int code_ = (call);                                   \
    if (code_ != EYOT_OK) return heat_fail(#call, code_); \
  } while (0)
#endif
