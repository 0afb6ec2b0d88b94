/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - the program that runs in the simulator: one loaded copy of its file per unit, so that
 * each unit has its own globals and thread-locals. world.c opens it; unit.h, explore/ and site.h
 * look addresses up in it.
 *
 * Why it exists: thousands of units share a process; a program's globals must not be shared with
 * them. The file (made by eyotcc: an executable that is also a shared object, see docs/adr) is
 * copied, loaded and unlinked once per unit. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_PROGRAM_H
#define EYOT_FABRIC_SIM_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* Up to this many units have a guard page below each stack: two mappings per stack and about three
 * per copy stay below the usual limit of 65,530. */
#define SIM_GUARDED_UNITS_MAX 12000u

struct eyoti_image; /* base/image.h */
struct sim_prog;
typedef int (*sim_prog_main_fn)(int argc, char **argv, char **envp);

/* Checks the file (exists; is loadable; not linked against an MPI library or a static libeyot; else
 * logs how to build it) and loads n copies, or one if shared_globals. First checks the map limit
 * and the space for copies (/dev/shm, then TMPDIR, then /tmp), and logs which limit is reached, how
 * many would fit and how to raise it. Errors: EINVAL, ENOMEM, ESYS, ENOTSUP (MPI in the program,
 * or copies of the process). */
int sim_prog_open(const char *path, uint32_t n, bool shared_globals, struct sim_prog **out);
sim_prog_main_fn sim_prog_main(const struct sim_prog *p, uint32_t unit);
/* Whether its code reports loads and stores (eyotcc --instrument=accesses or =steps). */
bool sim_prog_reports(const struct sim_prog *p);
uint64_t sim_prog_bytes_per_copy(const struct sim_prog *p);
/* For diagnostics: the path of the original file when it was loaded. */
const char *sim_prog_file(const struct sim_prog *p);
/* Whether `address` is in the unit's copy; *off is its offset there, the same for all units. */
bool sim_prog_offset(const struct sim_prog *p, uint32_t unit, const void *address, uint64_t *off);
/* The inverse: the address of an offset in the unit's copy. */
char *sim_prog_address(const struct sim_prog *p, uint32_t unit, uint64_t off);
uint32_t sim_prog_copies(const struct sim_prog *p); /* 1: all units share one */
/* Which bytes are data; NULL: unknown (logged). */
const struct eyoti_image *sim_prog_image(const struct sim_prog *p);
/* Whether the program has calls that make threads, or OpenMP's parallel regions: what other threads
 * access is not seen. */
bool sim_prog_threads(const struct sim_prog *p);
bool sim_prog_openmp(const struct sim_prog *p);
/* leaves the copies loaded: parked units may still have frames in them */
void sim_prog_close(struct sim_prog *p);

/* Per-unit libc state that a switch must save and restore: errno and getopt's variables. */
struct sim_libc {
  int err, optind, opterr, optopt;
  char *optarg;
};
void sim_libc_init(struct sim_libc *s);
void sim_libc_save(struct sim_libc *s);
void sim_libc_load(const struct sim_libc *s);

/* The same for the thread-locals of OpenMP's library: a unit may be inside a parallel region. */
struct sim_openmp {
  char *at, *own; /* where they are, and the unit's; NULL: not used */
  uint64_t bytes;
};
/* For a unit of a program that uses OpenMP, before it runs. False: no memory. */
bool sim_openmp_init(struct sim_openmp *s);
void sim_openmp_fini(struct sim_openmp *s);
void sim_openmp_save(const struct sim_openmp *s);
void sim_openmp_load(const struct sim_openmp *s);
#endif
