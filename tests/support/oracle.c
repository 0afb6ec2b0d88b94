/* SPDX-License-Identifier: BSD-3-Clause */
/* oracle.c - the checks of a lock's history (oracle.h). */
#include "support/oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *p) {
  if (p != NULL) return p;
  fputs("oracle: no memory for the history\n", stderr);
  abort();
}

static bool is(const struct oracle_hold *h, uint32_t flag) {
  return (h->flags & flag) != 0;
}

static void print_hold(const char *what, const struct oracle_hold *h) {
  fprintf(stderr,
          "  %s: unit %u, target %u, %s%s%s%s: asked at %" PRIu64 " ns, held from %" PRIu64
          " to %" PRIu64 " ns, ticket %" PRIu64 "\n",
          what, h->unit, h->target, is(h, ORACLE_SHARED) ? "shared" : "exclusive",
          is(h, ORACLE_WHOLE) ? ", whole" : "", is(h, ORACLE_TRIED) ? ", by a try" : "",
          is(h, ORACLE_TIMED) ? ", with a timeout" : "", h->request_ns, h->acquire_ns,
          h->release_ns, h->ticket);
}

static int by_time(const void *x, const void *y) {
  const struct oracle_hold *a = x, *b = y;
  if (a->acquire_ns != b->acquire_ns) return a->acquire_ns < b->acquire_ns ? -1 : 1;
  if (a->release_ns != b->release_ns) return a->release_ns < b->release_ns ? -1 : 1;
  return 0;
}

static int by_target(const void *x, const void *y) {
  const struct oracle_hold *a = x, *b = y;
  if (a->target != b->target) return a->target < b->target ? -1 : 1;
  return by_time(x, y);
}

void oracle_sort(struct oracle_hold *h, size_t n) {
  if (n > 0) qsort(h, n, sizeof *h, by_target);
}

/* -- exclusion --------------------------------------------------------------------------------- */

/* Of the holds seen so far, in the order of acquire: those that end last. Indices + 1; 0: none. */
struct last {
  size_t exclusive, shared;
};

static bool later(const struct oracle_hold *h, size_t a, size_t b) {
  return b == 0 || h[a - 1].release_ns > h[b - 1].release_ns;
}

static bool overlaps(const struct oracle_hold *h, size_t i, size_t earlier) {
  if (earlier == 0 || h[earlier - 1].release_ns <= h[i].acquire_ns) return false;
  fputs("oracle: two were inside at the same time that exclude each other\n", stderr);
  print_hold("one", &h[earlier - 1]);
  print_hold("two", &h[i]);
  return true;
}

bool oracle_exclusion(const struct oracle_hold *history, size_t n, struct oracle_shape shape) {
  struct oracle_hold *h = need(malloc((n > 0 ? n : 1) * sizeof *h));
  if (n > 0) memcpy(h, history, n * sizeof *h);
  if (n > 0) qsort(h, n, sizeof *h, by_time);
  size_t groups = (shape.targets + shape.group - 1) / shape.group;
  struct last *target = need(calloc(shape.targets, sizeof *target));
  /* exclusive: on any target of it; shared: whole ones only */
  struct last *group = need(calloc(groups, sizeof *group));
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    struct last *t = &target[h[i].target], *g = &group[h[i].target / shape.group];
    bool whole = is(&h[i], ORACLE_WHOLE), shared = is(&h[i], ORACLE_SHARED);
    ok = !overlaps(h, i, whole ? g->exclusive : t->exclusive) &&
         (shared || (!overlaps(h, i, t->shared) && !overlaps(h, i, g->shared)));
    if (!shared && later(h, i + 1, t->exclusive)) t->exclusive = i + 1;
    if (!shared && later(h, i + 1, g->exclusive)) g->exclusive = i + 1;
    if (shared && !whole && later(h, i + 1, t->shared)) t->shared = i + 1;
    if (shared && whole && later(h, i + 1, g->shared)) g->shared = i + 1;
  }
  free(group);
  free(target);
  free(h);
  return ok;
}

/* -- tickets ----------------------------------------------------------------------------------- */

