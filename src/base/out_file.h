/* SPDX-License-Identifier: BSD-3-Clause */
/* out_file.h - files that an option names and a run writes at its end, or only if it fails: whether
 * they can be written is better known before. */
#ifndef EYOT_BASE_OUT_FILE_H
#define EYOT_BASE_OUT_FILE_H

#include <eyot/types.h>

/* Why `path` cannot be written, or made in its folder, as errno; 0: it can. Does not touch it. */
EYOT_API int eyoti_out_file_errno(const char *path);
#endif
