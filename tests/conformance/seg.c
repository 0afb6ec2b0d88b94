/* SPDX-License-Identifier: BSD-3-Clause */
/* seg.c - conformance: segments: made, destroyed and made again; many alive; zeroed; direct
 * pointers. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "conformance/conformance.h"

#define SOME 6u
/* A sanitizer keeps freed memory for a while. */
#ifdef __SANITIZE_ADDRESS__
#define KEEPS_FREED 1
#else
#define KEEPS_FREED 0
#endif

static int is_zero(struct conf_ctx *c, const char *p, uint64_t len) {
  for (uint64_t i = 0; i < len; i++)
    CONF_CHECK(c, p[i] == 0, "byte %llu of a new segment is %d, not zero", (unsigned long long)i,
               p[i]);
  return 0;
}

static int make(struct conf_ctx *c, uint64_t len, fab_seg_t *seg, char **mem) {
  void *p;
  CONF_TRY(c, c->f->ops->seg_create(c->f, len, seg));
  CONF_TRY(c, c->f->ops->seg_ptr(c->f, *seg, c->me, 0, &p));
  uintptr_t align = len < 4096 ? 64 : 4096;
  CONF_CHECK(c, (uintptr_t)p % align == 0,
             "a segment of %llu bytes lies at %p, not aligned to %llu", (unsigned long long)len, p,
             (unsigned long long)align);
  *mem = p;
  return 0;
}

/* Makes the same segment repeatedly: no byte of the one before remains. */
static int seg_again(struct conf_ctx *c) {
  static const uint64_t LENS[] = {1, 100, 4096, 5000, 100000};
  for (uint32_t r = 0; r < 2 * sizeof LENS / sizeof *LENS; r++) {
    uint64_t len = LENS[r % (sizeof LENS / sizeof *LENS)];
    fab_seg_t seg;
    char *mem, byte = 1;
    CONF_PASS(make(c, len, &seg, &mem));
    CONF_PASS(is_zero(c, mem, len));
    CONF_PASS(conf_barrier(c));
    CONF_TRY(c, fab_put_wait(c->f, fab_at(conf_peer(c, 1), seg, len - 1), &byte, 1));
    memset(mem, 0x77, len - 1);
    CONF_PASS(conf_barrier(c));
    CONF_CHECK(c, mem[len - 1] == 1, "the last byte of a segment of %llu bytes was not written",
               (unsigned long long)len);
    CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  }
  return 0;
}

/* The addresses that the process uses, in bytes; 0: unknown. */
static uint64_t address_space(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  if (f == NULL) return 0;
  if (fscanf(f, "%lu", &pages) != 1) pages = 0;
  fclose(f);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A destroyed segment is not mapped any more. */
static int seg_unmapped(struct conf_ctx *c) {
  enum { TIMES = 10, BEFORE = 2 };
  const uint64_t len = 1u << 20;
  uint64_t before = 0;
  for (int i = 0; i < TIMES + BEFORE; i++) {
    fab_seg_t seg;
    CONF_TRY(c, c->f->ops->seg_create(c->f, len, &seg));
    CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
    CONF_PASS(conf_barrier(c));
    if (i == BEFORE - 1) before = address_space();
  }
  uint64_t after = address_space();
  CONF_CHECK(c, KEEPS_FREED || after < before + TIMES / 2 * len,
             "%d segments of %llu bytes were destroyed, and %llu bytes more are mapped", TIMES,
             (unsigned long long)len, (unsigned long long)(after - before));
  return 0;
}

/* Several alive, destroyed in another order than made: offsets of one are not those of another. */
static int seg_several(struct conf_ctx *c) {
  fab_seg_t seg[SOME];
  char *mem[SOME];
  uint32_t to = conf_peer(c, 1), from = conf_peer_of(c, 1);
  for (uint32_t i = 0; i < SOME; i++) CONF_PASS(make(c, 64ull << i, &seg[i], &mem[i]));
  for (uint32_t i = 0; i < SOME; i++) {
    uint64_t value = (uint64_t)c->me << 32 | (i + 1u);
    CONF_TRY(c, fab_put_wait(c->f, fab_at(to, seg[i], 8), &value, 8));
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < SOME; i++) {
    uint64_t got;
    memcpy(&got, mem[i] + 8, 8);
    CONF_CHECK(c, got == ((uint64_t)from << 32 | (i + 1u)),
               "segment %u of %u live ones holds %#llx", i, SOME, (unsigned long long)got);
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < SOME; i++)
    CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg[(i * 5 + 2) % SOME]));
  return 0;
}

