/* SPDX-License-Identifier: BSD-3-Clause */
/* elf.h - examines a program's file before any of it is loaded. For program.c.
 *
 * Why it exists: dlopen would load a program that calls MPI, and for others gives only the loader's
 * message. Here each file that cannot run in the simulator is refused with the
 * reason and a remedy. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_ELF_H
#define EYOT_FABRIC_SIM_PROGRAM_ELF_H

#include <stdbool.h>
#include <stdint.h>

struct sim_prog_facts {
  uint64_t file_bytes;
  uint64_t private_bytes; /* writable memory of a copy */
  uint64_t image_bytes;   /* from the first to the last byte of a loaded copy */
  uint32_t maps;          /* mappings of a copy */
  /* uses initial-exec thread-locals, for which a process has little space */
  bool static_tls;
  bool threads, openmp; /* has calls that make threads; OpenMP's, for parallel regions */
};

/* Errors: EINVAL (no such file, no program, not made by eyotcc, for another machine, damaged,
 * libeyot inside), ENOTSUP (MPI, or copies of the process), ENOMEM, ESYS. copies: whether it will
 * be loaded more than once (then no symbol may be unique in the process). */
int sim_prog_inspect(const char *path, bool copies, struct sim_prog_facts *out);

/* Calls `fn` with the name of each library that the file of a program needs, and the folders in
 * which it says that they are, with ":" between them ("": it says nothing). A file that
 * sim_prog_inspect refuses has none. */
void sim_prog_each_needed(const char *path,
                          void (*fn)(const char *name, const char *folders, void *arg), void *arg);
#endif
