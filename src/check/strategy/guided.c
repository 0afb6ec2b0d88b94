/* SPDX-License-Identifier: BSD-3-Clause */
/* guided.c - the strategy `guided` of strategy.h: search by coverage, which mutates runs that
 * reached something new, and runs them again.
 *
 * Why it exists: a walk that begins anew each time hardly reaches a state that many steps in one
 * direction lead to; a search that keeps each step forward pays for the steps one after the other.
 * The engine reports the steps forward (saw): an edge of code, a state of the protocol.
 *
 * Thread rule: one thread. Memory: snapshot/mem.h; when out of memory, the corpus stays as it is
 * and the report says so. */

/* The corpus. A run that reached a new feature is kept up to the question after which the last new
 * one came: the shortest prefix that reaches them all. After the end of a prefix a run continues as
 * a random walk. A run that failed is not kept: its descendants would fail again.
 *
 * Energy. The next parent is the best of a few drawn at random: the one whose rarest own feature
 * the fewest runs have reached. Each use as a parent counts like such a run, so that a parent whose
 * descendants reach nothing new yields to others. Source: Böhme, Pham, Roychoudhury: Coverage-based
 * greybox fuzzing as Markov chain, CCS 2016 (power schedules: low-frequency paths first). Half of
 * the children replay their parent's prefix and explore from its end, which needs no luck on the
 * way (Ecoffet, Huizinga, Lehman, Stanley, Clune: First return, then explore, Nature 590, 2021);
 * the others are mutants (mutate.h). */
#include <inttypes.h>
#include <string.h>

#include "check/snapshot/mem.h"
#include "check/strategy/feature.h"
#include "check/strategy/mutate.h"
#include "check/strategy/walk.h"

/* one run in so many has no parent: states that no descendant reaches must stay reachable */
#define FRESH_ONE_IN 16u
#define DRAWN 4u          /* parents among which the best is taken */
#define LOOKED_AT 16u     /* own features whose rarity counts */
#define CORPUS_MAX 16384u /* runs; when there are more, a poor one is dropped */

struct kept_run {
  struct chk_choice *at; /* n choices */
  uint32_t n;
  /* the features that it was the first to reach: neighbors in features.at */
  uint32_t first, n_features;
  uint64_t children;
};

struct guided {
  struct chk_strategy base;
  uint64_t seed, runs, begun;
  struct chk_rng rng;
  struct chk_stream prefix; /* of this run */
  uint32_t asked;           /* questions asked in this run */
  /* features.n when this run began; questions asked when it last reached something new */
  uint32_t first_new, news_at;
  struct chk_features features;
  struct kept_run *corpus;
  uint32_t n_corpus, cap_corpus;
  bool full;                      /* a run was not kept for lack of memory */
  uint64_t last_edge, last_state; /* the last runs that reached a new edge or state */
  uint32_t n_edges;               /* of the features; the others are states */
  uint64_t failed, bounded, dropped;
};

/* Lower is better. */
static uint64_t score(const struct guided *g, const struct kept_run *r) {
  uint64_t rarest = UINT64_MAX;
  uint32_t n = r->n_features < LOOKED_AT ? r->n_features : LOOKED_AT;
  for (uint32_t i = 0; i < n; i++) {
    /* The latest features: those deepest in the run. */
    const struct chk_feature *f = &g->features.at[r->first + r->n_features - 1 - i];
    if (f->runs < rarest) rarest = f->runs;
  }
  return rarest + r->children;
}

/* Of DRAWN runs, the one with the lowest or the highest score. */
static uint32_t guided_choose(struct guided *g, bool lowest) {
  uint32_t best = chk_rng_below(&g->rng, g->n_corpus);
  for (uint32_t i = 1; i < DRAWN; i++) {
    uint32_t other = chk_rng_below(&g->rng, g->n_corpus);
    uint64_t a = score(g, &g->corpus[other]), b = score(g, &g->corpus[best]);
    if (lowest ? a < b : a > b) best = other;
  }
  return best;
}

static struct chk_stream run_stream(const struct kept_run *r) {
  return (struct chk_stream){.at = r->at, .n = r->n, .cap = r->n};
}

static void make_prefix(struct guided *g) {
  chk_stream_clear(&g->prefix);
  if (g->n_corpus == 0 || chk_rng_one_in(&g->rng, FRESH_ONE_IN)) return;
  struct kept_run *parent = &g->corpus[guided_choose(g, true)];
  parent->children++;
  struct chk_stream own = run_stream(parent),
                    other = run_stream(&g->corpus[chk_rng_below(&g->rng, g->n_corpus)]);
  chk_stream_copy(&g->prefix, &own);
  if (chk_rng_one_in(&g->rng, 2)) chk_mutate(&g->prefix, &other, &g->rng);
}

static bool guided_begin(struct chk_strategy *s) {
  struct guided *g = (struct guided *)s;
  if (g->runs > 0 && g->begun == g->runs) return false;
  g->rng = chk_rng_of(g->seed, g->begun++);
  g->asked = g->news_at = 0;
  g->first_new = g->features.n;
  make_prefix(g);
  return true;
}

