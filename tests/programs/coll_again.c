/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_again.c - short blocking collectives that are made again and again: each result is the
 * serial one, whoever is late, whatever else goes on, and a call that differs from those before is
 * found.
 *
 * Why it exists: a call that is one of those before takes a way of its own where units' memory is
 * mapped (src/coll/quick.c), which the general way continues wherever it stands: in an opening, in
 * the midst of a plan. Chance decides who is late there.
 *
 * coll_again PHASES [SEED]: each phase makes a few calls in turn.
 * coll_again differ TIMES: after each number of equal calls one member makes another one. */
#include <eyot/coll_nb.h>
#include <eyot/count.h>
#include <string.h>
#include <time.h>

#include "programs/coll_team.h"

#define MOST 640u /* elements of a block: more than the longest message of the short way */
#define MEMBERS_MOST 8u

enum kind {
  BROADCAST,
  REDUCE,
  ALLREDUCE,
  GATHER,
  ALLGATHER,
  ALLTOALL,
  SCAN,
  EXSCAN,
  SCATTER,
  PARTS,
  KINDS
};
enum op_kind { SUM, LEAST, OWN, OPERATORS };

struct call {
  enum kind kind;
  enum op_kind op;
  uint32_t root;
  uint64_t n; /* elements of 8 bytes */
  bool in_place;
};

/* factor a + b: not commutative. Each phase has another factor, and often the same handle. */
static eyot_op_t own_op;
static uint64_t factor = 3;

static void own_combine(void *out, const void *left, const void *right, uint64_t n, void *context) {
  const uint64_t *a = left, *b = right, by = *(const uint64_t *)context;
  uint64_t *o = out;
  for (uint64_t i = 0; i < n; i++) o[i] = by * a[i] + b[i];
}
static void own_op_again(void) {
  static uint64_t factors[2];
  if (own_op != EYOT_NOOP) OK(eyot_op_free(&own_op));
  factor += 2;
  factors[factor / 2 % 2] = factor;
  OK(eyot_op_create(own_combine, &factors[factor / 2 % 2], 8, false, &own_op));
}

static eyot_op_t op_of(const struct call *c) {
  return c->op == SUM ? EYOT_SUM : c->op == LEAST ? EYOT_MIN : own_op;
}
/* The result of the own operator depends on how operands are grouped, so teams of more than two
 * members take the sum in its place. */
static uint64_t combined(const struct call *c, uint64_t a, uint64_t b) {
  return c->op == SUM ? a + b : c->op == LEAST ? (a < b ? a : b) : factor * a + b;
}

static uint64_t input(uint32_t member, uint64_t i, uint64_t time) {
  return (member + 1) * 1000003u + i * 7919u + time * 104729u;
}

/* Members first..last-1. */
static uint64_t folded(const struct call *c, uint32_t last, uint64_t i, uint64_t time) {
  uint64_t v = input(0, i, time);
  for (uint32_t m = 1; m < last; m++) v = combined(c, v, input(m, i, time));
  return v;
}

/* What the member has in element i of block b, or false if nothing is promised. */
static bool wanted(const struct team *t, const struct call *c, uint64_t time, uint32_t b,
                   uint64_t i, uint64_t *v) {
  switch (c->kind) {
    case BROADCAST:
      *v = input(c->root, i, time);
      return true;
    case REDUCE:
      *v = folded(c, t->n, i, time);
      return t->me == c->root;
    case ALLREDUCE:
      *v = folded(c, t->n, i, time);
      return true;
    case GATHER:
      *v = input(b, i, time);
      return t->me == c->root;
    case ALLGATHER:
      *v = input(b, i, time);
      return true;
    case ALLTOALL:
      *v = input(b, t->me * c->n + i, time);
      return true;
    case SCAN:
      *v = folded(c, t->me + 1, i, time);
      return true;
    case EXSCAN:
      *v = folded(c, t->me, i, time);
      return t->me > 0;
    case SCATTER:
      *v = input(c->root, t->me * c->n + i, time);
      return true;
    case PARTS:
      *v = folded(c, t->n, t->me * c->n + i, time);
      return true;
    case KINDS:
      break;
  }
  return false;
}

static uint64_t send_buffer[MEMBERS_MOST * MOST + 4], recv_buffer[MEMBERS_MOST * MOST + 4];

static bool sends_blocks(const struct call *c) {
  return c->kind == ALLTOALL || c->kind == SCATTER || c->kind == PARTS;
}
static bool has_blocks(const struct call *c) {
  return c->kind == GATHER || c->kind == ALLGATHER || c->kind == ALLTOALL;
}

