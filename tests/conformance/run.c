/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c - runs the conformance suite (conformance.h): control words, barrier, and the verdict of
 * each case. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conformance/conformance.h"

#define TIMEOUT_NS 20000000000u
/* a unit that failed leaves its partners waiting for one timeout each */
#define BARRIER_TIMEOUTS 3u
#define LEVELS_MAX 32u

/* Control words at the start of the segment. */
#define OFF_FLAGS 0u                 /* LEVELS_MAX words: dissemination barrier */
#define OFF_FAILED (LEVELS_MAX * 8u) /* on unit 0: the number of units that saw a failure */
#define OFF_SUM (OFF_FAILED + 8u)    /* on unit 0 */

static const struct conf_case *const TABLES[] = {
    conf_cases_put,       conf_cases_request,   conf_cases_signal, conf_cases_wait,
    conf_cases_wait_word, conf_cases_order,     conf_cases_amo,    conf_cases_stress,
    conf_cases_litmus,    conf_cases_barrier,   conf_cases_weak,   conf_cases_seg,
    conf_cases_attach,    conf_cases_data,      conf_cases_error,  conf_cases_misc,
    conf_cases_set,       conf_cases_set_error, conf_cases_thread, conf_cases_message,
};

const char *conf_code(int rc) {
  static const char *const NAMES[] = {"OK",        "EINVAL",   "ENOMEM",    "ERANGE", "EUNIT",
                                      "ETEAM",     "ESEG",     "EMISMATCH", "ESTATE", "ETHREAD",
                                      "EPEERDOWN", "ETIMEOUT", "ENOTSUP",   "ESYS",   "EFABRIC",
                                      "EALIGN",    "EBUSY"};
  return rc <= 0 && rc >= EYOT_ELAST ? NAMES[-rc] : "an unknown code";
}

int conf_fail(struct conf_ctx *c, const char *fmt, ...) {
  if (c->text[0] != '\0') return -1; /* the first one counts */
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(c->text, sizeof c->text, fmt, ap);
  va_end(ap);
  /* Printed at once, and by the unit itself: a wrong fabric need not be able to carry the text to
   * unit 0. */
  char line[CONF_TEXT + 128];
  snprintf(line, sizeof line, "FAIL %s unit %u: %s\n", c->name, c->me, c->text);
  fputs(line, stdout);
  fflush(stdout);
  if (c->o.failed != NULL) c->o.failed();
  /* while the buffers of the case's operations in flight still exist */
  (void)fab_flush(c->f, FAB_ALL, FAB_REMOTE);
  return -1;
}

uint64_t conf_random(struct conf_ctx *c) {
  uint64_t z = c->rng += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return z ^ (z >> 29);
}

void conf_hush(struct conf_ctx *c, bool on) {
  if (c->o.hush != NULL) c->o.hush(on);
}

int conf_wait(struct conf_ctx *c, uint64_t off, enum fab_cmp cmp, uint64_t value) {
  uint64_t seen = 0;
  int rc = fab_wait_mem(c->f, c->seg, off, cmp, value, c->o.timeout_ns, &seen);
  if (rc != 0)
    return conf_fail(c, "waiting for the word at %llu to be (cmp %d) %llu: %s; it is %llu",
                     (unsigned long long)off, (int)cmp, (unsigned long long)value, conf_code(rc),
                     (unsigned long long)conf_load(c, off));
  if (!fab_cmp_holds(cmp, seen, value))
    return conf_fail(c, "wait_mem returned with %llu, which is not (cmp %d) %llu",
                     (unsigned long long)seen, (int)cmp, (unsigned long long)value);
  return 0;
}

int conf_add(struct conf_ctx *c, uint32_t unit, uint64_t off, uint64_t add, uint64_t *old) {
  const struct fab_amo amo = {.op = FAB_AMO_ADD, .width = 8, .operand = add};
  CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, unit, off), &amo, old));
  return 0;
}

