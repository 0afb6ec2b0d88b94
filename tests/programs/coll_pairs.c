/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_pairs.c - members of a team call two collective functions of the public API where all should
 * call one: each pair of functions and forms ends in EYOT_EMISMATCH on all members, or, in the
 * simulator, in a report that names both calls.
 *
 * Why it exists: by which messages two functions meet depends on both, so each pair is a case.
 *
 * coll_pairs FIRST STEP      the pairs FIRST, FIRST + STEP, ..., each on a team of its own
 * coll_pairs X Y [X Y ...]   these
 * coll_pairs                 prints their number */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "programs/api_check.h"

#define MEMBERS_MOST 16u
#define TRIES 7   /* a root of one-way calls waits for nobody in the first few */
#define HANG_S 25 /* over MPI; the simulator is given a limit of virtual time */

/* What calls need: alike on all members, but for contents. */
struct world {
  eyot_team_t team;
  eyot_graph_t ring, edges; /* edges: of the exchange */
  eyot_exchange_t exchange;
  eyot_gptr_t from, to, other;
  uint64_t in[MEMBERS_MOST], out[MEMBERS_MOST], each[MEMBERS_MOST], sizes[MEMBERS_MOST];
  eyot_block_t blocks[MEMBERS_MOST];
  uint32_t me, n;
};

static const eyot_tunit_t ROOT = {0};

/* -- functions of three forms ------------------------------------------------------------------ */

static int waited(int rc, eyot_coll_t *op) {
  return rc == EYOT_OK ? eyot_coll_wait(op) : rc;
}

static int tested(int rc, eyot_coll_t *op) {
  for (bool done = false; rc == EYOT_OK && !done;) rc = eyot_coll_test(op, &done);
  return rc;
}

static int planned(int rc, eyot_coll_t *op) {
  if (rc != EYOT_OK) return rc;
  rc = eyot_coll_start(*op);
  if (rc == EYOT_OK) rc = eyot_coll_wait(op);
  OK(eyot_coll_free(op));
  return rc;
}

#define SUMS w->team, EYOT_UINT64, EYOT_SUM, w->in, w->out
#define THREE_FORMS(X)                                                 \
  X(broadcast, w->team, ROOT, w->in, 8)                                \
  X(reduce, w->team, ROOT, EYOT_UINT64, EYOT_SUM, w->in, w->out, 1)    \
  X(allreduce, SUMS, 1)                                                \
  X(gather, w->team, ROOT, w->in, w->out, 8)                           \
  X(allgather, w->team, w->in, w->out, 8)                              \
  X(alltoall, w->team, w->in, w->out, 8)                               \
  X(scan, SUMS, 1)                                                     \
  X(exscan, SUMS, 1)                                                   \
  X(reduce_scatter_block, SUMS, 1)                                     \
  X(reduce_scatter, SUMS, w->each)                                     \
  X(scatter, w->team, ROOT, w->in, w->out, 8)                          \
  X(scatterv, w->team, ROOT, w->in, w->sizes, NULL, w->out, 8)         \
  X(gatherv, w->team, ROOT, w->in, 8, w->out, w->sizes, NULL)          \
  X(allgatherv, w->team, w->in, w->out, w->sizes, NULL)                \
  X(collect, w->team, w->in, 8, w->out, sizeof w->out, NULL)           \
  X(alltoallv, w->team, w->in, w->sizes, NULL, w->out, w->sizes, NULL) \
  X(alltoallw, w->team, w->in, w->blocks, w->out, w->blocks)           \
  X(alltoall_strided, w->team, w->in, 8, w->out, 8, 1, 8)
#define NEIGHBOR_FORMS(X)                                           \
  X(neighbor_allgather, w->ring, w->in, w->out, 8)                  \
  X(neighbor_alltoall, w->ring, w->in, w->out, 8)                   \
  X(neighbor_allgatherv, w->ring, w->in, 8, w->out, w->sizes, NULL) \
  X(neighbor_alltoallv, w->ring, w->in, w->sizes, NULL, w->out, w->sizes, NULL)

