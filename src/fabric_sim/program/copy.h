/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h - the folder in which the copies of a program are kept, and the loading of one. For
 * program.c.
 *
 * Why it exists: the loader recognizes a file that it has loaded before, by name and by inode, so
 * each unit needs a file of its own. The files are unlinked as soon as they are loaded. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_COPY_H
#define EYOT_FABRIC_SIM_PROGRAM_COPY_H

#include <limits.h>
#include <stdint.h>

struct sim_prog_store {
  char folder[PATH_MAX]; /* the store's own; removed by sim_prog_store_close */
  int source;            /* the program's file */
  uint64_t file_bytes;
};

/* Makes a folder that can hold n copies: in /dev/shm, TMPDIR or /tmp. Errors: ENOMEM (no space;
 * logs where and how much), ESYS. */
int sim_prog_store_open(const char *path, uint64_t file_bytes, uint32_t n,
                        struct sim_prog_store *out);
void sim_prog_store_close(struct sim_prog_store *s);
/* Copies, loads and unlinks number i. Errors: ESYS, EINVAL (the loader refuses; logs its
 * reason). */
int sim_prog_store_load(const struct sim_prog_store *s, uint32_t i, void **handle);
#endif