static uint32_t guided_pick(struct chk_strategy *s, const uint32_t *who, const bool *yields,
                            uint32_t n) {
  struct guided *g = (struct guided *)s;
  (void)who;
  if (n == 1) return 0;
  uint32_t at = g->asked++;
  return at < g->prefix.n ? g->prefix.at[at].value % n : chk_walk_pick(&g->rng, yields, n);
}

static uint32_t guided_draw(struct chk_strategy *s, uint32_t bound) {
  struct guided *g = (struct guided *)s;
  uint32_t at = g->asked++;
  return at < g->prefix.n ? g->prefix.at[at].value % bound : chk_rng_draw(&g->rng, bound);
}

static void guided_saw(struct chk_strategy *s, uint64_t feature) {
  struct guided *g = (struct guided *)s;
  if (!chk_features_add(&g->features, feature, g->begun)) return;
  g->news_at = g->asked;
  bool edge = (feature & CHK_SAW_EDGE) != 0;
  g->n_edges += edge;
  *(edge ? &g->last_edge : &g->last_state) = g->begun;
}

/* An entry of the corpus for a new run; NULL: out of memory. */
static struct kept_run *corpus_slot(struct guided *g) {
  if (g->n_corpus == CORPUS_MAX) {
    struct kept_run *poor = &g->corpus[guided_choose(g, false)];
    chk_free(poor->at);
    g->dropped++;
    return poor;
  }
  if (g->n_corpus == g->cap_corpus) {
    uint32_t cap = g->cap_corpus ? g->cap_corpus * 2 : 64;
    struct kept_run *corpus = chk_resize(g->corpus, cap * sizeof *corpus);
    if (!corpus) return NULL;
    g->corpus = corpus;
    g->cap_corpus = cap;
  }
  return &g->corpus[g->n_corpus++];
}

static void guided_keep(struct guided *g, const struct chk_stream *choices) {
  uint32_t n = g->news_at < choices->n ? g->news_at : choices->n;
  struct chk_choice *at = NULL;
  if (n > 0 && !(at = chk_alloc(n * sizeof *at))) {
    g->full = true;
    return;
  }
  if (n > 0) memcpy(at, choices->at, n * sizeof *at);
  struct kept_run *r = corpus_slot(g);
  if (!r) {
    chk_free(at);
    g->full = true;
    return;
  }
  *r = (struct kept_run){
      .at = at, .n = n, .first = g->first_new, .n_features = g->features.n - g->first_new};
}

static void guided_end(struct chk_strategy *s, enum chk_end how, const struct chk_stream *choices) {
  struct guided *g = (struct guided *)s;
  g->failed += how == CHK_FAILED;
  g->bounded += how == CHK_BOUND;
  if (how != CHK_FAILED && g->features.n > g->first_new) guided_keep(g, choices);
}

/* For one kind of features: prints since when there was no new one. */
static void report_plateau(const struct guided *g, FILE *out, const char *what, uint32_t n,
                           uint64_t last) {
  fprintf(out, "guided: %u %s%s", n, what, n == 1 ? "" : "s");
  if (n > 0)
    fprintf(out, "; the last new one came in run %" PRIu64 ", none in the %" PRIu64 " since", last,
            g->begun - last);
  fputc('\n', out);
}

static void guided_report(const struct chk_strategy *s, FILE *out) {
  const struct guided *g = (const struct guided *)s;
  fprintf(out,
          "guided: %" PRIu64 " runs from seed %" PRIu64 ", %" PRIu64 " failed, %" PRIu64
          " reached the bound of steps; ",
          g->begun, g->seed, g->failed, g->bounded);
  fprintf(out, "%u features, %u runs kept\n", g->features.n, g->n_corpus);
  report_plateau(g, out, "edge", g->n_edges, g->last_edge);
  report_plateau(g, out, "protocol state", g->features.n - g->n_edges, g->last_state);
  if (g->features.full)
    fprintf(out, "guided: the table of features is full: new features were no longer recognized\n");
  if (g->full) fprintf(out, "guided: memory is used up: runs with new features were not kept\n");
  if (g->dropped > 0)
    fprintf(out, "guided: %" PRIu64 " kept runs were replaced by later ones\n", g->dropped);
}

static void guided_destroy(struct chk_strategy *s) {
  struct guided *g = (struct guided *)s;
  for (uint32_t i = 0; i < g->n_corpus; i++) chk_free(g->corpus[i].at);
  chk_free(g->corpus);
  chk_features_fini(&g->features);
  chk_stream_fini(&g->prefix);
  chk_free(g);
}

struct chk_strategy *chk_guided_new(const struct chk_options *o) {
  static const struct chk_strategy_ops ops = {.name = "guided",
                                              .begin = guided_begin,
                                              .pick = guided_pick,
                                              .draw = guided_draw,
                                              .did = chk_ignore_did,
                                              .saw = guided_saw,
                                              .end = guided_end,
                                              .report = guided_report,
                                              .destroy = guided_destroy};
  struct guided *g = chk_alloc(sizeof *g);
  if (!g) return NULL;
  g->base.ops = &ops;
  g->seed = o->seed;
  g->runs = o->runs;
  chk_stream_init(&g->prefix);
  chk_features_init(&g->features);
  return &g->base;
}
