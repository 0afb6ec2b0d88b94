/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_overlap.c - long messages between all units, with a computation before each send: their bytes
 * must be on their way together, as those of as many puts are. For the simulator, whose times are
 * exact: prints ok if the messages take less than 1.4 times the puts. */
#include <string.h>

#include "programs/api_check.h"

enum { BYTES = 16384, COMPUTE_NS = 2000, TURNS = 4 };

static uint32_t me, n;

static eyot_tunit_t after(uint32_t i) {
  return (eyot_tunit_t){(me + i) % n};
}
static eyot_tunit_t before(uint32_t i) {
  return (eyot_tunit_t){(me + n - i) % n};
}

static void messages(const char *out, char *in, eyot_msg_t *recv, eyot_msg_t *send) {
  for (uint32_t i = 1; i < n; i++)
    OK(eyot_recv_nb(EYOT_TEAM_ALL, before(i), 1, in + (uint64_t)i * BYTES, BYTES, &recv[i]));
  for (uint32_t i = 1; i < n; i++) {
    OK(eyot_compute(COMPUTE_NS));
    OK(eyot_send_nb(EYOT_TEAM_ALL, after(i), 1, out + (uint64_t)i * BYTES, BYTES, &send[i]));
  }
  OK(eyot_msg_wait_all(recv + 1, n - 1, NULL));
  OK(eyot_msg_wait_all(send + 1, n - 1, NULL));
  for (uint32_t i = 1; i < n; i++)
    for (uint64_t k = 0; k < BYTES; k += 1000)
      CHECK(in[(uint64_t)i * BYTES + k] == (char)(before(i).id + i + k));
}

static void puts_(eyot_gptr_t in, const char *out) {
  for (uint32_t i = 1; i < n; i++) {
    OK(eyot_compute(COMPUTE_NS));
    eyot_gptr_t to = eyot_gptr_at(in, (eyot_unit_t){after(i).id});
    OK(eyot_put_nbi(eyot_gptr_add(to, (int64_t)i * BYTES), out + (uint64_t)i * BYTES, BYTES));
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  eyot_gptr_t memory;
  void *at;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 2ull * n * BYTES, &memory));
  OK(eyot_gptr_addr(eyot_gptr_at(memory, eyot_me()), &at));
  char *in = at, *out = in + (uint64_t)n * BYTES;
  eyot_msg_t *recv = calloc(n, sizeof *recv), *send = calloc(n, sizeof *send);
  CHECK(recv != NULL && send != NULL);
  for (uint32_t i = 1; i < n; i++)
    for (uint64_t k = 0; k < BYTES; k++) out[(uint64_t)i * BYTES + k] = (char)(me + i + k);
  uint64_t begin = 0, by_message = 0, by_put = 0;
  for (uint32_t t = 0; t < TURNS; t++) { /* the first turns make rings */
    OK(eyot_barrier(EYOT_TEAM_ALL));
    begin = eyot_now_ns();
    messages(out, in, recv, send);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    by_message = eyot_now_ns() - begin;
  }
  begin = eyot_now_ns();
  puts_(memory, out);
  by_put = eyot_now_ns() - begin;
  if (me == 0)
    fprintf(stderr, "messages %.1f us, puts %.1f us\n", (double)by_message / 1e3,
            (double)by_put / 1e3);
  CHECK(by_message < by_put * 14 / 10);
  free(recv);
  free(send);
  OK(eyot_team_free(memory));
  return finish();
}
