/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_engine.c - what transfers cost in virtual time if a progress process makes them, beside a
 * unit's own, after Zhou, section 7.2. A unit plays the process: it receives requests, makes those
 * in a row together, and answers each (section 7.1.3). It uses memory of its own, where theirs uses
 * what a node's processes share.
 *   eyotrun --fabric sim --platform xc40 -n 3 [--units-per-node 2] bench_engine PLACE
 * Unit 0 posts a row of 16 transfers to unit 2 and waits for all, directly or by unit 1; and
 * computes beside one of 16 KiB (bench_available). Lines: value {put|get}@BYTES
 * bandwidth_{direct|engine}_PLACE GB/s NUMBER, value {put|get} availability_PLACE % NUMBER.
 *   eyotrun --fabric sim --platform xc40 -n N bench_engine stencil CELLS PER_NODE
 * A step of a stencil of CELLS x CELLS cells by rows; two units of PER_NODE serve the others. Halos
 * are put after the computation (inside), or requested before (engine): value UNITS step_WAY us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { ROW = 16, SERVERS = 2, STEPS = 4, CELL_BYTES = 4, ALONE_BYTES = 16384, WORK_LEAST_NS = 16 };
#define CELL_NS 1u        /* judged: the source gives none */
enum { REQUEST, ANSWER }; /* tags */
static const uint64_t SIZES[] = {8, 64, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1048576};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

enum what { PUT, GET, WAIT, END };
/* Table 7.1: where from, where to, how much; of the last kinds nothing. */
struct packet {
  uint64_t what, target, from_off, to_off, bytes, segment, same_node;
};

static eyot_gptr_t part;
static char *mine;

static void request(uint32_t server, enum what what, uint32_t target, uint64_t bytes) {
  struct packet p = {.what = what, .target = target, .bytes = bytes};
  must(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){server}, REQUEST, &p, sizeof p), "eyot_send");
}

static void answers(uint32_t server, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    must(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){server}, ANSWER, NULL, 0, NULL), "eyot_recv");
}

/* Until `clients` have said END. */
static void serve(uint32_t clients) {
  uint32_t open[ROW * 4], n = 0;
  while (clients > 0) {
    struct packet p;
    eyot_msg_status_t from;
    must(eyot_recv(EYOT_TEAM_ALL, EYOT_ANY_UNIT, REQUEST, &p, sizeof p, &from), "eyot_recv");
    if (p.what == END) {
      clients--;
    } else if (p.what != WAIT) {
      eyot_gptr_t there = eyot_gptr_at(part, (eyot_unit_t){(uint32_t)p.target});
      must(p.what == PUT ? eyot_put_nbi(there, mine, p.bytes) : eyot_get_nbi(mine, there, p.bytes),
           "eyot_put_nbi or eyot_get_nbi");
      if (n == sizeof open / sizeof *open) eyot_abort(1, "bench_engine: too many requests");
      open[n++] = from.from.id;
      continue;
    }
    must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
    for (uint32_t i = 0; i < n; i++)
      must(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){open[i]}, ANSWER, NULL, 0), "eyot_send");
    n = 0;
  }
}

/* -- bandwidth --------------------------------------------------------------------------------- */

static double row_ns(bool engine, enum what what, uint64_t bytes) {
  eyot_gptr_t there = eyot_gptr_at(part, (eyot_unit_t){2});
  uint64_t begin = eyot_now_ns();
  for (uint32_t i = 0; i < ROW; i++) {
    if (engine)
      request(1, what, 2, bytes);
    else
      must(what == PUT ? eyot_put_nbi(there, mine, bytes) : eyot_get_nbi(mine, there, bytes),
           "eyot_put_nbi or eyot_get_nbi");
  }
  if (engine) {
    request(1, WAIT, 0, 0);
    answers(1, ROW);
  } else {
    must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  }
  return (double)(eyot_now_ns() - begin);
}

static void bandwidth(const char *place) {
  static const char *const WHAT[] = {"put", "get"}, *const WAY[] = {"direct", "engine"};
  for (uint32_t i = 0; i < N_SIZES; i++)
    for (uint32_t k = 0; k < 4; k++) {
      (void)row_ns(k / 2 == 1, (enum what)(k % 2), SIZES[i]); /* the first time pages are new */
      double ns = row_ns(k / 2 == 1, (enum what)(k % 2), SIZES[i]);
      printf("value %s@%llu bandwidth_%s_%s GB/s %.6g\n", WHAT[k % 2], (unsigned long long)SIZES[i],
             WAY[k / 2], place, (double)(ROW * SIZES[i]) / ns);
    }
}

/* -- availability ------------------------------------------------------------------------------ */

/* A transfer that the progress process makes at once, as nothing follows, and `work` beside it. */
static double alone_ns(enum what what, uint64_t work) {
  uint64_t begin = eyot_now_ns();
  request(1, what, 2, ALONE_BYTES);
  request(1, WAIT, 0, 0);
  must(eyot_compute(work), "eyot_compute");
  answers(1, 1);
  return (double)(eyot_now_ns() - begin);
}

