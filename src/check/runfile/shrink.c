/* SPDX-License-Identifier: BSD-3-Clause */
/* shrink.c - shrinks a failing stream of choices (shrink.h): passes that try simpler candidates,
 * repeated until none helps.
 *
 * The passes are in the order of their gain: first whole blocks of zeros (removing a disturbance
 * leaves the rest of the run in place), then deletion (which moves all later choices), then single
 * values, then order; the expensive passes run only when no other one helps. */
#include "check/runfile/shrink.h"

#include <string.h>

#include "check/snapshot/mem.h"
#include "check/strategy/rng.h"

/* remembered candidates that did not help; the last round would try all of them again */
#define TRIED 65536u
#define MERGED 4u       /* most set choices that may be merged into one */
#define MERGED_SPAN 64u /* choices between which set choices are merged */
/* largest value of the merged choice: most values that engines draw are small */
#define MERGED_VALUE 3u

struct shrink {
  struct chk_stream *best; /* the caller's stream */
  struct chk_stream candidate, used;
  chk_try_fn try;
  void *arg;
  uint64_t max_tries;
  struct chk_shrunk stats;
  uint64_t *tried; /* a hash table, 0: free. NULL: none, and nothing is remembered */
};

static uint32_t length(const struct chk_stream *s) {
  uint32_t n = s->n;
  while (n > 0 && s->at[n - 1].value == 0) n--;
  return n;
}

static uint32_t count_set(const struct chk_stream *s) {
  uint32_t set = 0;
  for (uint32_t i = 0; i < s->n; i++) set += s->at[i].value != 0;
  return set;
}

int chk_shrink_compare(const struct chk_stream *a, const struct chk_stream *b) {
  uint32_t set_a = count_set(a), set_b = count_set(b);
  if (set_a != set_b) return set_a < set_b ? -1 : 1;
  uint32_t n = length(a), n_b = length(b);
  if (n != n_b) return n < n_b ? -1 : 1;
  for (uint32_t i = 0; i < n; i++)
    if (a->at[i].value != b->at[i].value) return a->at[i].value < b->at[i].value ? -1 : 1;
  return 0;
}

static uint64_t shrink_hash(const struct chk_stream *s) {
  uint64_t h = s->n;
  for (uint32_t i = 0; i < s->n; i++) h = chk_rng_mix(h + CHK_RNG_GAMMA + s->at[i].value);
  return h | 1;
}

static bool used_up(const struct shrink *s) {
  return s->max_tries > 0 && s->stats.tries >= s->max_tries;
}

static bool shrink_run(struct shrink *s, const struct chk_stream *stream) {
  s->stats.tries++;
  chk_stream_clear(&s->used);
  return s->try(s->arg, stream, &s->used);
}

static void shrink_keep(struct shrink *s, const struct chk_stream *stream) {
  chk_stream_copy(s->best, stream);
  s->best->n = length(s->best);
}

/* Tries the candidate if it is simpler than the best. If it fails too, the choices that its run
 * used become the best: they are never less simple than the candidate, since they are the
 * candidate's values modulo bounds, and zeros. */
static bool attempt(struct shrink *s) {
  struct chk_stream *c = &s->candidate;
  c->n = length(c);
  if (used_up(s) || chk_shrink_compare(c, s->best) >= 0) return false;
  uint64_t h = shrink_hash(c);
  uint64_t *seen = s->tried ? &s->tried[(h >> 1) % TRIED] : NULL;
  if (seen && *seen == h) return false;
  if (shrink_run(s, c)) {
    shrink_keep(s, chk_shrink_compare(&s->used, c) <= 0 ? &s->used : c);
    s->stats.kept++;
    return true;
  }
  if (seen) *seen = h;
  return false;
}

static bool try_delete(struct shrink *s, uint32_t from, uint32_t n) {
  struct chk_stream *c = &s->candidate;
  chk_stream_copy(c, s->best);
  memmove(c->at + from, c->at + from + n, (c->n - from - n) * sizeof *c->at);
  c->n -= n;
  return attempt(s);
}

static bool try_zero(struct shrink *s, uint32_t from, uint32_t n) {
  const struct chk_stream block = {.at = s->best->at + from, .n = n};
  /* most blocks of a long stream: without a copy */
  if (length(&block) == 0) return false;
  chk_stream_copy(&s->candidate, s->best);
  for (uint32_t i = from; i < from + n; i++) s->candidate.at[i].value = 0;
  return attempt(s);
}

static bool try_value(struct shrink *s, uint32_t at, uint32_t value) {
  chk_stream_copy(&s->candidate, s->best);
  s->candidate.at[at].value = value;
  return attempt(s);
}

/* Blocks of halving sizes, from the end: later choices depend on earlier ones, not the other way
 * round. */
static bool by_halves(struct shrink *s,
                      bool (*attempt_block)(struct shrink *, uint32_t, uint32_t)) {
  bool better = false;
  for (uint32_t size = s->best->n; size > 0; size /= 2) {
    for (uint32_t end = s->best->n; end > 0 && !used_up(s);) {
      uint32_t from = end > size ? end - size : 0;
      better |= attempt_block(s, from, end - from);
      end = from < s->best->n ? from : s->best->n;
    }
  }
  return better;
}

/* The smallest value at `at` that still fails, if failing is monotonic in it; 0 and 1 were tried
 * before. */
