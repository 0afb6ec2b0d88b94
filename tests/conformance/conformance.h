/* SPDX-License-Identifier: BSD-3-Clause */
/* conformance.h - the conformance suite of the fabric contract: the sentences of fabric.h as
 * programs, which run unchanged on the fake, the sim and the mpi fabric.
 *
 * Every unit of the run calls conf_run with the same arguments (SPMD). A case is a function that
 * all units call; it uses only the contract. The suite ends with a message instead of hanging:
 * every wait has a timeout, and a case that fails on any unit ends the suite on all. *Litmus* cases
 * look for outcomes that the contract forbids; *weak* cases for outcomes that it allows and that a
 * simulator must therefore show. */
#ifndef EYOT_CONF_SUITE_H
#define EYOT_CONF_SUITE_H

#include "fabric/fabric.h"

#define CONF_TEXT 256u
#define CONF_SEG_BYTES (4u << 20)
#define CONF_CTRL 4096u        /* bytes at the start of the segment that the suite itself uses */
#define CONF_CLEAN (64u << 10) /* bytes from CONF_CTRL that are zero when a case begins */
#define CONF_FULL (1u << 20)   /* the longest transfer */
#define CONF_PEERS 4u

enum conf_weak {
  CONF_WEAK_PRINT = 0, /* only count */
  CONF_WEAK_REQUIRE    /* each must happen at least once */
};

struct conf_opts {
  /* repetitions of litmus and stress loops; 0: chosen from the number of units */
  uint32_t rounds;
  uint64_t timeout_ns; /* of one wait; 0: 20 s */
  uint64_t seed;       /* seed of the data */
  enum conf_weak weak;
  bool verbose; /* a line for each case that passes */
  /* switches the error log off and on around deliberate errors; may be NULL */
  void (*hush)(bool on);
  /* ends the run after the first failure, which has been printed: the others need not wait for
   * their timeouts; NULL: they do, and the suite returns */
  void (*failed)(void);
  /* runs fn in another thread of the unit, to its end; NULL: in a POSIX thread */
  void (*in_thread)(void (*fn)(void *arg), void *arg);
  const char *const *only; /* names of cases, NULL: all */
  uint32_t n_only;
};

struct conf_ctx {
  struct fab *f;
  uint32_t me, n;
  fab_seg_t seg;
  char *mem; /* the caller's part of seg */
  struct conf_opts o;
  uint64_t epoch; /* barriers entered */
  uint64_t rng;   /* differs between units */
  const char *name;
  char text[CONF_TEXT]; /* the first failure on this unit */
  char note[CONF_TEXT]; /* the count of a weak case, on unit 0 */
};

struct conf_case {
  const char *name;
  uint32_t min_units;
  int (*run)(struct conf_ctx *c); /* 0, or -1 after conf_fail */
};

/* The tables, one a file, each ended by a case without name. */
extern const struct conf_case conf_cases_put[], conf_cases_request[], conf_cases_signal[],
    conf_cases_wait[], conf_cases_wait_word[], conf_cases_order[], conf_cases_amo[],
    conf_cases_stress[], conf_cases_litmus[], conf_cases_barrier[], conf_cases_weak[],
    conf_cases_seg[], conf_cases_attach[], conf_cases_data[], conf_cases_error[], conf_cases_misc[],
    conf_cases_set[], conf_cases_set_error[], conf_cases_thread[], conf_cases_message[];

/* Runs the suite; collective over all units of f. Returns the number of failed cases seen by this
 * unit (0: all passed everywhere), or -1 if a name in `only` is unknown or the suite could not
 * start. Prints "ok NAME" on unit 0 and "FAIL NAME unit U: text" on each unit that saw a
 * failure. */
int conf_run(struct fab *f, const struct conf_opts *o);
/* Calls visit with every case, in order. */
void conf_each(void (*visit)(const struct conf_case *k, void *arg), void *arg);

/* -- for cases --------------------------------------------------------------------------------- */
int conf_fail(struct conf_ctx *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int conf_barrier(struct conf_ctx *c);
uint64_t conf_random(struct conf_ctx *c);
/* Waits for a word of the caller's part of the suite's segment. */
int conf_wait(struct conf_ctx *c, uint64_t off, enum fab_cmp cmp, uint64_t value);
/* Adds to a word of another unit, remotely complete. */
int conf_add(struct conf_ctx *c, uint32_t unit, uint64_t off, uint64_t add, uint64_t *old);
int conf_read(struct conf_ctx *c, uint32_t unit, uint64_t off, uint64_t *value);
/* Peers at different distances: the unit itself, its neighbor, across the run, mirrored. Peer k of
 * all units is a permutation; conf_peer_of is its inverse. */
uint32_t conf_peer(const struct conf_ctx *c, uint32_t k);
uint32_t conf_peer_of(const struct conf_ctx *c, uint32_t k);
/* The partner at exchange distance d (a power of two), or UINT32_MAX if the caller has none.
 * conf_far: the largest useful d. */
uint32_t conf_partner(const struct conf_ctx *c, uint32_t d);
uint32_t conf_far(const struct conf_ctx *c);
/* Partners wait for each other; `off` is a word of both that only this call uses; `round` counts
 * from 1. */
int conf_meet(struct conf_ctx *c, uint32_t partner, uint64_t off, uint64_t round);
/* Sum over all units, on all units. Collective. */
int conf_sum(struct conf_ctx *c, uint64_t mine, uint64_t *sum);
bool conf_same_node(struct conf_ctx *c, uint32_t a, uint32_t b);
/* Reads a word of the caller's own part as a program would. */
static inline uint64_t conf_load(const struct conf_ctx *c, uint64_t off) {
  return __atomic_load_n((const uint64_t *)(const void *)(c->mem + off), __ATOMIC_ACQUIRE);
}
static inline struct fab_addr conf_at(const struct conf_ctx *c, uint32_t unit, uint64_t off) {
  return fab_at(unit, c->seg, off);
}
void conf_hush(struct conf_ctx *c, bool on);
/* The end of a weak case: adds up over all units, notes the count, and decides. possible: the
 * outcome can occur in this run at all (on any unit). */
int conf_weak_verdict(struct conf_ctx *c, uint64_t mine, uint64_t rounds, bool possible,
                      const char *what);
/* Lets other units progress and checks a deadline made by conf_deadline. */
uint64_t conf_deadline(struct conf_ctx *c);
int conf_poll(struct conf_ctx *c, uint64_t deadline);

#define CONF_CHECK(c, cond, ...)                     \
  do {                                               \
    if (!(cond)) return conf_fail((c), __VA_ARGS__); \
  } while (0)
/* The call must return 0. */
#define CONF_TRY(c, call)                                                                     \
  do {                                                                                        \
    int conf_rc_ = (call);                                                                    \
    if (conf_rc_ != 0)                                                                        \
      return conf_fail((c), "line %d: %s returned %s", __LINE__, #call, conf_code(conf_rc_)); \
  } while (0)
/* The call must return this error. */
#define CONF_REFUSED(c, call, code)                                                  \
  do {                                                                               \
    int conf_rc_ = (call);                                                           \
    if (conf_rc_ != (code))                                                          \
      return conf_fail((c), "line %d: %s returned %s, expected %s", __LINE__, #call, \
                       conf_code(conf_rc_), conf_code(code));                        \
  } while (0)
/* A helper of the suite must succeed; it has reported its failure itself. */
#define CONF_PASS(call)         \
  do {                          \
    if ((call) != 0) return -1; \
  } while (0)
const char *conf_code(int rc);
#endif
