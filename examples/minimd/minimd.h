/* SPDX-License-Identifier: BSD-3-Clause */
/* minimd.h - shared declarations of minimd: one unit's part of a Lennard-Jones liquid, and the
 * table of the ways in which boundary atoms are communicated.
 *
 * Units of length, mass, energy and time are those of Lennard-Jones. Source of the problem and of
 * its communication: miniMD of the Mantevo suite, as described by A. Friedley, "Shared Memory
 * Optimizations for Distributed Memory Programming Models", 2013, section 3.4.1 and appendix A. */
#ifndef MINIMD_H
#define MINIMD_H

#include <eyot/eyot.h>
#include <stdint.h>

enum { MD_AXES = 3, MD_SWAPS = 6 };
/* Atoms leave their unit, and lists of neighbors are made, each so many steps. */
enum { MD_RENEW_EVERY = 20 };
#define MD_DENSITY 0.8442
#define MD_TEMPERATURE 1.44
#define MD_CUTOFF 2.5
#define MD_REACH 2.8 /* of the lists of neighbors: the cutoff and a skin */
#define MD_TIME_STEP 0.005

/* Declared costs: the force of one pair, about 30 floating-point operations; one candidate for a
 * list of neighbors; an atom that is packed or unpacked, or moved by a step. */
#define MD_PAIR_NS 8u
#define MD_CANDIDATE_NS 2u
#define MD_ATOM_NS 2u

struct md_opts {
  uint32_t atoms; /* about so many a unit */
  uint32_t steps;
  uint32_t variant; /* 0: all, else 1 + its index in the table */
  bool verify;
};

/* The cube [0, size) on each axis, periodic, of `cells` cells with four atoms along each axis; a
 * unit has [lo, hi). neighbor[axis][0] is the unit on the low side. */
struct md_box {
  uint32_t units, cells;
  double size;
  uint32_t parts[MD_AXES], coord[MD_AXES];
  double lo[MD_AXES], hi[MD_AXES];
  uint32_t neighbor[MD_AXES][2];
};

/* Swap 2*axis sends to the low side, 2*axis + 1 to the high side. It copies `count` atoms, `list`,
 * which the receiver has as atoms from first_ghost on. */
struct md_swap {
  uint32_t to, from;
  double shift; /* added to a position that goes across the boundary of the cube */
  uint32_t *list;
  uint32_t count, capacity;
  uint32_t first_ghost, ghosts; /* received */
};

/* Energies of one step. */
struct md_energy {
  double potential, kinetic;
};

struct md_variant;

/* One unit's part of a system. Atoms 0 to local - 1 are its own, those after them copies of others'
 * (ghosts); three numbers each. */
struct md_system {
  struct md_box box;
  bool alone; /* the serial run of unit 0, which has the whole cube */
  uint32_t me, local, all, capacity;
  double *x, *v, *f;
  uint32_t *first, *near; /* neighbors of atom i: near[first[i]] to near[first[i + 1] - 1] */
  uint32_t near_capacity;
  uint32_t *bin_first, *bin_next; /* atoms of a bin, as lists */
  uint32_t bins[MD_AXES], bin_capacity;
  struct md_swap swap[MD_SWAPS];
  uint32_t swap_most; /* atoms that a message may hold; the same on all units */
  double potential;   /* of the pairs in this unit's lists */
  const struct md_variant *variant;
  void *state, *fused; /* of MD_EXCHANGE also the second */
  uint64_t messages;   /* sent so far */
  uint64_t communication_ns;
};

/* The messages of a swap, each with a place of its own in the buffers of a way. */
enum md_kind { MD_FORWARD, MD_REVERSE, MD_BORDER_COUNT, MD_BORDER, MD_LEAVE_COUNT, MD_LEAVE };
enum { MD_KINDS = MD_LEAVE + 1, MD_SLOTS = MD_KINDS * MD_SWAPS };

/* A message that goes out and one that comes in, at the same time. */
struct md_message {
  uint32_t slot; /* kind * MD_SWAPS + swap */
  uint32_t to, from;
  uint64_t out_bytes, in_bytes;
};

/* A way of communication. `begin` returns memory into which the caller packs out_bytes; `exchange`
 * sends it and receives in_bytes; `end` gives that memory back. Between two exchanges of a slot
 * each unit has received from the slot's target a message that the target has sent after it had
 * used the first one; so a slot of a target is free. Functions return EYOT_OK or a code that was
 * printed; then the run must end. Called by all units. */
