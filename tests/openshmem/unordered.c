/* SPDX-License-Identifier: BSD-3-Clause */
/* unordered.c - PE 0 puts and tells PE 1 without shmem_fence or shmem_quiet between the two; PE 1
 * reads what was put. For tests/sim/pictures.sh: the picture of its race. */
#include <shmem.h>

static long data, flag;

int main(void) {
  const long value = 7;
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_long_put_nbi(&data, &value, 1, 1); /* first access */
    shmem_long_atomic_inc(&flag, 1);
  } else if (shmem_my_pe() == 1) {
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_long_p(&data, 8, 1); /* second access */
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
