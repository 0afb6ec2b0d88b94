/* SPDX-License-Identifier: BSD-3-Clause */
/* older.c - eyot_init as a function of the library, for programs that were compiled when it was
 * one: with EYOTI_FAST_ABI 1 or 2. Now it is inline and passes the ABI by which the program inlines
 * operations (eyot/init.h), so that no program runs whose operations read fields that no longer
 * exist. */
#include <eyot/types.h>

#define OLDER_ABI 2u /* or less: those programs do not pass it */

EYOT_API int eyoti_init_call(int *argc, char ***argv, uint32_t fast_abi);
EYOT_API int eyot_init(int *argc, char ***argv);

/* Always returns EFABRIC. Written out: callers that cannot use C headers inline nothing, and call
 * eyoti_init_call themselves. */
int eyot_init(int *argc, char ***argv) {
  return eyoti_init_call(argc, argv, OLDER_ABI);
}