static int make(const struct team *t, const struct call *c, uint64_t *in, uint64_t *out) {
  const eyot_tunit_t root = {c->root};
  uint64_t bytes = c->n * 8;
  switch (c->kind) {
    case BROADCAST:
      return eyot_broadcast(t->id, root, out, bytes);
    case REDUCE:
      return eyot_reduce(t->id, root, EYOT_UINT64, op_of(c), in, out, c->n);
    case ALLREDUCE:
      return eyot_allreduce(t->id, EYOT_UINT64, op_of(c), in, out, c->n);
    case GATHER:
      return eyot_gather(t->id, root, in, out, bytes);
    case ALLGATHER:
      return eyot_allgather(t->id, in, out, bytes);
    case ALLTOALL:
      return eyot_alltoall(t->id, in, out, bytes);
    case SCAN:
      return eyot_scan(t->id, EYOT_UINT64, op_of(c), in, out, c->n);
    case EXSCAN:
      return eyot_exscan(t->id, EYOT_UINT64, op_of(c), in, out, c->n);
    case SCATTER:
      return eyot_scatter(t->id, root, in, out, bytes);
    case PARTS:
      return eyot_reduce_scatter_block(t->id, EYOT_UINT64, op_of(c), in, out, c->n);
    case KINDS:
      break;
  }
  return EYOT_EINVAL;
}

static void check(const struct team *t, const struct call *c, uint64_t time, const uint64_t *out) {
  uint64_t v;
  for (uint32_t b = 0; b < (has_blocks(c) ? t->n : 1); b++)
    for (uint64_t i = 0; i < c->n; i++)
      if (wanted(t, c, time, b, i, &v) && out[b * c->n + i] != v) {
        fprintf(stderr, "member %u: kind %d, root %u, %lu elements, time %lu: block %u, %lu\n",
                t->me, (int)c->kind, c->root, (unsigned long)c->n, (unsigned long)time, b,
                (unsigned long)i);
        eyot_abort(1, "a collective that was made again has a wrong result");
      }
}

static void once(const struct team *t, const struct call *c, uint64_t time) {
  uint64_t blocks = sends_blocks(c) ? t->n : 1, all = has_blocks(c) ? t->n : 1;
  uint64_t *out = recv_buffer + 1, *in = c->in_place ? out : send_buffer + 1;
  memset(recv_buffer, 0x5a, (all * c->n + 2) * 8);
  if (c->kind == BROADCAST)
    for (uint64_t i = 0; i < c->n && t->me == c->root; i++) out[i] = input(t->me, i, time);
  else
    for (uint64_t i = 0; i < blocks * c->n; i++) in[i] = input(t->me, i, time);
  OK(make(t, c, in, out));
  check(t, c, time, out);
  memset(in, 0xff, blocks * c->n * 8); /* it is the caller's again */
  CHECK(recv_buffer[0] == 0x5a5a5a5a5a5a5a5a && recv_buffer[all * c->n + 1] == recv_buffer[0]);
}

/* The same on all members. */
static struct call choose(const struct team *t, uint64_t *state) {
  static const uint64_t LENGTHS[] = {1, 1, 1, 2, 8, 9, 64, 512, MOST};
  struct call c = {.kind = (enum kind)(draw(state) % KINDS),
                   .op = (enum op_kind)(draw(state) % OPERATORS),
                   .root = (uint32_t)(draw(state) % t->n)};
  c.n = LENGTHS[draw(state) % (sizeof LENGTHS / sizeof LENGTHS[0])];
  c.in_place = draw(state) % 4 == 0 && !has_blocks(&c) && !sends_blocks(&c);
  if (c.op == OWN && t->n > 2) c.op = SUM;
  return c;
}

static void be_late(uint64_t ns) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t end = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + ns;
  while ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec < end)
    clock_gettime(CLOCK_MONOTONIC, &now);
}

/* Whether the member has sent something for sure. */
static bool has_reduced(const struct call *calls, uint32_t n) {
  bool found = false;
  for (uint32_t k = 0; k < n; k++) found |= calls[k].kind == ALLREDUCE;
  return found;
}

/* `mine` is the member's own luck: when it is late, and whether it counts operations. */
static void phase(const struct team *t, const struct team *aside, uint64_t *all, uint64_t *mine) {
  struct call calls[4];
  uint32_t n = 1 + (uint32_t)(draw(all) % 4), times = 2 + (uint32_t)(draw(all) % 12);
  for (uint32_t k = 0; k < n; k++) calls[k] = choose(t, all);
  bool other = draw(all) % 3 == 0, open = draw(all) % 3 == 0;
  bool counts = draw(mine) % 5 == 0, tardy = draw(mine) % 2 == 0;
  uint64_t one = 1, sum = 0;
  eyot_coll_t handle;
  own_op_again();
  for (uint32_t time = 0; time < times; time++) {
    if (open) OK(eyot_allreduce_nb(t->id, EYOT_UINT64, EYOT_SUM, &one, &sum, 1, &handle));
    if (counts && time == times / 2) OK(eyot_count_begin());
    for (uint32_t k = 0; k < n; k++) {
      if (tardy && draw(mine) % 3 == 0) be_late(draw(mine) % 90000); /* a wait spins some 30 us */
      once(t, &calls[k], time);
      if (other && k == 0) once(aside, &(struct call){.kind = ALLREDUCE, .n = 1}, time);
    }
    if (open) OK(eyot_coll_wait(&handle));
    if (open) CHECK(sum == t->n);
  }
  eyot_counts_t seen;
  if (!counts) return;
  OK(eyot_count_read(&seen));
  CHECK(!has_reduced(calls, n) || seen.signals > 0);
  OK(eyot_count_end());
}