struct md_variant {
  const char *name;
  bool shared; /* positions, forces and lists lie in the shared heap */
  int (*open)(struct md_system *s);
  int (*begin)(struct md_system *s, const struct md_message *m, void **out);
  int (*exchange)(struct md_system *s, const struct md_message *m, const void **in);
  int (*end)(struct md_system *s, const struct md_message *m, const void *in);
  int (*close)(struct md_system *s);
  /* NULL, or what does a whole swap of positions (MD_FORWARD) or forces (MD_REVERSE) instead */
  int (*swap)(struct md_system *s, enum md_kind kind, uint32_t swap);
};
enum { MD_MAX_VARIANTS = 8 };
/* minimd_variants.c; bench/minimd_mpi.c has another table, which is linked instead. Ends with NULL.
 */
extern const struct md_variant *const MD_VARIANTS[];
extern const struct md_variant MD_MSG, MD_OWN, MD_EXCHANGE, MD_RMA;
/* Those of MD_MSG, for ways that differ from it in other swaps alone. */
int md_msg_begin(struct md_system *s, const struct md_message *m, void **out);
int md_msg_exchange(struct md_system *s, const struct md_message *m, const void **in);
int md_msg_end(struct md_system *s, const struct md_message *m, const void *in);

/* md_box.c: the cells along an axis for about so many atoms a unit; cuts the cube, and returns
 * false if a part is thinner than MD_REACH. */
uint32_t md_box_cells(uint32_t units, uint32_t atoms);
bool md_box_make(struct md_box *box, uint32_t units, uint32_t me, uint32_t cells);
uint64_t md_box_atoms(const struct md_box *box);

/* md_system.c: makes the atoms of this unit's part: a lattice, and velocities that depend on an
 * atom's place alone, of MD_TEMPERATURE and without momentum. Collective unless alone. */
int md_system_open(struct md_system *s);
int md_system_reserve(struct md_system *s, uint32_t atoms); /* memory for so many */
int md_system_close(struct md_system *s);
/* realloc, in the shared heap if the variant asks for it. */
int md_resize(const struct md_system *s, void **p, uint64_t old_bytes, uint64_t bytes);
/* Declares the cost of a computation. */
int md_spend(const struct md_system *s, uint64_t ns);

/* md_force.c */
int md_neighbors(struct md_system *s); /* makes lists; each pair is in one list of all units */
int md_force(struct md_system *s);     /* forces of atoms and ghosts, and the potential */

/* md_swap.c: which atoms are copied where. forward: positions to ghosts; reverse: forces of ghosts
 * to their atoms; leave: atoms to the unit in whose part they are; borders: new ghosts. */
void md_swap_init(struct md_system *s);
int md_forward(struct md_system *s);
int md_reverse(struct md_system *s);
int md_leave(struct md_system *s);
int md_borders(struct md_system *s);

/* Positions of a swap, as their receiver sees them, and forces, to the atoms that they belong
 * to. */
int md_positions_pack(const struct md_system *s, uint32_t swap, double *out);
int md_forces_unpack(struct md_system *s, uint32_t swap, const double *in);

/* md_slot.c: the places of a way's buffers, in bytes. */
uint64_t md_slot_bytes(const struct md_system *s, uint32_t slot);
uint64_t md_slot_at(const struct md_system *s, uint32_t slot);
uint64_t md_slot_end(const struct md_system *s);

/* md_step.c: the first forces, and one step (numbers from 1). */
int md_start(struct md_system *s);
int md_step(struct md_system *s, uint32_t step);
struct md_energy md_energy(const struct md_system *s); /* this unit's share */

/* md_verify.c: the serial run of a cube of so many cells; energy[0] to energy[steps]. Unit 0 only.
 */
int md_serial(uint32_t cells, uint32_t steps, struct md_energy *energy);
/* The largest difference of an energy from the serial one, relative to the kinetic energy. */
double md_energy_error(const struct md_energy *a, const struct md_energy *b, uint32_t steps);

/* minimd.c: prints "minimd: unit U: what: reason" and passes the code on. */
int md_fail(const char *what, int code);
#define MD_TRY(call)                                    \
  do {                                                  \
    int code_ = (call);                                 \
    if (code_ != EYOT_OK) return md_fail(#call, code_); \
  } while (0)
#endif