static bool bad_ticket(const char *what, uint64_t expected, const struct oracle_hold *h) {
  fprintf(stderr, "oracle: %s: expected ticket %" PRIu64 "\n", what, expected);
  print_hold("found", h);
  return false;
}

/* The exclusive holds [0, n) of one target. */
static bool tickets_of(const struct oracle_hold *h, size_t n, bool times) {
  size_t count = 0, seen = 0;
  for (size_t i = 0; i < n; i++) count += !is(&h[i], ORACLE_SHARED);
  bool *drawn = need(calloc(count > 0 ? count : 1, sizeof *drawn)), ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    if (is(&h[i], ORACLE_SHARED)) continue;
    uint64_t ticket = h[i].ticket;
    if (ticket >= count)
      ok = bad_ticket("a ticket that cannot have been drawn", seen, &h[i]);
    else if (drawn[ticket])
      ok = bad_ticket("drawn twice: two were inside, or one did not see what the other wrote", seen,
                      &h[i]);
    else if (times && ticket != seen)
      ok = bad_ticket("out of order", seen, &h[i]);
    if (ok) drawn[ticket] = true;
    seen++;
  }
  free(drawn);
  return ok;
}

bool oracle_tickets(const struct oracle_hold *h, size_t n, struct oracle_shape shape,
                    const uint64_t *finals, bool times) {
  size_t i = 0;
  for (uint32_t t = 0; t < shape.targets; t++) {
    size_t from = i;
    uint64_t exclusive = 0;
    for (; i < n && h[i].target == t; i++) exclusive += !is(&h[i], ORACLE_SHARED);
    if (!tickets_of(&h[from], i - from, times)) return false;
    if (finals[t] == exclusive) continue;
    fprintf(stderr,
            "oracle: the counter of target %u is %" PRIu64 " after %" PRIu64 " exclusive holds\n",
            t, finals[t], exclusive);
    return false;
  }
  return true;
}

/* -- readers, order, progress ------------------------------------------------------------------ */

static int by_value(const void *x, const void *y) {
  const uint64_t *a = x, *b = y;
  return *a < *b ? -1 : *a > *b;
}

uint32_t oracle_readers(const struct oracle_hold *h, size_t n) {
  uint64_t *ends = need(malloc((n > 0 ? n : 1) * sizeof *ends));
  uint32_t most = 0;
  for (size_t i = 0; i < n;) {
    size_t from = i, count = 0, ended = 0;
    for (; i < n && h[i].target == h[from].target; i++)
      if (is(&h[i], ORACLE_SHARED)) ends[count++] = h[i].release_ns;
    qsort(ends, count, sizeof *ends, by_value);
    uint32_t inside = 0;
    for (size_t k = from; k < i; k++) {
      if (!is(&h[k], ORACLE_SHARED)) continue;
      for (; ended < count && ends[ended] <= h[k].acquire_ns && inside > 0; ended++) inside--;
      if (++inside > most) most = inside;
    }
  }
  free(ends);
  return most;
}

/* Counts by rank, in a Fenwick tree: adds one, and asks how many are above. */
static void tree_add(uint32_t *tree, size_t n, size_t rank) {
  for (size_t k = rank + 1; k <= n; k += k & (~k + 1)) tree[k - 1]++;
}
static uint64_t tree_up_to(const uint32_t *tree, size_t count) {
  uint64_t sum = 0;
  for (size_t k = count; k > 0; k -= k & (~k + 1)) sum += tree[k - 1];
  return sum;
}
/* The number of the sorted values that are at most v. */
static size_t rank_of(const uint64_t *sorted, size_t n, uint64_t v) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (sorted[mid] <= v)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/* The holds [0, n) of one target, in the order of acquire. */
static bool bypass_of(const struct oracle_hold *h, size_t n, uint64_t lag_ns, uint64_t bound,
                      uint64_t *most) {
  uint64_t *requests = need(malloc(n * sizeof *requests));
  uint32_t *tree = need(calloc(n, sizeof *tree));
  bool ok = true;
  for (size_t i = 0; i < n; i++) requests[i] = h[i].request_ns;
  qsort(requests, n, sizeof *requests, by_value);
  for (size_t i = 0; ok && i < n; i++) {
    uint64_t overtakers = i - tree_up_to(tree, rank_of(requests, n, h[i].request_ns + lag_ns));
    if (overtakers > *most) *most = overtakers;
    tree_add(tree, n, rank_of(requests, n, h[i].request_ns) - 1);
    if (overtakers <= bound) continue;
    ok = false;
    fprintf(stderr,
            "oracle: %" PRIu64 " who asked more than %" PRIu64
            " ns later entered earlier; allowed are %" PRIu64 "\n",
            overtakers, lag_ns, bound);
    print_hold("overtaken", &h[i]);
    for (size_t k = i; k > 0; k--) {
      if (h[k - 1].request_ns <= h[i].request_ns + lag_ns) continue;
      print_hold("the last to overtake", &h[k - 1]);
      break;
    }
  }
  free(tree);
  free(requests);
  return ok;
}

