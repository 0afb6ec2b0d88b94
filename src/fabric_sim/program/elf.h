/* SPDX-License-Identifier: BSD-3-Clause */
/* elf.h - looks into a program's file before anything of it is loaded.
 *
 * Why it exists: dlopen would load a program that calls MPI or makes threads, and say of others
 * only what the loader says. Here each file that cannot run in the simulator is refused with what
 * is wrong and what to do. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_ELF_H
#define EYOT_FABRIC_SIM_PROGRAM_ELF_H

#include <stdbool.h>
#include <stdint.h>

struct sim_prog_facts {
  uint64_t file_bytes;
  uint64_t private_bytes; /* writable memory of a copy */
  uint64_t image_bytes;   /* from the first to the last byte of a loaded copy */
  uint32_t maps;          /* mappings of a copy */
  bool static_tls;        /* uses initial-exec thread-locals, of which a process has room for few */
};

/* Errors: EINVAL (no such file, no program, not made by eyotcc, for another machine, damaged,
 * libeyot inside), ENOTSUP (MPI or threads), ENOMEM, ESYS. copies: whether it will be loaded more
 * than once (then no symbol may be unique in the process). */
int sim_prog_inspect(const char *path, bool copies, struct sim_prog_facts *out);
#endif
