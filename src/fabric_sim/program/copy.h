/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h - the files of the copies of a program, and the loading of one. For program.c.
 *
 * Why it exists: the loader recognizes a file that it has loaded before, by name and by inode, so
 * each unit needs a file of its own. The files have no names, so that a run that is killed leaves
 * none. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_COPY_H
#define EYOT_FABRIC_SIM_PROGRAM_COPY_H

#include <stdint.h>

struct sim_prog_store {
  const char *folder; /* of a file system with room for the copies */
  const char *path;   /* of the program's file, */
  int source;         /* which is open */
  uint64_t file_bytes;
};

/* Finds a folder that can hold n copies: /dev/shm, TMPDIR or /tmp. Errors: ENOMEM (no space;
 * logs where and how much), ESYS. */
int sim_prog_store_open(const char *path, uint64_t file_bytes, uint32_t n,
                        struct sim_prog_store *out);
void sim_prog_store_close(struct sim_prog_store *s);
/* Copies and loads number i. Errors: ESYS, EINVAL (the loader refuses; logs its
 * reason). */
int sim_prog_store_load(const struct sim_prog_store *s, uint32_t i, void **handle);
#endif