bool oracle_bypass(const struct oracle_hold *h, size_t n, uint64_t lag_ns, uint64_t bound,
                   uint64_t *most) {
  *most = 0;
  for (size_t i = 0; i < n;) {
    size_t from = i;
    while (i < n && h[i].target == h[from].target) i++;
    if (!bypass_of(&h[from], i - from, lag_ns, bound, most)) return false;
  }
  return true;
}

bool oracle_progress(const struct oracle_hold *h, size_t n, uint64_t bound_ns, uint64_t *longest) {
  *longest = 0;
  const struct oracle_hold *worst = NULL;
  for (size_t i = 0; i < n; i++) {
    uint64_t waited = h[i].acquire_ns - h[i].request_ns;
    if (waited < *longest) continue;
    *longest = waited;
    worst = &h[i];
  }
  if (*longest <= bound_ns) return true;
  fprintf(stderr, "oracle: a wait of %" PRIu64 " ns; allowed are %" PRIu64 "\n", *longest,
          bound_ns);
  print_hold("waited", worst);
  return false;
}

/* -- turns ------------------------------------------------------------------------------------- */

/* True if h[w], which gets the lock later, was certainly in the outermost queue when h[s] got it:
 * it had requested long before, and no unit of its outer domain had just left. */
static bool settled(const struct oracle_hold *h, size_t s, size_t w, struct oracle_turn turn) {
  uint64_t since = h[w].request_ns;
  for (size_t i = s; i > 0; i--) {
    if (h[i - 1].unit / turn.outer != h[w].unit / turn.outer) continue;
    if (h[i - 1].release_ns > since) since = h[i - 1].release_ns;
    break; /* the domain's last holder */
  }
  return since + turn.lag_ns < h[s].acquire_ns;
}

/* A hold of another domain that waits during all of h[s, e); n if there is none. */
static size_t outsider(const struct oracle_hold *h, size_t s, size_t e, size_t n,
                       struct oracle_turn turn) {
  for (size_t w = e; w < n && h[w].target == h[s].target; w++)
    if (h[w].unit / turn.outer != h[s].unit / turn.outer && settled(h, s, w, turn)) return w;
  return n;
}

bool oracle_turns(const struct oracle_hold *h, size_t n, struct oracle_turn turn,
                  uint64_t *longest) {
  *longest = 0;
  for (size_t s = 0, e; s < n; s = e) {
    for (e = s + 1;
         e < n && h[e].target == h[s].target && h[e].unit / turn.units == h[s].unit / turn.units;)
      e++;
    if (e - s <= *longest) continue;
    size_t w = outsider(h, s, e, n, turn);
    if (w == n) continue;
    *longest = e - s;
    if (e - s <= turn.most) continue;
    fprintf(stderr,
            "oracle: %zu in a row of one domain of %u units, while somebody waited elsewhere; "
            "allowed are %" PRIu64 "\n",
            e - s, turn.units, turn.most);
    print_hold("the first", &h[s]);
    print_hold("the last", &h[e - 1]);
    print_hold("who waited", &h[w]);
    return false;
  }
  return true;
}