/* One flush completes the operations to all segments of a unit. */
static int seg_flush(struct conf_ctx *c) {
  fab_seg_t seg[SOME];
  char *mem[SOME];
  uint32_t to = conf_peer(c, 1), from = conf_peer_of(c, 1);
  for (uint32_t i = 0; i < SOME; i++) CONF_PASS(make(c, 64, &seg[i], &mem[i]));
  for (uint64_t r = 1; r <= c->o.rounds / 4 + 1; r++) {
    for (uint32_t i = 0; i < SOME; i++)
      CONF_TRY(c, fab_put(c->f, fab_at(to, seg[i], 8), &r, sizeof r, NULL));
    CONF_TRY(c, fab_flush(c->f, r % 2 == 0 ? to : FAB_ALL, FAB_REMOTE));
    CONF_PASS(conf_add(c, to, CONF_CTRL, 1, NULL));
    CONF_PASS(conf_wait(c, CONF_CTRL, FAB_GE, r));
    for (uint32_t i = 0; i < SOME; i++) {
      uint64_t got = __atomic_load_n((uint64_t *)(void *)(mem[i] + 8), __ATOMIC_ACQUIRE);
      CONF_CHECK(c, got == r, "after a flush by unit %u segment %u of %u holds %llu, not %llu",
                 from, i, SOME, (unsigned long long)got, (unsigned long long)r);
    }
    CONF_PASS(conf_add(c, from, CONF_CTRL + 8, 1, NULL)); /* may write the next round */
    CONF_PASS(conf_wait(c, CONF_CTRL + 8, FAB_GE, r));
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < SOME; i++) CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg[i]));
  return 0;
}

/* All units get the same available size, and a segment well within it can be made. */
static int seg_available(struct conf_ctx *c) {
  uint64_t room;
  fab_seg_t seg;
  char *mem;
  CONF_TRY(c, c->f->ops->seg_available(c->f, &room));
  CONF_CHECK(c, room > 0, "no room for any segment");
  CONF_PASS(make(c, 64, &seg, &mem));
  CONF_TRY(c, fab_put_wait(c->f, fab_at(conf_peer(c, 1), seg, 0), &room, 8));
  CONF_PASS(conf_barrier(c));
  uint64_t told;
  memcpy(&told, mem, 8);
  CONF_CHECK(c, told == room, "unit %u was told %#llx bytes", conf_peer_of(c, 1),
             (unsigned long long)told);
  CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  CONF_PASS(make(c, room / 2 < 1u << 20 ? room / 2 : 1u << 20, &seg, &mem));
  mem[0] = 1;
  CONF_PASS(conf_barrier(c));
  CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  return 0;
}

/* Waiting and atomics work in every segment, not only in the first. */
static int seg_wait(struct conf_ctx *c) {
  fab_seg_t seg;
  char *mem;
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 5};
  CONF_PASS(make(c, 256, &seg, &mem));
  CONF_TRY(c, fab_amo_wait(c->f, fab_at(conf_peer(c, 1), seg, 248), &add, NULL));
  int rc = fab_wait_mem(c->f, seg, 248, FAB_EQ, 5, c->o.timeout_ns, NULL);
  CONF_CHECK(c, rc == 0, "waiting in a second segment: %s", conf_code(rc));
  CONF_PASS(conf_barrier(c));
  CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  return 0;
}

