/* SPDX-License-Identifier: BSD-3-Clause */
/* time_end.c - units near the end of virtual time (docs/limits.md: 106 days).
 *
 *   time_end refused    computation that would pass the end is refused, other is not
 *   time_end reached    units compute until the end, with barriers in between */
#include <eyot/eyot.h>
#include <string.h>

#include "api_check.h"

#define END_NS ((UINT64_C(1) << 63) / 1000)

int main(int argc, char **argv) {
  CHECK(argc == 2 && eyot_init(&argc, &argv) == EYOT_OK);
  uint64_t now = eyot_now_ns();
  if (strcmp(argv[1], "refused") == 0) {
    CHECK(eyot_compute(UINT64_MAX) == EYOT_EINVAL);
    CHECK(eyot_compute(END_NS) == EYOT_EINVAL);
    CHECK(eyot_compute(END_NS - now + 1) == EYOT_EINVAL);
    CHECK(eyot_now_ns() - now < 1000000);
    OK(eyot_compute(END_NS - now - 1000000000));
    CHECK(eyot_compute(1000000000) == EYOT_EINVAL);
  } else {
    for (;;) {
      if (eyot_now_ns() < END_NS - 200) OK(eyot_compute(END_NS - eyot_now_ns() - 100));
      OK(eyot_barrier(EYOT_TEAM_ALL));
    }
  }
  return finish();
}
