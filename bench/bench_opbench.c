/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_opbench.c - messages between two units in virtual time, after A. Friedley's dissertation
 * (2013): his benchmark of passed buffers (section 4.7.1: the exchange and the copy out of what
 * came, both directions at once) and NetPIPE's ping-pong (figures 3.6 and 3.9), over the size.
 *
 *   eyotrun --fabric sim --platform cab --order strict -n 2 bench_opbench TABLE PLACE
 * Lines: fidelity TABLE_WHAT ROW OURS, the rows of bench/fidelity/cab.tsv. Ways: own, a buffer that
 * passes; msg, between buffers of the heap, in one copy; mpi, between private buffers, in two, as
 * MPI libraries of that time. What is read is charged by eyot_touch. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, NEIGHBORS = 4, WARM = 3, MOST = 4 << 20, TAG = 1 };
enum way { OWN, MSG, MPI, WAYS };
static const char *const NAMES[WAYS] = {"own", "msg", "mpi"};

static struct {
  uint32_t me;
  eyot_tunit_t other;
  char *out[WAYS], *in[WAYS];
  char *application; /* what buffers are packed from and unpacked to */
  eyot_gptr_t heap[2];
} b;

static void must(int code, const char *what) {
  if (code == EYOT_OK) return;
  fprintf(stderr, "bench_opbench: %s: %s\n", what, eyot_strerror(code));
  eyot_abort(1, what);
}

static void pack(enum way w, uint64_t bytes) {
  if (w == OWN) {
    void *p = NULL;
    must(eyot_own_alloc(bytes, &p), "eyot_own_alloc");
    b.out[w] = p;
  }
  memcpy(b.out[w], b.application, bytes);
  must(eyot_touch(b.out[w], bytes, EYOT_TOUCH_WRITE), "eyot_touch");
}

static void unpack(enum way w, uint64_t bytes) {
  memcpy(b.application, b.in[w], bytes);
  must(eyot_touch(b.in[w], bytes, EYOT_TOUCH_READ), "eyot_touch");
  if (w == OWN) must(eyot_own_free((void **)&b.in[w]), "eyot_own_free");
}

static void exchange(enum way w, uint64_t bytes) {
  eyot_msg_t send, recv;
  if (w == OWN) {
    must(eyot_own_take_nb(EYOT_TEAM_ALL, b.other, TAG, (void **)&b.in[w], &recv), "take");
    must(eyot_own_give_nb(EYOT_TEAM_ALL, b.other, TAG, (void **)&b.out[w], bytes, &send), "give");
  } else {
    must(eyot_recv_nb(EYOT_TEAM_ALL, b.other, TAG, b.in[w], bytes, &recv), "recv");
    must(eyot_send_nb(EYOT_TEAM_ALL, b.other, TAG, b.out[w], bytes, &send), "send");
  }
  must(eyot_msg_wait(&recv, NULL), "wait");
  must(eyot_msg_wait(&send, NULL), "wait");
}

/* Bytes a nanosecond of communication and unpacking, of the slower unit. */
static double rate(enum way w, uint64_t bytes) {
  uint64_t ns = 0;
  for (int run = 0; run < WARM + RUNS; run++) {
    if (run == WARM) ns = 0;
    for (int i = 0; i < NEIGHBORS; i++) {
      pack(w, bytes);
      must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
      uint64_t begin = eyot_now_ns();
      exchange(w, bytes);
      unpack(w, bytes);
      ns += eyot_now_ns() - begin;
    }
  }
  uint64_t most = 0;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &ns, &most, 1), "eyot_allreduce");
  return (double)bytes * RUNS * NEIGHBORS / (double)most;
}