#define DEFINE_FORMS(name, ...)                                \
  static int name##_blocking(struct world *w) {                \
    return eyot_##name(__VA_ARGS__);                           \
  }                                                            \
  static int name##_wait(struct world *w) {                    \
    eyot_coll_t op;                                            \
    return waited(eyot_##name##_nb(__VA_ARGS__, &op), &op);    \
  }                                                            \
  static int name##_test(struct world *w) {                    \
    eyot_coll_t op;                                            \
    return tested(eyot_##name##_nb(__VA_ARGS__, &op), &op);    \
  }                                                            \
  static int name##_plan(struct world *w) {                    \
    eyot_coll_t op;                                            \
    return planned(eyot_##name##_plan(__VA_ARGS__, &op), &op); \
  }
THREE_FORMS(DEFINE_FORMS)
NEIGHBOR_FORMS(DEFINE_FORMS)

/* -- functions of one form --------------------------------------------------------------------- */

#define ALL_SYNC (EYOT_IN_ALLSYNC | EYOT_OUT_ALLSYNC)
#define NO_SYNC (EYOT_IN_NOSYNC | EYOT_OUT_NOSYNC)
#define GLOBALS w->team, w->to, w->from
#define GLOBAL_SUMS w->team, EYOT_UINT64, EYOT_SUM, w->to, w->from, w->n, 1
#define ONE_FORM(X)                                             \
  X(global_broadcast, GLOBALS, 8, ALL_SYNC)                     \
  X(global_scatter, GLOBALS, 8, NO_SYNC)                        \
  X(global_gather, GLOBALS, 8, NO_SYNC)                         \
  X(global_gather_all, GLOBALS, 8, NO_SYNC)                     \
  X(global_exchange, GLOBALS, 8, ALL_SYNC)                      \
  X(global_permute, GLOBALS, (eyot_tunit_t){w->me}, 8, NO_SYNC) \
  X(global_reduce, GLOBAL_SUMS, NO_SYNC)                        \
  X(global_prefix_reduce, GLOBAL_SUMS, ALL_SYNC)

#define DEFINE_ONE(name, ...)                   \
  static int name##_blocking(struct world *w) { \
    return eyot_##name(__VA_ARGS__);            \
  }
ONE_FORM(DEFINE_ONE)

static int value_all(struct world *w) {
  bool all;
  return eyot_all(w->team, true, &all);
}

static int fence(struct world *w) {
  return eyot_fence(w->from);
}

static int barrier(struct world *w) {
  return eyot_barrier(w->team);
}

static int barrier_tree(struct world *w) {
  return eyot_barrier_by(w->team, EYOT_BARRIER_TREE);
}

static int barrier_nodes(struct world *w) {
  return eyot_barrier_by(w->team, EYOT_BARRIER_NODES);
}

static int barrier_wait(struct world *w) {
  eyot_coll_t op;
  return waited(eyot_barrier_nb(w->team, &op), &op);
}

static int barrier_plan(struct world *w) {
  eyot_coll_t op;
  return planned(eyot_barrier_plan(w->team, &op), &op);
}

static int split_wait(struct world *w) {
  int rc = eyot_barrier_notify(w->team, NULL);
  return rc == EYOT_OK ? eyot_barrier_wait(w->team, NULL) : rc;
}

static int split_test(struct world *w) {
  int rc = eyot_barrier_notify(w->team, NULL);
  for (bool done = false; rc == EYOT_OK && !done;) rc = eyot_barrier_test(w->team, NULL, &done);
  return rc;
}

/* -- what is made ------------------------------------------------------------------------------ */

static int memory(struct world *w) {
  eyot_gptr_t g;
  int rc = eyot_team_alloc(w->team, 64, &g);
  return rc == EYOT_OK ? eyot_team_free(g) : rc;
}

static int memory_freed(struct world *w) {
  eyot_gptr_t g = w->other;
  return eyot_team_free(g);
}

