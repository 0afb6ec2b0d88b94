/* SPDX-License-Identifier: BSD-3-Clause */
/* older.c - eyot_init as programs call it that were compiled when it was a function of the library:
 * with EYOTI_FAST_ABI 1 or 2. Now it is inline and says by which ABI the program inlines operations
 * (eyot/init.h), so that none runs whose operations would look for what is no longer there. */
#include <eyot/types.h>

#define OLDER_ABI 2u /* or less: those programs do not tell */

EYOT_API int eyoti_init_call(int *argc, char ***argv, uint32_t fast_abi);
EYOT_API int eyot_init(int *argc, char ***argv);

/* EFABRIC, always. By hand: those that cannot use C headers inline nothing, and call
 * eyoti_init_call themselves. */
int eyot_init(int *argc, char ***argv) {
  return eyoti_init_call(argc, argv, OLDER_ABI);
}
