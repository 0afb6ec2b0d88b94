/* SPDX-License-Identifier: BSD-3-Clause */
/* sheap_apart.c - processes that cannot all have the heap at the addresses that are proposed.
 * sheap_apart all: some have no place there, and each process keeps its own address: eyot_sheap_
 * returns ENOTSUP, buffers that are given are copied, edges pack. sheap_apart half: some addresses
 * are free, and one is found. */
#include <string.h>
#include <sys/mman.h>

#include "programs/api_check.h"

#define FIRST (UINT64_C(1) << 45) /* as src/fabric_real/endpoint/node_memory.c */

/* In every second process. */
static void occupy(const char *how) {
  const char *rank = getenv("PMI_RANK");
  if (rank == NULL) rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL || strtoul(rank, NULL, 10) % 2 == 0) return;
  uint64_t bytes = strcmp(how, "all") == 0 ? FIRST : FIRST / 2;
  void *at = mmap((void *)(uintptr_t)FIRST, bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == MAP_FAILED) abort();
}

static uint64_t pack(void *context, const void *send, void *buf, uint64_t space) {
  (void)context;
  if (space >= 8) memcpy(buf, send, 8);
  return 8;
}
static void unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  (void)recv;
  memcpy(context, buf, bytes);
}
static void move(void *context, const void *send, const void *recv) {
  (void)recv;
  memcpy(context, send, 8);
}

int main(int argc, char **argv) {
  CHECK(argc > 1);
  occupy(argv[1]);
  OK(eyot_init(&argc, &argv));
  const eyot_tunit_t next = {(eyot_me().id + 1) % eyot_size()},
                     before = {(eyot_me().id + eyot_size() - 1) % eyot_size()};
  bool apart = strcmp(argv[1], "all") == 0;
  void *p = NULL;
  int rc = eyot_sheap_alloc(100, &p);
  CHECK(rc == (apart ? EYOT_ENOTSUP : EYOT_OK));
  CHECK(eyot_sheap_free(p) == EYOT_OK);
  for (uint64_t bytes = 8; bytes <= 80000; bytes *= 100) {
    uint64_t *mine, *theirs;
    OK(eyot_own_alloc(bytes, (void **)&mine));
    *mine = eyot_me().id + bytes;
    OK(eyot_own_give(EYOT_TEAM_ALL, next, 1, (void **)&mine, bytes));
    OK(eyot_own_take(EYOT_TEAM_ALL, before, 1, (void **)&theirs, NULL));
    CHECK(*theirs == before.id + bytes);
    OK(eyot_own_free((void **)&theirs));
  }
  eyot_graph_t g;
  eyot_exchange_t x;
  uint64_t value = 5 + eyot_me().id, got = 0;
  uint32_t sent, received;
  eyot_exchange_ops_t ops = {.pack = pack,
                             .unpack = unpack,
                             .fused = move,
                             .context = &got,
                             .send_bytes = 8,
                             .space_bytes = 8};
  OK(eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &next, 1, &g));
  OK(eyot_exchange_create(g, &ops, &x));
  OK(eyot_exchange_edges(x, &sent, &received));
  CHECK(sent == received && sent == (apart ? 0 : 1));
  OK(eyot_exchange(x, &value, NULL));
  CHECK(got == 5 + before.id);
  OK(eyot_exchange_destroy(&x));
  OK(eyot_graph_destroy(&g));
  return finish();
}