static int team_of_color(struct world *w) {
  eyot_team_t t;
  int rc = eyot_team_split(w->team, 0, &t);
  return rc == EYOT_OK ? eyot_team_destroy(&t) : rc;
}

static int team_of_node(struct world *w) {
  eyot_team_t t;
  int rc = eyot_team_split_locality(w->team, EYOT_DOMAIN_MACHINE, &t);
  return rc == EYOT_OK ? eyot_team_destroy(&t) : rc;
}

static int team_of_group(struct world *w) {
  eyot_group_t *g;
  eyot_team_t t;
  OK(eyot_team_group(w->team, &g));
  int rc = eyot_team_create(w->team, g, &t);
  eyot_group_free(g);
  return rc == EYOT_OK ? eyot_team_destroy(&t) : rc;
}

static int team_of_members(struct world *w) {
  eyot_group_t *g;
  eyot_team_t t;
  OK(eyot_team_group(w->team, &g));
  int rc = eyot_team_create_group(w->team, g, 1, &t);
  eyot_group_free(g);
  return rc == EYOT_OK ? eyot_team_destroy(&t) : rc;
}

static int team_destroyed(struct world *w) {
  return eyot_team_destroy(&w->team);
}

static int graph(struct world *w) {
  eyot_graph_t g;
  eyot_tunit_t before = {(w->me + w->n - 1) % w->n}, after = {(w->me + 1) % w->n};
  int rc = eyot_graph_create(w->team, &before, 1, &after, 1, &g);
  return rc == EYOT_OK ? eyot_graph_destroy(&g) : rc;
}

static int cart(struct world *w) {
  eyot_graph_t g;
  int rc = eyot_cart_create(w->team, 1, &w->n, &(bool){true}, &g);
  return rc == EYOT_OK ? eyot_graph_destroy(&g) : rc;
}

static int graph_destroyed(struct world *w) {
  return eyot_graph_destroy(&w->ring);
}

static int lock(struct world *w) {
  eyot_lock_t l;
  int rc = eyot_lock_create(w->team, NULL, &l);
  return rc == EYOT_OK ? eyot_lock_destroy(&l) : rc;
}

static int counter(struct world *w) {
  eyot_counter_t c;
  int rc = eyot_counter_create(w->team, 1, &c);
  return rc == EYOT_OK ? eyot_counter_destroy(&c) : rc;
}

static int pscw(struct world *w) {
  eyot_pscw_t p;
  int rc = eyot_pscw_create(w->team, NULL, &p);
  return rc == EYOT_OK ? eyot_pscw_destroy(&p) : rc;
}

static int dynamic(struct world *w) {
  eyot_dynamic_t d;
  int rc = eyot_dynamic_create(w->team, NULL, &d);
  return rc == EYOT_OK ? eyot_dynamic_destroy(&d) : rc;
}

static int own_scatter(struct world *w) {
  void *buffers[MEMBERS_MOST] = {NULL}, *mine;
  uint64_t bytes[MEMBERS_MOST] = {0}, mine_bytes;
  return eyot_own_scatter(w->team, ROOT, buffers, bytes, &mine, &mine_bytes);
}

static int own_gather(struct world *w) {
  void *buffers[MEMBERS_MOST] = {NULL}, *mine = NULL;
  uint64_t bytes[MEMBERS_MOST] = {0};
  return eyot_own_gather(w->team, ROOT, &mine, 0, buffers, bytes);
}

static int exchange(struct world *w) {
  return eyot_exchange(w->exchange, NULL, NULL);
}

static int own_alltoall(struct world *w) {
  void *buffers[MEMBERS_MOST] = {NULL};
  uint64_t bytes[MEMBERS_MOST] = {0};
  return eyot_own_alltoall(w->team, buffers, bytes);
}

/* -- the table --------------------------------------------------------------------------------- */

