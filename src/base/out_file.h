/* SPDX-License-Identifier: BSD-3-Clause */
/* out_file.h - files that an option names and a run writes at its end, or only if it fails: whether
 * they can be written is better known before. */
#ifndef EYOT_BASE_OUT_FILE_H
#define EYOT_BASE_OUT_FILE_H

#include <eyot/types.h>
#include <signal.h>

/* Why `path` cannot be written, or made in its folder, as errno; 0: it can. Does not touch it. */
EYOT_API int eyoti_out_file_errno(const char *path);

/* Around the writes: those beyond the system's limit of a file's size fail with EFBIG. Else the
 * signal ends the process, or calls a handler of the program. */
static inline void eyoti_out_begin(struct sigaction *before) {
  struct sigaction none = {.sa_handler = SIG_IGN};
  *before = none; /* in explored runs the kernel writes only to what the process has written */
  (void)sigaction(SIGXFSZ, &none, before);
}
static inline void eyoti_out_end(const struct sigaction *before) {
  (void)sigaction(SIGXFSZ, before, NULL);
}
#endif