/* Half a round trip in ns. */
static double half_trip(enum way w, uint64_t bytes) {
  uint64_t begin = 0;
  for (int run = 0; run < WARM + RUNS; run++) {
    if (run == WARM) {
      must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
      begin = eyot_now_ns();
    }
    for (int turn = 0; turn < 2; turn++)
      if ((uint32_t)turn == b.me)
        must(eyot_send(EYOT_TEAM_ALL, b.other, TAG, b.out[w], bytes), "eyot_send");
      else
        must(eyot_recv(EYOT_TEAM_ALL, b.other, TAG, b.in[w], bytes, NULL), "eyot_recv");
  }
  return (double)(eyot_now_ns() - begin) / (2 * RUNS);
}

static double alloc_free(void) {
  enum { TIMES = 1000 };
  uint64_t begin = 0;
  for (int i = 0; i < TIMES + WARM; i++) {
    void *p = NULL;
    if (i == WARM) begin = eyot_now_ns();
    must(eyot_own_alloc(8, &p), "eyot_own_alloc");
    must(eyot_own_free(&p), "eyot_own_free");
  }
  return (double)(eyot_now_ns() - begin) / TIMES;
}

/* The rows of NetPIPE; between nodes there is one kind of buffers. */
static void rows_ping_pong(const char *table, const char *place, bool node) {
  double peak[WAYS] = {0};
  for (uint64_t bytes = 8; bytes <= MOST; bytes *= 8)
    for (int w = MSG; w < (node ? WAYS : MPI); w++) {
      double ns = half_trip((enum way)w, bytes);
      if ((double)bytes / ns > peak[w]) peak[w] = (double)bytes / ns;
      if (b.me == 0)
        printf("fidelity %s_pingpong %s_%s_%lu_B %g\n", table, place, NAMES[w],
               (unsigned long)bytes, ns / 1000);
    }
  if (b.me == 0 && node)
    printf("fidelity %s_pingpong %s_msg_over_mpi %g\n", table, place, peak[MSG] / peak[MPI]);
}

static void rows_node(const char *table, const char *place) {
  double peak[WAYS] = {0};
  for (uint64_t bytes = 8; bytes <= MOST; bytes *= 8)
    for (int w = 0; w < WAYS; w++) {
      double gbps = rate((enum way)w, bytes);
      if (gbps > peak[w]) peak[w] = gbps;
    }
  double free_ns = alloc_free();
  if (b.me != 0) return;
  for (int w = 0; w < WAYS; w++)
    printf("fidelity %s_opbench %s_%s %g\n", table, place, NAMES[w], peak[w]);
  printf("fidelity %s_opbench %s_alloc_free %g\n", table, place, free_ns);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (argc != 3 || eyot_size() != 2) eyot_abort(2, "bench_opbench TABLE PLACE, with 2 units");
  b.me = eyot_me().id;
  b.other.id = 1 - b.me;
  for (int i = 0; i < 2; i++) {
    void *p = NULL;
    must(eyot_alloc(MOST, &b.heap[i]), "eyot_alloc");
    must(eyot_gptr_addr(b.heap[i], &p), "eyot_gptr_addr");
    *(i == 0 ? &b.out[MSG] : &b.in[MSG]) = p;
  }
  b.out[MPI] = calloc(1, MOST);
  b.in[MPI] = calloc(1, MOST);
  b.application = calloc(1, MOST);
  if (b.out[MPI] == NULL || b.in[MPI] == NULL || b.application == NULL) eyot_abort(1, "no memory");
  eyot_domain_t level = EYOT_DOMAIN_UNIT;
  must(eyot_distance((eyot_unit_t){0}, (eyot_unit_t){1}, &level), "eyot_distance");
  bool node = level <= EYOT_DOMAIN_NODE;
  rows_ping_pong(argv[1], argv[2], node);
  if (node) rows_node(argv[1], argv[2]);
  free(b.application);
  free(b.in[MPI]);
  free(b.out[MPI]);
  for (int i = 0; i < 2; i++) must(eyot_free(b.heap[i]), "eyot_free");
  must(eyot_finalize(), "eyot_finalize");
  return 0;
}