/* -- calls that differ ------------------------------------------------------------------------- */

/* The last member makes another call of a one-way function, or of one that all end together: those
 * that receive learn of it, all others in the next call that all end together. */
static void differ(const struct team *t, struct call c, uint32_t times, uint32_t how) {
  struct call odd = c, all = {.kind = ALLREDUCE, .n = 1};
  for (uint32_t time = 0; time < times; time++) once(t, &c, time);
  if (how == 0) odd.n += 1;
  if (how == 1) odd.op = LEAST;
  if (how == 2) odd.kind = ALLGATHER;
  bool is_odd = t->me == t->n - 1, together = c.kind == ALLREDUCE || c.kind == ALLTOALL;
  int rc = make(t, is_odd ? &odd : &c, send_buffer, recv_buffer);
  CHECK(rc == EYOT_OK || rc == EYOT_EMISMATCH);
  CHECK(!together || rc == EYOT_EMISMATCH);
  if (!together) {
    int next = eyot_allreduce(t->id, EYOT_UINT64, EYOT_SUM, send_buffer, recv_buffer, 1);
    CHECK(rc == EYOT_EMISMATCH || next == EYOT_EMISMATCH);
  }
  for (uint32_t time = 0; time < times; time++) once(t, &all, time);
  for (uint32_t time = 0; time < times; time++) once(t, &c, time);
}

/* An operator that no longer exists, and buffers that a call before did not have: errors of the
 * caller's, on all members. */
static void refused(const struct team *t, uint32_t times) {
  const struct call c = {.kind = ALLREDUCE, .n = 4}, blocks = {.kind = ALLGATHER, .n = 4};
  for (uint32_t time = 0; time < times; time++) once(t, &c, time), once(t, &blocks, time);
  eyot_op_t freed = own_op;
  OK(eyot_allreduce(t->id, EYOT_UINT64, freed, send_buffer, recv_buffer, 4));
  OK(eyot_allreduce(t->id, EYOT_UINT64, freed, send_buffer, recv_buffer, 4));
  own_op_again();
  if (own_op != freed)
    CHECK(eyot_allreduce(t->id, EYOT_UINT64, freed, send_buffer, recv_buffer, 4) == EYOT_EINVAL);
  CHECK(make(t, &c, send_buffer, send_buffer + 1) == EYOT_EINVAL);
  CHECK(make(t, &c, send_buffer, NULL) == EYOT_EINVAL);
  CHECK(make(t, &c, NULL, recv_buffer) == EYOT_EINVAL);
  CHECK(make(t, &blocks, recv_buffer + 4 * t->n - 2, recv_buffer) == EYOT_EINVAL);
  for (uint32_t time = 0; time < times; time++) once(t, &c, time), once(t, &blocks, time);
}

static void all_differ(const struct team *t, uint32_t times) {
  static const struct call CALLS[] = {{.kind = BROADCAST, .n = 1},
                                      {.kind = ALLREDUCE, .n = 1},
                                      {.kind = REDUCE, .n = 1, .root = 1},
                                      {.kind = ALLTOALL, .n = 2},
                                      {.kind = SCAN, .n = 3}};
  for (uint32_t n = 1; n <= times; n++) refused(t, n);
  for (uint32_t n = 1; n <= times; n++)
    for (uint32_t k = 0; k < sizeof CALLS / sizeof CALLS[0]; k++)
      for (uint32_t how = 0; how < 3; how++) {
        bool reduces =
            CALLS[k].kind == REDUCE || CALLS[k].kind == ALLREDUCE || CALLS[k].kind == SCAN;
        if (how != 1 || reduces) differ(t, CALLS[k], n, how);
      }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc >= 2);
  own_op = EYOT_NOOP;
  own_op_again();
  struct team all = describe(EYOT_TEAM_ALL);
  CHECK(all.n <= MEMBERS_MOST);
  eyot_team_t same_id;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &same_id));
  struct team same = describe(same_id);
  if (strcmp(argv[1], "differ") == 0) {
    all_differ(&all, argc > 2 ? (uint32_t)atoi(argv[2]) : 4);
  } else {
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, mine = state * 31 + all.me + 1;
    for (int i = 0; i < atoi(argv[1]); i++) {
      bool is_all = draw(&state) % 3 != 0;
      phase(is_all ? &all : &same, is_all ? &same : &all, &state, &mine);
    }
  }
  OK(eyot_team_destroy(&same_id));
  OK(eyot_op_free(&own_op));
  free(all.global);
  free(same.global);
  return finish();
}