int conf_read(struct conf_ctx *c, uint32_t unit, uint64_t off, uint64_t *value) {
  const struct fab_amo amo = {.op = FAB_AMO_READ, .width = 8};
  CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, unit, off), &amo, value));
  return 0;
}

/* Dissemination with counting flags. */
int conf_barrier(struct conf_ctx *c) {
  c->epoch++;
  uint32_t level = 0;
  for (uint64_t d = 1; d < c->n; d *= 2, level++) {
    CONF_PASS(conf_add(c, (uint32_t)((c->me + d) % c->n), OFF_FLAGS + 8u * level, 1, NULL));
    uint64_t seen;
    int rc = fab_wait_mem(c->f, c->seg, OFF_FLAGS + 8u * level, FAB_GE, c->epoch,
                          c->o.timeout_ns * BARRIER_TIMEOUTS, &seen);
    if (rc != 0)
      return conf_fail(c, "barrier %llu, level %u: %s; unit %u or one before it did not arrive",
                       (unsigned long long)c->epoch, level, conf_code(rc),
                       (uint32_t)((c->me + c->n - d) % c->n));
  }
  return 0;
}

int conf_sum(struct conf_ctx *c, uint64_t mine, uint64_t *sum) {
  uint64_t total;
  const struct fab_amo clear = {.op = FAB_AMO_SWAP, .width = 8, .operand = 0};
  CONF_PASS(conf_add(c, 0, OFF_SUM, mine, NULL));
  CONF_PASS(conf_barrier(c));
  CONF_PASS(conf_read(c, 0, OFF_SUM, &total));
  CONF_PASS(conf_barrier(c));
  if (c->me == 0) CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, 0, OFF_SUM), &clear, NULL));
  CONF_PASS(conf_barrier(c));
  *sum = total;
  return 0;
}

uint32_t conf_peer(const struct conf_ctx *c, uint32_t k) {
  switch (k % CONF_PEERS) {
    case 0:
      return c->me;
    case 1:
      return (c->me + 1) % c->n;
    case 2:
      return (c->me + c->n / 2) % c->n;
    default:
      return c->n - 1 - c->me;
  }
}

uint32_t conf_peer_of(const struct conf_ctx *c, uint32_t k) {
  switch (k % CONF_PEERS) {
    case 0:
      return c->me;
    case 1:
      return (c->me + c->n - 1) % c->n;
    case 2:
      return (c->me + c->n - c->n / 2) % c->n;
    default:
      return c->n - 1 - c->me;
  }
}

uint32_t conf_partner(const struct conf_ctx *c, uint32_t d) {
  return (c->me ^ d) < c->n ? c->me ^ d : UINT32_MAX;
}

uint32_t conf_far(const struct conf_ctx *c) {
  uint32_t d = 1;
  while (d * 2 < c->n) d *= 2;
  return d;
}

int conf_meet(struct conf_ctx *c, uint32_t partner, uint64_t off, uint64_t round) {
  CONF_PASS(conf_add(c, partner, off, 1, NULL));
  return conf_wait(c, off, FAB_GE, round);
}

bool conf_same_node(struct conf_ctx *c, uint32_t a, uint32_t b) {
  eyot_place_t pa, pb;
  if (c->f->ops->locate(c->f, a, &pa) != 0 || c->f->ops->locate(c->f, b, &pb) != 0) return false;
  return pa.id[EYOT_DOMAIN_NODE] == pb.id[EYOT_DOMAIN_NODE];
}

uint64_t conf_deadline(struct conf_ctx *c) {
  return c->f->ops->now_ns(c->f) + c->o.timeout_ns;
}

int conf_poll(struct conf_ctx *c, uint64_t deadline) {
  CONF_TRY(c, c->f->ops->progress(c->f));
  CONF_CHECK(c, c->f->ops->now_ns(c->f) < deadline, "polling saw nothing new before the timeout");
  return 0;
}

