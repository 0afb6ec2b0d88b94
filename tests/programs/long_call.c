/* SPDX-License-Identifier: BSD-3-Clause */
/* long_call.c - unit 0 sends the first argument's MiB of its own memory to unit 1: one call of eyot
 * that copies for long, which is no unit that makes no call. */
#include "programs/api_check.h"

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint64_t bytes = strtoull(argc > 1 ? argv[1] : "1", NULL, 10) << 20;
  char *memory = calloc(1, bytes); /* no page of it is made here */
  CHECK(memory != NULL);
  if (eyot_me().id == 0) {
    OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 0, memory, bytes));
  } else if (eyot_me().id == 1) {
    eyot_msg_status_t got;
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 0, memory, bytes, &got));
    CHECK(got.bytes == bytes);
  }
  return finish();
}