struct entry {
  const char *name;
  int (*call)(struct world *w);
  const char *same; /* members may call others of the same name instead; NULL: none */
  bool of_object;   /* it takes something that the team has made */
  bool aside;       /* it may stand anywhere among the team's calls */
  bool neighbors;   /* beside another one only receivers learn of it */
};
#define ENTRY(f) \
  { .name = #f, .call = f }
#define FORM(f, as) \
  { .name = #f, .call = f, .same = as }
#define OF_OBJECT(f) \
  { .name = #f, .call = f, .of_object = true }
#define NEIGHBORS(f, as) \
  { .name = #f, .call = f, .same = as, .of_object = true, .neighbors = true }
#define ASIDE(f) \
  { .name = #f, .call = f, .aside = true }
#define FORMS(name, ...)                                                      \
  ENTRY(name##_blocking), FORM(name##_wait, #name), FORM(name##_test, #name), \
      FORM(name##_plan, #name),
#define NEIGHBORS_FORMS(name, ...)                                                                 \
  NEIGHBORS(name##_blocking, #name), NEIGHBORS(name##_wait, #name), NEIGHBORS(name##_test, #name), \
      NEIGHBORS(name##_plan, #name),
#define OBJECTS(name, ...) OF_OBJECT(name##_blocking),
static const struct entry TABLE[] = {
    THREE_FORMS(FORMS) NEIGHBOR_FORMS(NEIGHBORS_FORMS) ONE_FORM(OBJECTS)
    /* clang-format off */
    OF_OBJECT(fence), FORM(barrier, "barrier"), FORM(barrier_nodes, "barrier"),
    ENTRY(barrier_tree), ENTRY(barrier_wait), ENTRY(barrier_plan),
    ENTRY(value_all), ENTRY(memory), OF_OBJECT(memory_freed),
    FORM(team_of_color, "color"), FORM(team_of_node, "color"), ENTRY(team_of_group),
    ENTRY(team_destroyed), ENTRY(graph), ENTRY(cart), OF_OBJECT(graph_destroyed), ENTRY(lock),
    ENTRY(counter), ENTRY(pscw), ENTRY(dynamic), ENTRY(own_scatter), ENTRY(own_gather),
    ENTRY(own_alltoall), ASIDE(split_wait), ASIDE(split_test), ASIDE(team_of_members),
    { .name = "exchange", .call = exchange, .of_object = true, .aside = true }
    /* clang-format on */
};
#define ENTRIES (sizeof TABLE / sizeof *TABLE)

static void unpack_nothing(void *context, const void *recv, const void *buf, uint64_t bytes) {
  (void)context, (void)recv, (void)buf, (void)bytes;
}

static uint64_t pack_nothing(void *context, const void *send, void *buf, uint64_t space) {
  (void)context, (void)send, (void)buf, (void)space;
  return 0;
}

/* team_destroyed is refused while the team has anything. */
static void world_make(struct world *w, bool bare) {
  const eyot_exchange_ops_t ops = {
      .pack = pack_nothing, .unpack = unpack_nothing, .where = EYOT_EXCHANGE_PACKED};
  *w = (struct world){.me = eyot_me().id, .n = eyot_size()};
  CHECK(w->n <= MEMBERS_MOST);
  for (uint32_t m = 0; m < w->n; m++) {
    w->each[m] = 1;
    w->sizes[m] = 8;
    w->blocks[m] = (eyot_block_t){.at = 8 * m, .run_bytes = 8};
  }
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &w->team));
  if (bare) return;
  OK(eyot_cart_create(w->team, 1, &w->n, &(bool){true}, &w->ring));
  OK(eyot_cart_create(w->team, 1, &w->n, &(bool){true}, &w->edges));
  OK(eyot_exchange_create(w->edges, &ops, &w->exchange));
  OK(eyot_team_alloc(w->team, 8 * MEMBERS_MOST, &w->from));
  OK(eyot_team_alloc(w->team, 8 * MEMBERS_MOST, &w->to));
  OK(eyot_team_alloc(w->team, 8 * MEMBERS_MOST, &w->other));
}

/* All make as many calls, whatever these return, and one for all at last: a member that gets
 * nothing in one-way calls learns of the mistake in that. */
static int mistake(struct world *w, const struct entry *mine) {
  int first = EYOT_OK;
  for (int tries = 0; tries < TRIES; tries++) {
    int rc = mine->call(w);
    if (first == EYOT_OK) first = rc;
  }
  int rc = value_all(w);
  return first != EYOT_OK ? first : rc;
}

/* -- pairs ------------------------------------------------------------------------------------- */

static char now[128]; /* what is said if a pair hangs */

static void on_alarm(int signal) {
  (void)signal;
  (void)!write(STDERR_FILENO, now, strlen(now));
  _exit(1);
}

static bool is_same(const struct entry *x, const struct entry *y) {
  return x->same != NULL && y->same != NULL && strcmp(x->same, y->same) == 0;
}

/* A mistake that eyot finds. Two members that wait for each other, both in calls that may stand
 * anywhere, are not told. */
static bool is_pair(const struct entry *x, const struct entry *y) {
  bool destroys = x->call == team_destroyed || y->call == team_destroyed;
  return !is_same(x, y) && !(x->aside && y->aside) && !(destroys && (x->of_object || y->of_object));
}

/* One member calls y, the next one x, the others by chance. */
static bool calls_y(const struct world *w, uint64_t *d) {
  uint32_t odd = (uint32_t)(draw(d) % w->n);
  uint64_t some = draw(d);
  return w->me == odd || (w->me != (odd + 1) % w->n && (some >> w->me & 1) != 0);
}

static void pair_check(const struct entry *x, const struct entry *y, uint64_t seed) {
  struct world w;
  uint64_t d = seed, code, least, most;
  world_make(&w, x->call == team_destroyed || y->call == team_destroyed);
  snprintf(now, sizeof now, "unit %u hangs: %s beside %s\n", w.me, x->name, y->name);
  if (strcmp(eyot_fabric_name(), "sim") != 0) (void)alarm(HANG_S);
  code = (uint64_t) - (calls_y(&w, &d) ? mistake(&w, y) : mistake(&w, x));
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MIN, &code, &least, 1));
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &code, &most, 1));
  (void)alarm(0);
  if (most == (uint64_t)-EYOT_EMISMATCH && (least == most || (x->neighbors && y->neighbors)))
    return;
  fprintf(stderr, "unit %u: %s beside %s: %s\n", w.me, x->name, y->name, eyot_strerror(-(int)code));
  CHECK(false);
}

static void pair_run(const struct entry *x, const struct entry *y, uint64_t seed) {
  if (eyot_me().id == 0) printf("%s beside %s\n", x->name, y->name);
  fflush(stdout);
  pair_check(x, y, seed);
}

/* Runs each STEP-th pair from `first` on, and returns how many there are. step 0: none of them. */
static uint64_t pairs_run(uint64_t first, uint64_t step) {
  uint64_t n = 0;
  for (const struct entry *x = TABLE; x < TABLE + ENTRIES; x++)
    for (const struct entry *y = x + 1; y < TABLE + ENTRIES; y++) {
      if (!is_pair(x, y)) continue;
      uint64_t at = n++;
      if (step > 0 && at >= first && (at - first) % step == 0) pair_run(x, y, at);
    }
  return n;
}

static const struct entry *find(const char *name) {
  for (size_t i = 0; i < ENTRIES; i++)
    if (strcmp(TABLE[i].name, name) == 0) return &TABLE[i];
  fprintf(stderr, "coll_pairs: no function '%s'\n", name);
  eyot_abort(2, "a name is wrong");
}

static bool is_number(const char *text) {
  return *text >= '0' && *text <= '9';
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  (void)signal(SIGALRM, on_alarm);
  if (argc < 3) {
    uint64_t n = pairs_run(0, 0);
    if (eyot_me().id == 0) printf("%" PRIu64 "\n", n);
    return eyot_finalize() == EYOT_OK ? 0 : 1;
  }
  if (is_number(argv[1])) (void)pairs_run(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
  for (int i = 1; i + 1 < argc && !is_number(argv[1]); i += 2)
    pair_run(find(argv[i]), find(argv[i + 1]), (uint64_t)i);
  return finish();
}