static int seg_gone(struct conf_ctx *c) {
  fab_seg_t seg;
  char *mem;
  void *ptr = NULL;
  uint64_t word = 0;
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 5};
  CONF_PASS(make(c, 4096, &seg, &mem));
  CONF_PASS(conf_barrier(c));
  CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  CONF_PASS(conf_barrier(c));
  conf_hush(c, true);
  CONF_REFUSED(c, fab_put(c->f, fab_at(c->me, seg, 0), &word, 8, NULL), EYOT_ESEG);
  CONF_REFUSED(c, fab_get(c->f, &word, fab_at(c->me, seg, 0), 8, NULL), EYOT_ESEG);
  CONF_REFUSED(c, fab_amo(c->f, fab_at(c->me, seg, 0), &add, NULL, NULL), EYOT_ESEG);
  CONF_REFUSED(c, fab_wait_mem(c->f, seg, 0, FAB_EQ, 0, 0, NULL), EYOT_ESEG);
  CONF_REFUSED(c, c->f->ops->seg_ptr(c->f, seg, c->me, 0, &ptr), EYOT_ESEG);
  CONF_REFUSED(c, c->f->ops->seg_destroy(c->f, seg), EYOT_ESEG);
  CONF_REFUSED(c, c->f->ops->seg_create(c->f, 0, &seg), EYOT_EINVAL);
  CONF_CHECK(c, ptr == NULL, "an error wrote its output");
  return 0;
}

/* Pointers to others' memory, where the fabric gives them, reach the same bytes as put and get
 * do. */
static int seg_pointers(struct conf_ctx *c) {
  char *base = NULL;
  uint64_t stride = 0, mark = c->me + 1000ull;
  int mapped = c->f->ops->seg_map(c->f, c->seg, &base, &stride);
  CONF_CHECK(c, mapped == 0 || mapped == EYOT_ENOTSUP, "seg_map returned %s", conf_code(mapped));
  CONF_CHECK(c, (mapped == 0) == (c->f->local.n > 0),
             "%u units are said to be mapped, and seg_map returned %s", c->f->local.n,
             conf_code(mapped));
  CONF_CHECK(c, c->f->local.n == 0 || c->me - c->f->local.first < c->f->local.n,
             "mapped units are %u, +%u, and do not contain the caller", c->f->local.first,
             c->f->local.n);
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, c->me, CONF_CTRL), &mark, 8));
  CONF_PASS(conf_barrier(c));
  for (uint32_t u = 0; u < c->n; u++) {
    void *p = NULL;
    int rc = c->f->ops->seg_ptr(c->f, c->seg, u, 0, &p);
    CONF_CHECK(c, rc == 0 || (rc == EYOT_ENOTSUP && u != c->me), "seg_ptr of unit %u returned %s",
               u, conf_code(rc));
    CONF_CHECK(c, rc == EYOT_ENOTSUP || p != NULL, "seg_ptr succeeded without a pointer");
    if (u == c->me) CONF_CHECK(c, p == c->mem, "the own part has moved");
    bool in_map = u - c->f->local.first < c->f->local.n;
    if (in_map)
      CONF_CHECK(c, rc == 0 && p == base + (u - c->f->local.first) * stride,
                 "seg_map and seg_ptr of unit %u disagree", u);
    if (rc != 0) continue;
    uint64_t seen;
    memcpy(&seen, (char *)p + CONF_CTRL, 8);
    CONF_CHECK(c, seen == u + 1000ull, "the direct pointer to unit %u shows %llu", u,
               (unsigned long long)seen);
  }
  conf_hush(c, true);
  void *p = NULL;
  CONF_REFUSED(c, c->f->ops->seg_ptr(c->f, c->seg, c->n, 0, &p), EYOT_EUNIT);
  conf_hush(c, false);
  return conf_barrier(c);
}

/* Where the fabric can read any memory, it shows the bytes of completed puts, and only existing
 * memory. */