static bool lower_one(struct shrink *s, uint32_t at) {
  uint32_t passes = 1; /* known not to fail */
  bool better = false;
  while (at < s->best->n && s->best->at[at].value > passes + 1 && !used_up(s)) {
    uint32_t middle = passes + (s->best->at[at].value - passes) / 2;
    if (try_value(s, at, middle))
      better = true;
    else
      passes = middle;
  }
  return better;
}

static bool lower(struct shrink *s) {
  bool better = false;
  for (uint32_t i = s->best->n; i-- > 0 && !used_up(s);) {
    if (i >= s->best->n || s->best->at[i].value < 2) continue;
    better |= try_value(s, i, 1);
    better |= lower_one(s, i);
  }
  return better;
}

/* Lowers one value and deletes 1, 2 or 4 choices after it, which the larger value may have
 * caused. */
static bool lower_and_delete(struct shrink *s) {
  bool better = false;
  for (uint32_t i = s->best->n; i-- > 0 && !used_up(s);) {
    for (uint32_t n = 1; n <= 4 && i < s->best->n && s->best->at[i].value > 0 && n < s->best->n - i;
         n *= 2) {
      struct chk_stream *c = &s->candidate;
      chk_stream_copy(c, s->best);
      c->at[i].value--;
      memmove(c->at + i + 1, c->at + i + 1 + n, (c->n - i - 1 - n) * sizeof *c->at);
      c->n -= n;
      better |= attempt(s);
    }
  }
  return better;
}

/* Swaps neighbors into ascending order, also over distances of powers of two: a disturbance comes
 * as late as possible. */
static bool reorder(struct shrink *s) {
  bool better = false;
  for (uint32_t i = 0; i < s->best->n; i++) {
    for (uint32_t far = 1; i < s->best->n && far < s->best->n - i && !used_up(s); far *= 2) {
      struct chk_stream *c = &s->candidate;
      if (s->best->at[i].value <= s->best->at[i + far].value) continue;
      chk_stream_copy(c, s->best);
      struct chk_choice held = c->at[i];
      c->at[i] = c->at[i + far];
      c->at[i + far] = held;
      better |= attempt(s);
    }
  }
  return better;
}

/* Clears the set choices in from..to, and sets one of small value instead: at each position, the
 * earliest first. The recorded bound there does not limit the value: without the cleared choices,
 * the run may ask another question. */
static bool one_for_many(struct shrink *s, uint32_t clear_from, uint32_t from, uint32_t to) {
  for (uint32_t at = from; at <= to; at++) {
    for (uint32_t value = 1; value <= MERGED_VALUE && !used_up(s); value++) {
      struct chk_stream *c = &s->candidate;
      chk_stream_copy(c, s->best);
      for (uint32_t i = clear_from; i <= to; i++) c->at[i].value = 0;
      c->at[at].value = value;
      if (attempt(s)) return true;
    }
  }
  return false;
}

/* Two choices may have the effect of a single one that neither contains: picking the second process
 * twice is often picking the third once. Replaces `many` consecutive set choices by one, at a
 * position between the choice before them and their last; a single one is replaced by an earlier
 * one. */
static bool shrink_merge(struct shrink *s, uint32_t many) {
  bool better = false;
  for (uint32_t first = 0; first < s->best->n && !used_up(s); first++) {
    if (s->best->at[first].value == 0) continue;
    uint32_t from = first, last = first, found = 1;
    while (from > 0 && s->best->at[from - 1].value == 0) from--;
    while (found < many && last + 1 < s->best->n) found += s->best->at[++last].value != 0;
    if (found < many) break;
    if (last - from >= MERGED_SPAN) from = last - MERGED_SPAN + 1;
    if (first >= from) better |= one_for_many(s, first, from, last);
  }
  return better;
}

/* Needs many tries, so it runs only when no other pass helps. */
static bool merge_any(struct shrink *s) {
  for (uint32_t many = 1; many <= MERGED; many++)
    if (shrink_merge(s, many)) return true;
  return false;
}

static void passes(struct shrink *s) {
  bool better;
  do {
    better = by_halves(s, try_zero);
    better |= by_halves(s, try_delete);
    better |= lower(s);
    better |= lower_and_delete(s);
    better |= reorder(s);
    if (!better) better = merge_any(s);
  } while (better && !used_up(s));
  s->stats.fixed_point = !better && !used_up(s);
}

bool chk_shrink(struct chk_stream *failing, chk_try_fn try, void *arg, uint64_t max_tries,
                struct chk_shrunk *stats) {
  struct shrink s = {.best = failing, .try = try, .arg = arg, .max_tries = max_tries};
  chk_stream_init(&s.candidate);
  chk_stream_init(&s.used);
  chk_stream_copy(&s.candidate, failing);
  bool fails = shrink_run(&s, &s.candidate);
  if (fails) {
    s.tried = chk_alloc(TRIED * sizeof *s.tried);
    s.stats.before = s.used.n;
    s.stats.before_set = count_set(&s.used);
    shrink_keep(&s, &s.used);
    passes(&s);
    s.stats.after = failing->n;
    s.stats.after_set = count_set(failing);
  }
  chk_free(s.tried);
  chk_stream_fini(&s.candidate);
  chk_stream_fini(&s.used);
  *stats = s.stats;
  return fails;
}
