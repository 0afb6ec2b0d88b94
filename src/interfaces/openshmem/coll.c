/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - broadcast, collect, fcollect, alltoall and alltoalls, by eyot's collectives.
 *
 * eyot's teams are sorted: where the stride of a team is negative, blocks are in reverse order and
 * are turned round here; those of alltoalls are described in that order. */
#include "interfaces/openshmem/coll.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_reversed(const struct shmemi_team *team) {
  return team->stride < 0 && team->size > 1;
}

/* Turns the order of n blocks round. */
static void turn(char *blocks, uint64_t n, uint64_t bytes, char *spare) {
  for (uint64_t i = 0; i < n / 2; i++) {
    char *a = blocks + i * bytes, *b = blocks + (n - 1 - i) * bytes;
    memcpy(spare, a, bytes);
    memcpy(a, b, bytes);
    memcpy(b, spare, bytes);
  }
}

void *osh_scratch(uint64_t bytes) {
  void *p = malloc(bytes > 0 ? bytes : 1);
  if (p == NULL)
    osh_fail(EYOT_ENOMEM, "no memory for %" PRIu64 " bytes between source and dest", bytes);
  return p;
}

/* Both must be symmetric. */
static void check(struct osh_buffers b, uint64_t dest_bytes, uint64_t source_bytes) {
  if (dest_bytes > 0) osh_symmetric("dest", b.dest, dest_bytes);
  if (source_bytes > 0) osh_symmetric("source", b.source, source_bytes);
}

int osh_broadcast(shmem_team_t team, struct osh_buffers b, uint64_t nelems, int root,
                  bool root_too) {
  eyot_team_t t = osh_team(team);
  uint64_t bytes = osh_bytes("nelems", nelems, b.bytes);
  if (root < 0 || root >= team->size)
    osh_fail(EYOT_EUNIT, "PE_root is %d, expected 0 to %d", root, team->size - 1);
  bool is_root = team->me == root;
  check(b, is_root && !root_too ? 0 : bytes, is_root ? bytes : 0);
  eyot_tunit_t from = {(uint32_t)(is_reversed(team) ? team->size - 1 - root : root)};
  /* the root's buffer is only read */
  int rc = eyot_broadcast(t, from, is_root ? (void *)(uintptr_t)b.source : b.dest, bytes);
  if (rc == EYOT_OK && is_root && root_too && bytes > 0) memmove(b.dest, b.source, bytes);
  return rc;
}

int osh_fcollect(shmem_team_t team, struct osh_buffers b, uint64_t nelems) {
  eyot_team_t t = osh_team(team);
  uint64_t bytes = osh_bytes("nelems", nelems, b.bytes), n = (uint64_t)team->size;
  check(b, osh_bytes("nelems", bytes, n), bytes);
  int rc = eyot_allgather(t, b.source, b.dest, bytes);
  if (rc != EYOT_OK || !is_reversed(team)) return rc;
  char *spare = osh_scratch(bytes);
  turn(b.dest, n, bytes, spare);
  free(spare);
  return rc;
}

/* Where the members' blocks begin in dest, in the order of PEs; returns the bytes of all. */
static uint64_t places(const struct shmemi_team *team, const uint64_t *lengths, uint64_t *at) {
  uint64_t n = (uint64_t)team->size, next = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t member = is_reversed(team) ? n - 1 - i : i;
    at[member] = next;
    next += lengths[member];
  }
  return next;
}

int osh_collect(shmem_team_t team, struct osh_buffers b, uint64_t nelems) {
  eyot_team_t t = osh_team(team);
  uint64_t own = osh_bytes("nelems", nelems, b.bytes), n = (uint64_t)team->size;
  uint64_t *lengths = osh_scratch(2 * n * sizeof *lengths), *at = lengths + n;
  int rc = eyot_allgather(t, &own, lengths, sizeof own);
  uint64_t sum = rc == EYOT_OK ? places(team, lengths, at) : 0;
  if (rc == EYOT_OK && sum > 0) {
    check(b, sum, own);
    rc = eyot_allgatherv(t, b.source, b.dest, lengths, at);
  }
  free(lengths);
  return rc;
}

/* The exchange of packed blocks; `send` may be turned round. */
static int exchange(shmem_team_t team, char *send, void *dest, uint64_t bytes) {
  uint64_t n = (uint64_t)team->size;
  char *spare = osh_scratch(bytes);
  if (is_reversed(team)) turn(send, n, bytes, spare);
  int rc = eyot_alltoall(osh_team(team), send, dest, bytes);
  if (rc == EYOT_OK && is_reversed(team)) turn(dest, n, bytes, spare);
  free(spare);
  return rc;
}