static int seg_look(struct conf_ctx *c) {
  int (*look)(struct fab *, struct fab_addr, void *, uint64_t) = c->f->ops->seg_look;
  uint64_t mark = c->me + 2000ull, seen = 0;
  if (look == NULL) return 0;
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, c->me, CONF_CTRL), &mark, 8));
  CONF_PASS(conf_barrier(c));
  for (uint32_t u = 0; u < c->n; u++) {
    CONF_TRY(c, look(c->f, conf_at(c, u, CONF_CTRL), &seen, 8));
    CONF_CHECK(c, seen == u + 2000ull, "a look at unit %u shows %llu", u, (unsigned long long)seen);
  }
  conf_hush(c, true);
  CONF_REFUSED(c, look(c->f, conf_at(c, c->n, CONF_CTRL), &seen, 8), EYOT_EUNIT);
  CONF_REFUSED(c, look(c->f, conf_at(c, c->me, UINT64_MAX - 8), &seen, 8), EYOT_ERANGE);
  CONF_REFUSED(c, look(c->f, fab_at(c->me, FAB_SEG_ATTACHED, 0), &seen, 8), EYOT_ESEG);
  conf_hush(c, false);
  return conf_barrier(c);
}

/* The limit is FAB_SEG_MAX live segments; beyond it EBUSY, and afterwards all works. Windows of a
 * real fabric are expensive: simulators only. */
static int seg_limit(struct conf_ctx *c) {
  fab_seg_t seg[FAB_SEG_MAX];
  uint32_t made = 0;
  int rc = 0;
  if ((c->f->caps & FAB_CAP_VIRTUAL_TIME) == 0) return 0;
  conf_hush(c, true);
  while (made < FAB_SEG_MAX && (rc = c->f->ops->seg_create(c->f, 64, &seg[made])) == 0) made++;
  conf_hush(c, false);
  CONF_CHECK(c, rc == EYOT_EBUSY && made > SOME, "after %u segments one more gave %s", made,
             conf_code(rc));
  CONF_PASS(conf_barrier(c));
  while (made > 0) CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg[--made]));
  CONF_PASS(conf_barrier(c)); /* a segment lives until its last unit has destroyed it */
  return seg_wait(c);
}

/* One unit cannot open files any more: all get the same, and afterwards all works. */
static int seg_one_cannot(struct conf_ctx *c) {
  struct rlimit files, none;
  fab_seg_t seg;
  uint64_t refused;
  if ((c->f->caps & FAB_CAP_VIRTUAL_TIME) != 0) return 0;
  CONF_CHECK(c, getrlimit(RLIMIT_NOFILE, &files) == 0, "no limit of files");
  none = files;
  none.rlim_cur = 0;
  if (c->me == c->n - 1) setrlimit(RLIMIT_NOFILE, &none);
  conf_hush(c, true);
  int rc = c->f->ops->seg_create(c->f, 100000, &seg);
  conf_hush(c, false);
  setrlimit(RLIMIT_NOFILE, &files);
  CONF_CHECK(c, rc == 0 || rc == EYOT_ENOMEM, "a unit that cannot open files got %s",
             conf_code(rc));
  CONF_PASS(conf_sum(c, rc != 0, &refused));
  CONF_CHECK(c, refused == 0 || refused == c->n, "%llu of %u units were refused",
             (unsigned long long)refused, c->n);
  if (rc == 0) CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  return seg_wait(c);
}

/* A unit that has its new segment uses it at once, the others' parts too, although they and
 * progress processes may be late; what is destroyed is used to the end. */
static int seg_used_at_once(struct conf_ctx *c) {
  char from[3][2000];
  for (uint32_t r = 0; r < 20; r++) {
    fab_seg_t seg;
    char *mem;
    CONF_PASS(make(c, 3 * sizeof *from, &seg, &mem));
    for (uint32_t k = 0; k < 3; k++) {
      memset(from[k], (int)(r + k + 1), sizeof from[k]);
      struct fab_addr at = fab_at(conf_peer(c, k), seg, k * sizeof from[k]);
      CONF_TRY(c, c->f->ops->put(c->f, at, from[k], sizeof from[k], NULL));
    }
    CONF_TRY(c, c->f->ops->flush(c->f, FAB_ALL, FAB_REMOTE));
    CONF_PASS(conf_barrier(c));
    for (uint32_t k = 0; k < 3; k++)
      CONF_CHECK(c,
                 mem[k * sizeof *from] == (char)(r + k + 1) &&
                     mem[(k + 1) * sizeof *from - 1] == (char)(r + k + 1),
                 "round %u: the bytes of put %u are not there", r, k);
    CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  }
  return 0;
}

