/* SPDX-License-Identifier: BSD-3-Clause */
/* outputs.h - refuses a command that would write two files as one, or over a file that it reads: a
 * report over the journal of a campaign loses the campaign. For eyotrun --seeds and eyotcheck. */
#ifndef EYOT_TOOLS_OUTPUTS_H
#define EYOT_TOOLS_OUTPUTS_H

#include "tool.h"

struct output {
  const char *name; /* "--json", "the program" */
  const char *path; /* NULL: not given */
  bool read;        /* and not written */
};

/* Before any of them is opened. Devices and pipes may be given twice. Returns an exit code, after a
 * message. */
int outputs_check(const struct tool *t, const struct output *files, size_t n);
#endif