int osh_alltoall(shmem_team_t team, struct osh_buffers b, uint64_t nelems) {
  eyot_team_t t = osh_team(team);
  uint64_t bytes = osh_bytes("nelems", nelems, b.bytes), n = (uint64_t)team->size;
  uint64_t all = osh_bytes("nelems", bytes, n);
  check(b, all, all);
  if (!is_reversed(team)) return eyot_alltoall(t, b.source, b.dest, bytes);
  char *send = osh_scratch(all);
  memcpy(send, b.source, all);
  int rc = exchange(team, send, b.dest, bytes);
  free(send);
  return rc;
}

/* The elements for each member of a team, or from it, in the order of PEs: a stride apart. */
static eyot_block_t *spread(const struct shmemi_team *team, uint64_t nelems, uint64_t bytes,
                            uint64_t stride) {
  uint64_t n = (uint64_t)team->size;
  eyot_block_t *b = osh_scratch(n * sizeof *b);
  for (uint64_t m = 0; m < n; m++)
    b[m] = (eyot_block_t){.at = (n - 1 - m) * nelems * stride * bytes,
                          .run_bytes = bytes,
                          .count = {nelems},
                          .stride = {(int64_t)(stride * bytes)}};
  return b;
}

int osh_alltoalls(shmem_team_t team, struct osh_buffers b, ptrdiff_t dst, ptrdiff_t sst,
                  uint64_t nelems) {
  eyot_team_t t = osh_team(team);
  uint64_t n = osh_bytes("nelems", nelems, (uint64_t)team->size), to = (uint64_t)dst,
           from = (uint64_t)sst;
  (void)osh_bytes("nelems", n, b.bytes);
  if (dst < 1 || sst < 1)
    osh_fail(EYOT_EINVAL, "%s is %td, expected 1 or more", dst < 1 ? "dst" : "sst",
             dst < 1 ? dst : sst);
  if (n == 0) return 0;
  check(b, osh_bytes("dst", osh_bytes("dst", to, n - 1) + 1, b.bytes),
        osh_bytes("sst", osh_bytes("sst", from, n - 1) + 1, b.bytes));
  if (!is_reversed(team))
    return eyot_alltoall_strided(t, b.source, from * b.bytes, b.dest, to * b.bytes, nelems,
                                 b.bytes);
  eyot_block_t *go = spread(team, nelems, b.bytes, from), *come = spread(team, nelems, b.bytes, to);
  int rc = eyot_alltoallw(t, b.source, go, b.dest, come);
  free(go);
  free(come);
  return rc;
}

/* -- the functions ----------------------------------------------------------------------------- */

#define BODY(call, kind, B, ...)                                                            \
  {                                                                                         \
    OSH_ENTER(call);                                                                        \
    return osh_##kind(team, (struct osh_buffers){dest, source, B}, __VA_ARGS__) != EYOT_OK; \
  }
#define SIMPLE(T) shmem_team_t team, T *dest, const T *source
#define DEFINE_ALL(T, B, A2A, A2AS, BC, C, FC)                                    \
  OSH_DEFINE(int, A2A, (SIMPLE(T), size_t nelems))                                \
  BODY("shmem_" #A2A, alltoall, B, nelems)                                        \
  OSH_DEFINE(int, A2AS, (SIMPLE(T), ptrdiff_t dst, ptrdiff_t sst, size_t nelems)) \
  BODY("shmem_" #A2AS, alltoalls, B, dst, sst, nelems)                            \
  OSH_DEFINE(int, BC, (SIMPLE(T), size_t nelems, int PE_root))                    \
  BODY("shmem_" #BC, broadcast, B, nelems, PE_root, true)                         \
  OSH_DEFINE(int, C, (SIMPLE(T), size_t nelems))                                  \
  BODY("shmem_" #C, collect, B, nelems)                                           \
  OSH_DEFINE(int, FC, (SIMPLE(T), size_t nelems))                                 \
  BODY("shmem_" #FC, fcollect, B, nelems)
#define DEFINE_TYPED(T, N, op) \
  DEFINE_ALL(T, sizeof(T), N##_alltoall, N##_alltoalls, N##_broadcast, N##_collect, N##_fcollect)
SHMEMI_RMA_TYPES(DEFINE_TYPED, )
DEFINE_ALL(void, 1, alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem)
