/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_fusion.c - an exchange of atoms between two units of a node, in all ways that Friedley
 * compares: each unit finds its atoms by a list, and the other one wants them in a row.
 *
 *   eyotrun --fabric mpi -n 2 bench_fusion [ROUNDS]
 * prints lines `value atoms_NUMBER_WAY time ns NUMBER`, medians of the rounds, for
 * suite_messages.sh. The ways take turns in one job. In each exchange all atoms are read, as the
 * program that wants them does, and their sum is checked; each of them after each round. Source:
 * Friedley, "Shared Memory Optimizations for Distributed Memory Programming Models", 2013, sections
 * 5.1, 5.2 and figure 5.4, with numbers instead of its signals of one bit. */

/* mpi, mpi_again, eyot_msg: packed messages. eyot_own: packed into a buffer of a pool, which
 * passes. flags: by hand, the receiver offers its only buffer, and the sender packs into it.
 * eyot_exchange: one loop, from where an atom is to where it is wanted; fused_flags: by hand. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <string.h>

#include "bench.h"
#include "msg_rows.h"

enum { ATOMS_MOST = 65536, AXES = 3, ROUNDS_MOST = MSG_ROUNDS_MOST };
enum way { BY_MPI, BY_MPI_AGAIN, BY_MSG, BY_OWN, BY_FLAGS, BY_EXCHANGE, BY_FUSED_FLAGS, WAYS };
static const char *const NAMES[WAYS] = {"mpi",   "mpi_again",     "eyot_msg",   "eyot_own",
                                        "flags", "eyot_exchange", "fused_flags"};
static const uint32_t ATOMS[] = {16, 128, 400, 1024, 8192, ATOMS_MOST};

typedef double atom[AXES];

/* What a unit shares with the other one, in memory that both have at one address. */
struct shared {
  /* number of the last exchange for which the buffer, or the row, may be written, and of the last
   * one that was written; each in a line of its own */
  _Alignas(64) uint64_t offered;
  _Alignas(64) uint64_t written;
  _Alignas(64) atom buffer[ATOMS_MOST];
  atom row[ATOMS_MOST];
  atom atoms[2 * ATOMS_MOST];
};

static struct shared *mine, *theirs;
static uint32_t list[ATOMS_MOST], n_atoms;
static int other;
static uint64_t number; /* of exchanges by flags */
static double step;
static double fixed_sum; /* of all coordinates that come, but for the two that change */
static atom *out;        /* packed messages */
static eyot_graph_t graph;
static eyot_exchange_t exchange;

/* -- loops ------------------------------------------------------------------------------------- */

static void pack(const struct shared *from, atom *to) {
  for (uint32_t i = 0; i < n_atoms; i++) memcpy(to[i], from->atoms[list[i]], sizeof to[i]);
}
static void unpack(const atom *from) {
  memcpy(mine->row, from, n_atoms * sizeof *from);
}

/* -- ways -------------------------------------------------------------------------------------- */

static void by_mpi(void) {
  MPI_Request r[2];
  MPI_Status status[2];
  int bytes = (int)(n_atoms * sizeof(atom));
  MPI_Irecv(mine->buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[0]);
  pack(mine, out);
  MPI_Isend(out, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, status);
  unpack(mine->buffer);
}

static void by_msg(void) {
  const eyot_tunit_t to = {(uint32_t)other};
  const uint64_t bytes = n_atoms * sizeof(atom);
  eyot_msg_t h[2];
  must(eyot_recv_nb(EYOT_TEAM_ALL, to, 1, mine->buffer, bytes, &h[0]), "eyot_recv_nb");
  pack(mine, out);
  must(eyot_send_nb(EYOT_TEAM_ALL, to, 1, out, bytes, &h[1]), "eyot_send_nb");
  must(eyot_msg_wait_all(h, 2, NULL), "eyot_msg_wait_all");
  unpack(mine->buffer);
}

static void by_own(void) {
  const eyot_tunit_t to = {(uint32_t)other};
  const uint64_t bytes = n_atoms * sizeof(atom);
  void *given, *taken;
  eyot_msg_t h;
  must(eyot_own_alloc(bytes, &given), "eyot_own_alloc");
  pack(mine, given);
  must(eyot_own_give_nb(EYOT_TEAM_ALL, to, 2, &given, bytes, &h), "eyot_own_give_nb");
  must(eyot_own_take(EYOT_TEAM_ALL, to, 2, &taken, NULL), "eyot_own_take");
  must(eyot_msg_wait(&h, NULL), "eyot_msg_wait");
  unpack(taken);
  must(eyot_own_free(&taken), "eyot_own_free");
}

static void await(const uint64_t *word) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != number) {
  }
}

/* Without the other's buffer the sender waits; a pool would have one. */
static void by_flags(bool fused) {
  __atomic_store_n(&mine->offered, ++number, __ATOMIC_RELEASE);
  await(&theirs->offered);
  pack(mine, fused ? theirs->row : theirs->buffer);
  __atomic_store_n(&theirs->written, number, __ATOMIC_RELEASE);
  await(&mine->written);
  if (!fused) unpack(mine->buffer);
}

static uint64_t exchange_pack(void *context, const void *send, void *buf, uint64_t space) {
  const uint64_t bytes = n_atoms * sizeof(atom);
  (void)context;
  if (bytes <= space) pack(*(struct shared *const *)send, buf);
  return bytes;
}
static void exchange_unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  (void)context, (void)recv, (void)bytes;
  unpack(buf);
}
static void exchange_fused(void *context, const void *send, const void *recv) {
  (void)context;
  pack(*(struct shared *const *)send, (*(struct shared *const *)recv)->row);
}

