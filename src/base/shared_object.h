/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_object.h - finds and loads a shared object of eyot's own, for init/ (fabric modules) and
 * the simulator (its part that calls SimGrid). */
#ifndef EYOT_BASE_SHARED_OBJECT_H
#define EYOT_BASE_SHARED_OBJECT_H

#include <eyot/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes the path of a file in EYOT_FABRIC_DIR, or in the folder `eyot` beside libeyot. Errors:
 * EFABRIC (logged). */
EYOT_API int eyoti_shared_object_path(const char *file, char *path, size_t size);
/* Loads it; what: what it is, for messages. needs_memory: does not return without memory; else that
 * is an error as well. Errors: EFABRIC (logs the path and the reason). */
EYOT_API int eyoti_shared_object_load(const char *file, const char *what, bool needs_memory,
                                      void **handle);
/* Whether the loader's message `why` (dlerror) is of a lack of memory: it gives no code, and does
 * not set errno for each of its reasons. */
EYOT_API bool eyoti_shared_object_lacks_memory(const char *why);
#endif
