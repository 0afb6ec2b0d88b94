/* SPDX-License-Identifier: BSD-3-Clause */
/* data.c - cases of the contract about the segment of the program's data: it is the units' own
 * globals, and a segment like others. */
#include <eyot/data.h>
#include <string.h>

#include "base/image.h"
#include "conformance/conformance.h"

#define BEFORE UINT64_C(0x1122334455667788)
#define SLOTS 16u

/* An object of each kind; the fake's units share these, and it gives them memory of the same
 * layout. */
struct objects {
  uint64_t before; /* has its value before the fabric opens */
  uint64_t flag, count;
  uint64_t word[SLOTS];
  char bytes[1000];
};
static struct objects objects = {.before = BEFORE};
static char large[1u << 20]; /* in pages that nothing has touched at the start */

struct view {
  struct fab_data d;
  struct objects *mine;
  uint64_t off; /* of the objects in the segment */
};

static bool is_fake(const struct conf_ctx *c) {
  return strcmp(c->f->ops->name, "fake") == 0;
}

/* none: the units share one copy of their globals. */
static int view_open(struct conf_ctx *c, struct view *v, bool *none) {
  EYOTI_DATA_MARK();
  conf_hush(c, true);
  int rc = c->f->ops->seg_data(c->f, &v->d);
  conf_hush(c, false);
  *none = rc == EYOT_ENOTSUP && (c->f->caps & FAB_CAP_VIRTUAL_TIME) != 0;
  if (*none) return 0;
  CONF_TRY(c, rc);
  v->mine = &objects;
  if (is_fake(c)) {
    v->mine = (struct objects *)(void *)(v->d.own + v->d.image->data[0].from - v->d.image->lo);
    v->mine->before = BEFORE;
  }
  v->off = (uint64_t)((char *)v->mine - v->d.own);
  v->mine->flag = v->mine->count = 0;
  memset(v->mine->word, 0, sizeof v->mine->word);
  return conf_barrier(c);
}

static struct fab_addr at(const struct view *v, uint32_t unit, const void *object) {
  return fab_at(unit, v->d.seg, (uint64_t)((const char *)object - v->d.own));
}

#define OPEN(c, v)                          \
  do {                                      \
    bool none_;                             \
    CONF_PASS(view_open((c), (v), &none_)); \
    if (none_) return 0;                    \
  } while (0)

/* One segment at all units, at the same offsets, with the values that the objects had. */
static int data_is_one(struct conf_ctx *c) {
  struct view v;
  struct fab_data again;
  uint64_t sum, value = 0;
  OPEN(c, &v);
  CONF_TRY(c, c->f->ops->seg_data(c->f, &again));
  CONF_CHECK(c, again.seg == v.d.seg && again.own == v.d.own && again.len == v.d.len,
             "a second call gives another segment");
  CONF_CHECK(c,
             c->f->ops->seg_data_known(c->f, &again) && again.seg == v.d.seg &&
                 again.own == v.d.own && again.image == v.d.image,
             "the segment is not known");
  CONF_PASS(conf_sum(c, v.off ^ (uint64_t)v.d.seg << 40 ^ v.d.len << 20, &sum));
  CONF_CHECK(c, sum == c->n * (v.off ^ (uint64_t)v.d.seg << 40 ^ v.d.len << 20),
             "offsets differ between units");
  CONF_CHECK(c, eyoti_image_holds(v.d.image, v.off + v.d.image->lo, sizeof objects),
             "the objects are not among the image's data");
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    CONF_TRY(c, fab_get_wait(c->f, &value, at(&v, conf_peer(c, k), &v.mine->before), 8));
    CONF_CHECK(c, value == BEFORE, "unit %u has %llx", conf_peer(c, k), (unsigned long long)value);
  }
  return 0;
}

