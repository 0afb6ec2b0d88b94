/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.c - see agree.h. */
#include "fabric_real/launch/agree.h"

#include <inttypes.h>

#include "base/conf.h"

/* Options that must be equal on all units, because layouts and protocols are computed from them on
 * each unit. */
static const enum eyoti_conf SAME[] = {
    EYOTI_CONF_HEAP_SIZE,  EYOTI_CONF_HEAP_MAX,         EYOTI_CONF_NODE_SIZE,
    EYOTI_CONF_PACK_BYTES, EYOTI_CONF_BULK_ATOMIC,      EYOTI_CONF_CHECK,
    EYOTI_CONF_STATS,      EYOTI_CONF_PROGRESS,         EYOTI_CONF_PROGRESS_BYTES,
    EYOTI_CONF_ATOMICS,    EYOTI_CONF_PROGRESS_PRIVATE, EYOTI_CONF_PROGRESS_PRIVATE_BYTES};
#define SAME_COUNT (sizeof SAME / sizeof *SAME)

/* Every unit reports the same: the maximum of each value and the complement of its complement's are
 * equal exactly if all values are. */
int fmpi_check_options(MPI_Comm world, int rc) {
  uint64_t words[2 * SAME_COUNT + 1] = {0};
  for (size_t i = 0; i < SAME_COUNT; i++) {
    uint64_t v = 0;
    int bad = eyoti_conf_u64(SAME[i], &v);
    if (bad != 0) rc = bad;
    words[2 * i] = v;
    words[2 * i + 1] = ~v;
  }
  words[2 * SAME_COUNT] = rc != 0;
  FMPI_TRY(
      MPI_Allreduce(MPI_IN_PLACE, words, (int)(2 * SAME_COUNT + 1), MPI_UINT64_T, MPI_MAX, world));
  if (rc != 0) return rc;
  if (words[2 * SAME_COUNT] != 0)
    return EYOTI_FAIL(EYOT_EINVAL, "another unit cannot start; see its message");
  for (size_t i = 0; i < SAME_COUNT; i++) {
    uint64_t most = words[2 * i], least = ~words[2 * i + 1];
    if (most != least)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%s is %" PRIu64 " on some units and %" PRIu64
                        " on others; give all the same (mpiexec -genv, or eyotrun)",
                        eyoti_conf_entry(SAME[i])->env, least, most);
  }
  return EYOT_OK;
}
