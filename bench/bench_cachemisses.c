/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_cachemisses.c - what a message leaves of the program's data in its cache: a buffer is read,
 * a ping-pong between two units follows, and the buffer is read again; callgrind, which simulates a
 * first-level cache, counts the misses of the second reading. Source: A. Friedley, 2013, section
 * 3.3, figures 3.11 and 3.12.
 *
 *   eyotrun --fabric mpi -n 2 --data off valgrind --tool=callgrind --cache-sim=yes
 *     --collect-atstart=no bench_cachemisses eyot|mpi
 * Counts are parts of callgrind's output, each described by PLACE_ORDER DATA MESSAGE READINGS.
 * Alone it only runs. Each unit's cache is simulated by itself: that other processors take lines
 * away is not. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "bench.h"

enum { MOST = 32 << 10, LINE = 64, READINGS = 20, WARM = 3 };
static const uint32_t SIZES[] = {512, 2048, 8192, 16384, 32768};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)
#define MESSAGES 3u /* longer ones the system copies for MPI, which callgrind does not see */

static uint32_t me, order[MOST / LINE];
static bool by_mpi;
static volatile char sink;

static void send(void *p, uint32_t bytes) {
  if (by_mpi)
    MPI_Send(p, (int)bytes, MPI_BYTE, 1 - (int)me, 1, MPI_COMM_WORLD);
  else
    must(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){1 - me}, 1, p, bytes), "eyot_send");
}
static void receive(void *p, uint32_t bytes) {
  if (by_mpi)
    MPI_Recv(p, (int)bytes, MPI_BYTE, 1 - (int)me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    must(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){1 - me}, 1, p, bytes, NULL), "eyot_recv");
}
static void ping_pong(char *p, uint32_t bytes) {
  if (me == 0) send(p, bytes);
  receive(p, bytes);
  if (me == 1) send(p, bytes);
}

/* The order in which lines are read: one after the other, or a permutation. */
static void set_order(uint32_t lines, bool random) {
  uint64_t x = 12345;
  for (uint32_t i = 0; i < lines; i++) order[i] = i * LINE;
  for (uint32_t i = lines; random && i > 1; i--) {
    x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
    uint32_t j = (uint32_t)((x >> 33) % i), was = order[i - 1];
    order[i - 1] = order[j];
    order[j] = was;
  }
}

static void read_all(const char *data, uint32_t lines) {
  char sum = 0;
  for (uint32_t i = 0; i < lines; i++) sum = (char)(sum + data[order[i]]);
  sink = sum;
}

static void measure(char *data, char *other, uint32_t bytes, uint32_t message, bool random) {
  char what[64];
  uint32_t lines = bytes / LINE;
  set_order(lines, random);
  for (int i = 0; i < WARM + READINGS; i++) {
    read_all(data, lines);
    ping_pong(other, message);
    if (i >= WARM) CALLGRIND_TOGGLE_COLLECT;
    read_all(data, lines);
    if (i >= WARM) CALLGRIND_TOGGLE_COLLECT;
  }
  snprintf(what, sizeof what, "%s_%s %u %u %d", data == other ? "common" : "separate",
           random ? "random" : "sequential", bytes, message, READINGS);
  CALLGRIND_DUMP_STATS_AT(what);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  me = eyot_me().id;
  by_mpi = argc > 1 && strcmp(argv[1], "mpi") == 0;
  if (eyot_size() != 2 || argc < 2) {
    if (me == 0) fprintf(stderr, "usage: eyotrun --fabric mpi -n 2 bench_cachemisses eyot|mpi\n");
    must(eyot_finalize(), "eyot_finalize");
    return 2;
  }
  eyot_gptr_t memory[2];
  void *data, *other;
  must(eyot_alloc(MOST, &memory[0]), "eyot_alloc");
  must(eyot_alloc(MOST, &memory[1]), "eyot_alloc");
  must(eyot_gptr_addr(memory[0], &data), "eyot_gptr_addr");
  must(eyot_gptr_addr(memory[1], &other), "eyot_gptr_addr");
  for (size_t d = 0; d < N_SIZES; d++)
    for (size_t m = 0; m < MESSAGES; m++)
      for (int random = 0; random < 2; random++) {
        measure(data, other, SIZES[d], SIZES[m], random != 0);
        if (m <= d) measure(data, data, SIZES[d], SIZES[m], random != 0);
      }
  must(eyot_free(memory[1]), "eyot_free");
  must(eyot_free(memory[0]), "eyot_free");
  must(eyot_finalize(), "eyot_finalize");
  return 0;
}