static void availability(const char *place) {
  for (int what = PUT; what <= GET; what++) {
    double base = alone_ns((enum what)what, 0), all;
    uint64_t work = WORK_LEAST_NS;
    while ((all = alone_ns((enum what)what, work)) * 2 <= base * 3) work *= 2;
    printf("value %s availability_%s %% %.4g\n", what == PUT ? "put" : "get", place,
           100 * (1 - (all - (double)work) / base));
  }
}

/* -- stencil ----------------------------------------------------------------------------------- */

struct grid {
  uint64_t halo, work_ns; /* bytes, and the computation of a step */
  uint32_t server;        /* of this unit */
  uint32_t peer[2], peers;
};

static double step_ns(const struct grid *g, eyot_team_t workers, bool engine) {
  must(eyot_barrier(workers), "eyot_barrier");
  uint64_t begin = eyot_now_ns();
  for (uint32_t step = 0; step < STEPS; step++) {
    for (uint32_t i = 0; engine && i < g->peers; i++) request(g->server, PUT, g->peer[i], g->halo);
    if (engine) request(g->server, WAIT, 0, 0);
    must(eyot_compute(g->work_ns), "eyot_compute");
    for (uint32_t i = 0; !engine && i < g->peers; i++)
      must(eyot_put_nbi(eyot_gptr_at(part, (eyot_unit_t){g->peer[i]}), mine, g->halo),
           "eyot_put_nbi");
    if (engine)
      answers(g->server, g->peers);
    else
      must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
    must(eyot_barrier(workers), "eyot_barrier");
  }
  return (double)(eyot_now_ns() - begin) / STEPS;
}

static bool serves(uint32_t unit, uint32_t per_node) {
  return unit % per_node >= per_node - SERVERS;
}

static void stencil(uint64_t cells, uint32_t per_node) {
  uint32_t me = eyot_me().id, n = eyot_size(), workers = 0, index = 0;
  bool server = serves(me, per_node);
  for (uint32_t u = 0; u < n; u++) {
    if (u == me) index = workers;
    workers += !serves(u, per_node);
  }
  eyot_team_t team;
  must(eyot_team_split(EYOT_TEAM_ALL, server, &team), "eyot_team_split");
  uint32_t first = me - me % per_node, clients = 0;
  for (uint32_t u = first; u < first + per_node && u < n; u++)
    clients += !serves(u, per_node) && first + per_node - 1 - u % SERVERS == me;
  if (server) {
    serve(clients);
  } else {
    struct grid g = {.halo = cells * CELL_BYTES,
                     .work_ns = cells * (cells / workers) * CELL_NS,
                     .server = first + per_node - 1 - me % SERVERS};
    for (uint32_t u = me; index > 0 && g.peers == 0 && u > 0; u--)
      if (!serves(u - 1, per_node)) g.peer[g.peers++] = u - 1;
    for (uint32_t u = me + 1; u < n; u++)
      if (!serves(u, per_node)) {
        g.peer[g.peers++] = u;
        break;
      }
    (void)step_ns(&g, team, false); /* pages are new */
    double inside = step_ns(&g, team, false), engine = step_ns(&g, team, true);
    if (me == 0)
      printf("value %u step_inside us %.6g\nvalue %u step_engine us %.6g\n", workers, inside / 1e3,
             workers, engine / 1e3);
    request(g.server, END, 0, 0);
  }
  must(eyot_team_destroy(&team), "eyot_team_destroy");
}

/* ---------------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  bool steps = argc == 4 && strcmp(argv[1], "stencil") == 0;
  uint64_t cells = steps ? strtoull(argv[2], NULL, 10) : 0;
  uint32_t per_node = steps ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
  if (strcmp(eyot_fabric_name(), "sim") != 0 || (!steps && (argc != 2 || eyot_size() != 3)) ||
      (steps && (cells == 0 || per_node <= SERVERS || eyot_size() % per_node != 0))) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_engine: eyotrun --fabric sim -n 3 bench_engine PLACE, or -n N "
              "bench_engine stencil CELLS PER_NODE, N a multiple of it\n");
    eyot_finalize();
    return 2;
  }
  uint64_t most = steps ? cells * CELL_BYTES : SIZES[N_SIZES - 1];
  must(eyot_team_alloc(EYOT_TEAM_ALL, most, &part), "eyot_team_alloc");
  void *at;
  must(eyot_gptr_addr(eyot_gptr_at(part, eyot_me()), &at), "eyot_gptr_addr");
  mine = at;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (steps)
    stencil(cells, per_node);
  else if (eyot_me().id == 1)
    serve(1);
  if (!steps && eyot_me().id == 0) {
    bandwidth(argv[1]);
    availability(argv[1]);
    request(1, END, 0, 0);
  }
  fflush(stdout);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
