/* SPDX-License-Identifier: BSD-3-Clause */
/* sheap.c - the shared heap: sheap [ROUNDS] [SEED], or sheap wrong | left.
 *
 * Units of a node allocate objects of all sizes, pass their pointers to each other in a random
 * order, and whoever has one checks its bytes, changes them, reallocates or frees it. Units of
 * other nodes reach objects by global pointers. */
#include <string.h>

#include "programs/api_check.h"

#define OBJECTS 60u

static uint64_t own_random;
static uint32_t me, n;
static eyot_tunit_t on_node[4096];
static uint32_t n_on_node;

struct object {
  unsigned char *p;
  uint64_t bytes, key;
};

static unsigned char byte(uint64_t key, uint64_t i) {
  return (unsigned char)(key * 131 + i * 7 + (i >> 9));
}
static void fill(const struct object *o) {
  for (uint64_t i = 0; i < o->bytes; i++) o->p[i] = byte(o->key, i);
}
static void verify(const struct object *o, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) CHECK(o->p[i] == byte(o->key, i));
}

static struct object made(void) {
  uint64_t r = draw(&own_random), most = r % 8 == 0 ? 200000 : r % 2 == 0 ? 4000 : 200;
  struct object o = {.bytes = 1 + draw(&own_random) % most, .key = r >> 8};
  eyot_unit_t owner;
  OK(eyot_sheap_alloc(o.bytes, (void **)&o.p));
  CHECK((uintptr_t)o.p % 64 == 0);
  CHECK(eyot_sheap_contains(o.p, o.bytes));
  OK(eyot_sheap_owner(o.p + o.bytes - 1, &owner));
  CHECK(owner.id == me);
  fill(&o);
  return o;
}

static void changed(struct object *o) {
  verify(o, o->bytes);
  uint64_t r = draw(&own_random), bytes = 1 + r % (2 * o->bytes);
  if (r % 3 == 0) {
    OK(eyot_sheap_realloc(o->p, bytes, (void **)&o->p));
    verify(o, bytes < o->bytes ? bytes : o->bytes);
    o->bytes = bytes;
  }
  o->key++;
  fill(o);
}

/* A pointer of each object goes to some unit of the node, twice; then it is freed there. */
static void objects(void) {
  struct object o[OBJECTS];
  for (uint32_t i = 0; i < OBJECTS; i++) o[i] = made();
  for (uint32_t turn = 0; turn < 2; turn++) {
    eyot_msg_t h[OBJECTS];
    struct object got;
    uint64_t count[4096] = {0}, from[4096];
    for (uint32_t i = 0; i < OBJECTS; i++) {
      uint32_t to = on_node[draw(&own_random) % n_on_node].id;
      count[to]++;
      OK(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){to}, 1, &o[i], sizeof o[i], &h[i]));
    }
    OK(eyot_alltoall(EYOT_TEAM_ALL, count, from, sizeof *count));
    uint64_t mine = 0;
    struct object *all = NULL;
    for (uint32_t u = 0; u < n; u++)
      for (uint64_t i = 0; i < from[u]; i++) {
        OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){u}, 1, &got, sizeof got, NULL));
        changed(&got);
        all = realloc(all, (mine + 1) * sizeof *all);
        CHECK(all != NULL);
        all[mine++] = got;
      }
    OK(eyot_msg_wait_all(h, OBJECTS, NULL));
    /* as many as there were stay for the next turn; all are freed after the last */
    for (uint64_t i = 0; i < mine; i++)
      if (turn == 1 || i >= OBJECTS) OK(eyot_sheap_free(all[i].p));
    for (uint64_t i = 0; turn == 0 && i < OBJECTS; i++) o[i] = i < mine ? all[i] : made();
    free(all);
  }
}

/* What is touched costs virtual time: twice the bytes, at most twice the time; that of another
 * unit's more. */
static void touches(void) {
  enum { BYTES = 1 << 20 };
  char *mine, *other;
  uint64_t t[4];
  if (strcmp(eyot_fabric_name(), "sim") != 0) return;
  OK(eyot_sheap_alloc(BYTES, (void **)&mine));
  t[0] = eyot_now_ns();
  OK(eyot_touch(mine, BYTES / 2, EYOT_TOUCH_READ));
  t[1] = eyot_now_ns();
  OK(eyot_touch(mine, BYTES, EYOT_TOUCH_WRITE));
  t[2] = eyot_now_ns();
  uint64_t half = t[1] - t[0], whole = t[2] - t[1];
  CHECK(half > 1000 && whole + 100 >= 2 * half && whole <= 2 * half + 100);
  const eyot_tunit_t next = {(me + 1) % n}, before = {(me + n - 1) % n};
  OK(eyot_sendrecv(EYOT_TEAM_ALL, before, 3, &mine, sizeof mine, next, 3, &other, sizeof other,
                   NULL));
  if (eyot_sheap_contains(other, BYTES) && n > 1) {
    t[2] = eyot_now_ns();
    OK(eyot_touch(other, BYTES / 2, EYOT_TOUCH_READ));
    t[3] = eyot_now_ns();
    CHECK(t[3] - t[2] > half);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_sheap_free(mine));
}

/* Each unit puts into an object of the next one, wherever that is. */
static void far(void) {
  const eyot_tunit_t next = {(me + 1) % n}, before = {(me + n - 1) % n};
  uint64_t *mine, value = 1000 + me;
  eyot_gptr_t g, there;
  OK(eyot_sheap_alloc(100 + me, (void **)&mine));
  memset(mine, 0, 100);
  OK(eyot_sheap_gptr(mine + 3, &g));
  OK(eyot_sendrecv(EYOT_TEAM_ALL, before, 2, &g, sizeof g, next, 2, &there, sizeof there, NULL));
  OK(eyot_put(there, &value, 8));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  CHECK(mine[3] == 1000 + before.id && mine[2] == 0 && mine[4] == 0);
  OK(eyot_sheap_free(mine));
}

