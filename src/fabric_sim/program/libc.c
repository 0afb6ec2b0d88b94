/* SPDX-License-Identifier: BSD-3-Clause */
/* libc.c - saves and restores the libc state that each unit needs for itself. See program.h.
 *
 * getopt keeps more than these variables (its position inside a group of short options): a unit
 * must not make a fabric call between the letters of "-abc". */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "fabric_sim/program/program.h"

void sim_libc_init(struct sim_libc *s) {
  *s = (struct sim_libc){.err = 0, .optind = 1, .opterr = 1, .optopt = '?', .optarg = NULL};
}

/* noinline: the address of errno must be computed again after a switch of stacks. */
__attribute__((noinline)) void sim_libc_save(struct sim_libc *s) {
  *s = (struct sim_libc){
      .err = errno, .optind = optind, .opterr = opterr, .optopt = optopt, .optarg = optarg};
}

__attribute__((noinline)) void sim_libc_load(const struct sim_libc *s) {
  errno = s->err;
  optind = s->optind;
  opterr = s->opterr;
  optopt = s->optopt;
  optarg = s->optarg;
}