static bool selected(const struct conf_opts *o, const char *name) {
  if (o->only == NULL) return true;
  for (uint32_t i = 0; i < o->n_only; i++)
    if (strcmp(o->only[i], name) == 0) return true;
  return false;
}

/* One case on all units. Returns 0 passed, 1 failed somewhere. */
static int run_case(struct conf_ctx *c, const struct conf_case *k) {
  c->name = k->name;
  c->note[0] = '\0';
  memset(c->mem + CONF_CTRL, 0, CONF_CLEAN);
  if (conf_barrier(c) != 0) return 1;
  int rc = k->run(c);
  conf_hush(c, false);
  int flushed = fab_flush(c->f, FAB_ALL, FAB_REMOTE);
  if (rc == 0 && flushed != 0)
    conf_fail(c, "the flush after the case returned %s", conf_code(flushed));
  /* A unit that failed reports it to unit 0 before it enters the barrier; all units read the count
   * between two barriers. */
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1},
                       read = {.op = FAB_AMO_READ, .width = 8};
  uint64_t failed = 0;
  if (c->text[0] != '\0') (void)fab_amo_wait(c->f, conf_at(c, 0, OFF_FAILED), &add, NULL);
  if (conf_barrier(c) != 0) return 1;
  if (fab_amo_wait(c->f, conf_at(c, 0, OFF_FAILED), &read, &failed) != 0) return 1;
  if (conf_barrier(c) != 0 || failed != 0 || c->text[0] != '\0') return 1;
  if (c->me == 0 && c->o.verbose) {
    printf("ok %s%s%s\n", k->name, c->note[0] != '\0' ? ": " : "", c->note);
    fflush(stdout);
  }
  return 0;
}

static bool known(const char *name) {
  for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++)
    for (const struct conf_case *k = TABLES[t]; k->name != NULL; k++)
      if (strcmp(k->name, name) == 0) return true;
  return false;
}

void conf_each(void (*visit)(const struct conf_case *k, void *arg), void *arg) {
  for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++)
    for (const struct conf_case *k = TABLES[t]; k->name != NULL; k++) visit(k, arg);
}

static int run_tables(struct conf_ctx *c) {
  for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++)
    for (const struct conf_case *k = TABLES[t]; k->name != NULL; k++)
      if (selected(&c->o, k->name) && c->n >= k->min_units && run_case(c, k) != 0) return 1;
  return 0;
}

int conf_run(struct fab *f, const struct conf_opts *o) {
  for (uint32_t i = 0; i < o->n_only; i++)
    if (!known(o->only[i])) {
      if (f->me == 0) fprintf(stderr, "conformance: there is no case \"%s\"\n", o->only[i]);
      return -1;
    }
  struct conf_ctx c = {
      .f = f, .me = f->me, .n = f->n, .o = *o, .rng = o->seed * 1000003u + f->me, .name = "start"};
  if (c.o.rounds == 0) c.o.rounds = f->n <= 4 ? 200 : 800 / f->n + 8;
  if (c.o.timeout_ns == 0) c.o.timeout_ns = TIMEOUT_NS;
  void *mem;
  int rc = f->ops->seg_create(f, CONF_SEG_BYTES, &c.seg);
  if (rc != 0) return conf_fail(&c, "seg_create returned %s", conf_code(rc));
  rc = f->ops->seg_ptr(f, c.seg, f->me, 0, &mem);
  if (rc != 0) return conf_fail(&c, "seg_ptr of the own part returned %s", conf_code(rc));
  c.mem = mem;
  int failed = run_tables(&c);
  if (failed != 0) return failed; /* partners may still be waiting: no further collective calls */
  rc = f->ops->seg_destroy(f, c.seg);
  return rc == 0 ? 0 : conf_fail(&c, "seg_destroy returned %s", conf_code(rc));
}