/* -- mistakes ---------------------------------------------------------------------------------- */

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "sheap: unit %u: %s: %s, expected %s\n", me, what, eyot_strerror(rc),
          eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static void wrong(void) {
  char *p, *q, *large;
  int local;
  eyot_unit_t unit;
  eyot_gptr_t g;
  expect("alloc of 0", eyot_sheap_alloc(0, (void **)&p), EYOT_EINVAL);
  expect("alloc to NULL", eyot_sheap_alloc(8, NULL), EYOT_EINVAL);
  expect("alloc of too much", eyot_sheap_alloc(UINT64_C(1) << 45, (void **)&p), EYOT_ENOMEM);
  expect("alloc of all", eyot_sheap_alloc(UINT64_MAX, (void **)&p), EYOT_ENOMEM);
  expect("free of NULL", eyot_sheap_free(NULL), EYOT_OK);
  expect("free of what is no object", eyot_sheap_free(&local), EYOT_EINVAL);
  OK(eyot_sheap_alloc(100, (void **)&p));
  OK(eyot_sheap_alloc(100000, (void **)&large));
  expect("free of a middle", eyot_sheap_free(p + 16), EYOT_ESEG);
  expect("free of a byte", eyot_sheap_free(p + 1), EYOT_ESEG);
  expect("free of a middle of a large one", eyot_sheap_free(large + 80000), EYOT_ESEG);
  expect("realloc to NULL", eyot_sheap_realloc(p, 8, NULL), EYOT_EINVAL);
  expect("realloc to 0", eyot_sheap_realloc(p, 0, (void **)&q), EYOT_EINVAL);
  expect("realloc to too much", eyot_sheap_realloc(p, UINT64_C(1) << 45, (void **)&q), EYOT_ENOMEM);
  expect("realloc of NULL", eyot_sheap_realloc(NULL, 8, (void **)&q), EYOT_OK);
  OK(eyot_sheap_free(q));
  expect("owner to NULL", eyot_sheap_owner(p, NULL), EYOT_EINVAL);
  expect("owner of a local", eyot_sheap_owner(&local, &unit), EYOT_EINVAL);
  expect("gptr to NULL", eyot_sheap_gptr(p, NULL), EYOT_EINVAL);
  expect("gptr of a local", eyot_sheap_gptr(&local, &g), EYOT_EINVAL);
  CHECK(!eyot_sheap_contains(&local, 1) && !eyot_sheap_contains(NULL, 1));
  CHECK(!eyot_sheap_contains(p, UINT64_C(1) << 46));
  expect("a free", eyot_sheap_free(p), EYOT_OK);
  expect("a second free", eyot_sheap_free(p), EYOT_ESEG);
  expect("a large free", eyot_sheap_free(large), EYOT_OK);
  expect("a second large free", eyot_sheap_free(large), EYOT_ESEG);
  expect("gptr of what was freed", eyot_sheap_gptr(p, &g), EYOT_ESEG);
  expect("gptr of what was freed", eyot_sheap_gptr(large, &g), EYOT_ESEG);
  expect("a touch of NULL", eyot_touch(NULL, 1, EYOT_TOUCH_READ), EYOT_EINVAL);
  expect("a touch of nothing", eyot_touch(NULL, 0, EYOT_TOUCH_READ), EYOT_OK);
  expect("no touch", eyot_touch(p, 1, (eyot_touch_t)5), EYOT_EINVAL);
  expect("a touch out of the heap", eyot_touch(p, UINT64_C(1) << 45, EYOT_TOUCH_READ), EYOT_ERANGE);
  expect("a touch out of memory", eyot_touch(p, UINT64_MAX, EYOT_TOUCH_READ), EYOT_EINVAL);
  /* another unit frees it, once */
  char *theirs = NULL;
  if (me == 0) OK(eyot_sheap_alloc(40, (void **)&p));
  theirs = p;
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &theirs, sizeof theirs));
  if (me == n - 1) {
    eyot_domain_t level;
    OK(eyot_distance(eyot_me(), (eyot_unit_t){0}, &level));
    bool near = level <= EYOT_DOMAIN_NODE;
    expect("free by another unit", eyot_sheap_free(theirs), near ? EYOT_OK : EYOT_EINVAL);
    expect("the same again", eyot_sheap_free(theirs), near ? EYOT_ESEG : EYOT_EINVAL);
    bool simulated = strcmp(eyot_fabric_name(), "sim") == 0;
    expect("a touch", eyot_touch(theirs, 40, EYOT_TOUCH_WRITE),
           near || !simulated ? EYOT_OK : EYOT_EUNIT);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  for (uint32_t u = 0; u < n; u++) {
    eyot_domain_t level;
    OK(eyot_distance(eyot_me(), (eyot_unit_t){u}, &level));
    if (level <= EYOT_DOMAIN_NODE) on_node[n_on_node++] = (eyot_tunit_t){u};
  }
  if (argc > 1 && strcmp(argv[1], "wrong") == 0) {
    wrong();
    return finish();
  }
  if (argc > 1 && strcmp(argv[1], "left") == 0) {
    (void)made();
    return finish();
  }
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 4;
  own_random = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 1000 + me;
  for (uint64_t i = 0; i < rounds; i++) {
    objects();
    far();
  }
  touches();
  return finish();
}