static void by_way(enum way w) {
  if (w == BY_MPI || w == BY_MPI_AGAIN)
    by_mpi();
  else if (w == BY_MSG)
    by_msg();
  else if (w == BY_OWN)
    by_own();
  else if (w == BY_EXCHANGE)
    must(eyot_exchange(exchange, &mine, &mine), "eyot_exchange");
  else
    by_flags(w == BY_FUSED_FLAGS);
}

/* -- measurement ------------------------------------------------------------------------------- */

static void must_be(bool true_, const char *what) {
  if (!true_) eyot_abort(1, what);
}

/* Exact: the numbers are integers, and the sum is less than 2^53. */
static double sum_of_row(void) {
  double sum[AXES] = {0, 0, 0};
  for (uint32_t i = 0; i < n_atoms; i++)
    for (int a = 0; a < AXES; a++) sum[a] += mine->row[i][a];
  return sum[0] + sum[1] + sum[2];
}

/* Both units are in the same step. What has come is read here: lines that only the writer uses
 * would stay in its cache, and loops that store to the other unit's memory would seem free. */
static void once(enum way w) {
  step++;
  mine->atoms[list[0]][0] = step;
  mine->atoms[list[n_atoms - 1]][AXES - 1] = -step;
  by_way(w);
  must_be(mine->row[0][0] == step && mine->row[n_atoms - 1][AXES - 1] == -step &&
              sum_of_row() == fixed_sum,
          "an exchange has brought other atoms");
}

static double of_atom(int unit, uint32_t i, int axis) {
  return unit * 1e7 + i * 4.0 + axis;
}

static void fill(int me) {
  for (uint32_t i = 0; i < 2 * ATOMS_MOST; i++)
    for (int a = 0; a < AXES; a++) mine->atoms[i][a] = of_atom(me, i, a);
  fixed_sum = 0; /* the two numbers that change have the sum 0 */
  for (uint32_t i = 0; i < n_atoms; i++)
    for (int a = 0; a < AXES; a++) fixed_sum += of_atom(other, list[i], a);
  fixed_sum -= of_atom(other, list[0], 0) + of_atom(other, list[n_atoms - 1], AXES - 1);
}

/* All that has come by one way, but for what changes in each step. */
static void verify(void) {
  for (uint32_t i = 1; i + 1 < n_atoms; i++)
    for (int a = 0; a < AXES; a++)
      must_be(mine->row[i][a] == of_atom(other, list[i], a), "an exchange has brought wrong atoms");
  memset(mine->row, 0, n_atoms * sizeof(atom));
}

static double timed(enum way w, int times) {
  double begin = wall_ns();
  for (int i = 0; i < times; i++) once(w);
  return (wall_ns() - begin) / times;
}

static void measure(int me, int rounds) {
  static double t[WAYS][ROUNDS_MOST];
  const int times = n_atoms < 1000 ? 20000 : n_atoms < 10000 ? 2000 : 100;
  /* Every other atom, in an order that jumps, as the atoms near a face do. */
  for (uint32_t i = 0; i < n_atoms; i++) list[i] = 2 * (i * 7919u % n_atoms) + 1;
  fill(me);
  for (int r = 0; r < rounds; r++)
    for (int w = 0; w < WAYS; w++) {
      must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier"); /* nobody needs the other's calls now */
      (void)timed((enum way)w, times / 10);
      t[w][r] = timed((enum way)w, times);
      verify();
    }
  for (int w = 0; w < WAYS && me == 0; w++)
    printf("value atoms_%u_%s time ns %.1f\n", n_atoms, NAMES[w], msg_median(t[w], rounds));
  fflush(stdout);
}

static void make_exchange(int me) {
  const eyot_tunit_t edge = {1u - (uint32_t)me};
  const eyot_exchange_ops_t ops = {.pack = exchange_pack,
                                   .unpack = exchange_unpack,
                                   .fused = exchange_fused,
                                   .where = EYOT_EXCHANGE_AT_SENDER,
                                   .send_bytes = sizeof mine,
                                   .recv_bytes = sizeof mine,
                                   .space_bytes = sizeof(atom)};
  uint32_t sent, received;
  must(eyot_graph_create(EYOT_TEAM_ALL, &edge, 1, &edge, 1, &graph), "eyot_graph_create");
  must(eyot_exchange_create(graph, &ops, &exchange), "eyot_exchange_create");
  must(eyot_exchange_edges(exchange, &sent, &received), "eyot_exchange_edges");
  must_be(sent == 1 && received == 1, "the units are not on one node: nothing is fused");
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  const int me = (int)eyot_me().id, rounds = argc > 1 ? atoi(argv[1]) : 9;
  if (eyot_size() != 2 || rounds < 1 || rounds > ROUNDS_MOST)
    eyot_abort(2, "2 units, 1..51 rounds");
  other = 1 - me;
  void *p;
  must(eyot_sheap_alloc(sizeof *mine, &p), "eyot_sheap_alloc");
  mine = p;
  memset(mine, 0, sizeof *mine);
  must(eyot_sheap_alloc(ATOMS_MOST * sizeof(atom), &p), "eyot_sheap_alloc");
  out = p;
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, other, 0, &theirs, sizeof theirs, MPI_BYTE, other, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  make_exchange(me);
  for (size_t i = 0; i < sizeof ATOMS / sizeof *ATOMS; i++) {
    n_atoms = ATOMS[i];
    measure(me, rounds);
  }
  must(eyot_exchange_destroy(&exchange), "eyot_exchange_destroy");
  must(eyot_graph_destroy(&graph), "eyot_graph_destroy");
  must(eyot_sheap_free(out), "eyot_sheap_free");
  must(eyot_sheap_free(mine), "eyot_sheap_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