/* Where the first bytes of a part lie apart, both pieces are addressable to their ends, and nothing
 * reaches from one into the other; else the part is one piece. */
static int seg_front(struct conf_ctx *c) {
  enum { ASKED = 64 << 10, LEN = 20 * ASKED };
  uint64_t front = ASKED, mine[2] = {c->me + 1ull, c->me + 7ull}, seen[2];
  const uint64_t marks[3] = {ASKED - 8, ASKED, LEN - 8};
  fab_seg_t seg;
  void *p[3], *first, *rest;
  CONF_TRY(c, c->f->ops->seg_reserve(c->f, LEN, LEN, &front, &seg));
  CONF_CHECK(c, front == 0 || front == ASKED, "of %d bytes %llu lie apart", ASKED,
             (unsigned long long)front);
  CONF_TRY(c, c->f->ops->seg_ptr(c->f, seg, c->me, 0, &first));
  CONF_TRY(c, c->f->ops->seg_ptr(c->f, seg, c->me, ASKED, &rest));
  if (front == 0) CONF_CHECK(c, (char *)rest == (char *)first + ASKED, "a part has two pieces");
  const uint32_t to = conf_peer(c, 1), from = (c->me + c->n - 1) % c->n;
  for (uint32_t i = 0; i < 3; i++) {
    CONF_TRY(c, c->f->ops->seg_ptr(c->f, seg, c->me, marks[i], &p[i]));
    char *piece = marks[i] < ASKED ? first : (char *)rest - ASKED;
    CONF_CHECK(c, (char *)p[i] == piece + marks[i], "byte %llu is not where its piece is",
               (unsigned long long)marks[i]);
    CONF_TRY(c, fab_put_wait(c->f, fab_at(to, seg, marks[i]), &mine[i % 2], 8));
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < 3; i++) {
    memcpy(seen, p[i], 8);
    CONF_CHECK(c, seen[0] == from + (i % 2 == 0 ? 1ull : 7ull), "mark %u is %llu", i,
               (unsigned long long)seen[0]);
  }
  conf_hush(c, true);
  if (front != 0) {
    CONF_REFUSED(c, fab_put(c->f, fab_at(to, seg, ASKED - 8), mine, 16, NULL), EYOT_ERANGE);
    CONF_REFUSED(c, fab_get(c->f, seen, fab_at(to, seg, ASKED - 1), 2, NULL), EYOT_ERANGE);
  }
  CONF_REFUSED(c, fab_put(c->f, fab_at(to, seg, LEN - 8), mine, 16, NULL), EYOT_ERANGE);
  conf_hush(c, false);
  CONF_PASS(conf_barrier(c));
  CONF_TRY(c, c->f->ops->seg_destroy(c->f, seg));
  return 0;
}

const struct conf_case conf_cases_seg[] = {
    {"seg_one_unit_that_cannot_is_all", 1, seg_one_cannot},
    {"seg_is_used_at_once", 1, seg_used_at_once},
    {"seg_available_is_the_same_on_all", 1, seg_available},
    {"seg_made_again_is_zero", 1, seg_again},
    {"seg_destroyed_is_not_mapped", 1, seg_unmapped},
    {"seg_offsets_are_its_own", 1, seg_several},
    {"seg_waits_and_atomics_work_in_each", 1, seg_wait},
    {"seg_destroyed_is_refused", 1, seg_gone},
    {"seg_flush_completes_operations_to_each", 1, seg_flush},
    {"seg_pointers_reach_the_same_bytes", 1, seg_pointers},
    {"seg_front_may_lie_apart", 1, seg_front},
    {"seg_look_shows_completed_puts", 1, seg_look},
    {"seg_limit_is_an_error_and_recovers", 1, seg_limit},
    {NULL, 0, NULL},
};