/* Puts and atomics change the objects that the unit's CPU loads, and gets see its stores. */
static int data_is_memory(struct conf_ctx *c) {
  struct view v;
  const struct fab_amo one = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  char bytes[sizeof objects.bytes];
  OPEN(c, &v);
  v.mine->before = BEFORE; /* the CPU's store */
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint32_t to = conf_peer(c, k);
    uint64_t mark = c->me * UINT64_C(100) + k;
    CONF_TRY(c, fab_put_wait(c->f, at(&v, to, &v.mine->word[k]), &mark, 8));
    CONF_TRY(c, fab_amo_wait(c->f, at(&v, to, &v.mine->count), &one, NULL));
  }
  memset(bytes, (int)c->me, sizeof bytes);
  CONF_TRY(c, fab_put_wait(c->f, at(&v, conf_peer(c, 1), v.mine->bytes), bytes, sizeof bytes));
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    CONF_CHECK(c, v.mine->word[k] == conf_peer_of(c, k) * UINT64_C(100) + k,
               "word %u of the object is %llu", k, (unsigned long long)v.mine->word[k]);
  CONF_CHECK(c, v.mine->count == CONF_PEERS, "%llu atomics", (unsigned long long)v.mine->count);
  for (uint32_t i = 0; i < sizeof bytes; i++)
    CONF_CHECK(c, v.mine->bytes[i] == (char)conf_peer_of(c, 1), "byte %u is %d", i,
               v.mine->bytes[i]);
  return conf_barrier(c);
}

/* A wait for a word of an object ends by another unit's signal, after the bytes of its put. */
static int data_waits(struct conf_ctx *c) {
  struct view v;
  OPEN(c, &v);
  uint64_t mark = c->me + UINT64_C(9000), seen;
  uint32_t to = conf_peer(c, 1);
  const struct fab_sig sig = {.at = at(&v, to, &v.mine->flag), .op = FAB_SIG_ADD, .value = 3};
  CONF_TRY(c, c->f->ops->put_signal(c->f, at(&v, to, &v.mine->word[5]), &mark, 8, &sig, NULL));
  CONF_TRY(c, fab_wait_mem(c->f, v.d.seg, at(&v, c->me, &v.mine->flag).off, FAB_EQ, 3,
                           c->o.timeout_ns, &seen));
  CONF_CHECK(c, v.mine->word[5] == conf_peer_of(c, 1) + UINT64_C(9000),
             "the signal came before the bytes: %llu", (unsigned long long)v.mine->word[5]);
  CONF_TRY(c, c->f->ops->flush(c->f, FAB_ALL, FAB_REMOTE));
  return conf_barrier(c);
}

/* What lies outside is refused, and the pointer that the fabric gives to the caller's part reaches
 * the same bytes. */
static int data_bounds(struct conf_ctx *c) {
  struct view v;
  uint64_t value = 1;
  void *p;
  OPEN(c, &v);
  conf_hush(c, true);
  CONF_REFUSED(c, fab_put_wait(c->f, fab_at(c->me, v.d.seg, v.d.len), &value, 8), EYOT_ERANGE);
  CONF_REFUSED(c, fab_put_wait(c->f, fab_at(c->n, v.d.seg, v.off), &value, 8), EYOT_EUNIT);
  conf_hush(c, false);
  CONF_TRY(c, c->f->ops->seg_ptr(c->f, v.d.seg, c->me, 0, &p));
  value = UINT64_C(77) + c->me;
  memcpy((char *)p + v.off + offsetof(struct objects, count), &value, sizeof value);
  CONF_CHECK(c, *(volatile uint64_t *)&v.mine->count == value, "the pointer is to other bytes");
  return conf_barrier(c);
}

/* Pages that the program has not touched are there when another unit does. */
static int data_large(struct conf_ctx *c) {
  struct view v;
  uint64_t mark = c->me + 1;
  OPEN(c, &v);
  if (is_fake(c)) return 0;
  CONF_TRY(c, fab_put_wait(c->f, at(&v, conf_peer(c, 1), large + sizeof large / 2), &mark, 8));
  CONF_PASS(conf_barrier(c));
  memcpy(&mark, large + sizeof large / 2, 8);
  CONF_CHECK(c, mark == conf_peer_of(c, 1) + UINT64_C(1), "the middle has %llu",
             (unsigned long long)mark);
  memcpy(&mark, large, 8);
  CONF_CHECK(c, mark == 0, "the beginning has %llu", (unsigned long long)mark);
  return conf_barrier(c);
}

const struct conf_case conf_cases_data[] = {
    {"data_is_one_segment_with_the_values_from_before", 1, data_is_one},
    {"data_is_what_the_cpu_loads_and_stores", 1, data_is_memory},
    {"data_waits_end_by_signals", 1, data_waits},
    {"data_bounds_are_checked", 1, data_bounds},
    {"data_untouched_is_there", 1, data_large},
    {NULL, 0, NULL},
};
