/* SPDX-License-Identifier: BSD-3-Clause */
/* run_sites.h - the source lines of addresses in other processes, which run the same program or
 * another one. For run_report.c. */
#ifndef EYOT_RUN_SITES_H
#define EYOT_RUN_SITES_H

#include <stdint.h>
#include <sys/types.h>

#include "base/code_line.h"

#define RUN_SITE_FILE 512u

struct run_site {
  pid_t pid;
  uint64_t address;            /* to which a call returns; 0: none */
  char place[EYOTI_CODE_LINE]; /* "a.c:12 (main)", or a file and an offset; empty: unknown */
  char file[RUN_SITE_FILE];    /* that has the code; empty: unknown */
  uint64_t off;                /* in that file, as addr2line counts */
};

/* Sets `place` of each, by one run of addr2line for each file. `file`, `off` and `place` are empty
 * before. */
void run_sites_find(struct run_site *s, uint32_t n);
#endif
