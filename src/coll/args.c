/* SPDX-License-Identifier: BSD-3-Clause */
/* args.c - the checks of a collective's arguments, and their hash (args.h).
 *
 * Agreement: members reduce the maximum of a hash of their arguments, and the maximum of its
 * complement: the two results are complements of each other only if all hashes are equal. Every
 * member thus learns of a mismatch in log2(p) rounds, before any data is transferred. */
#include "coll/args.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/wording.h"
#include "coll/choose.h"
#include "coll/line.h"
#include "rma/op.h"
#include "teams/compare.h"
#include "teams/teams.h"

const char *eyoti_coll_name(enum eyoti_coll_function function) {
  static const char *const NAMES[] = {
      [EYOTI_COLL_BROADCAST] = "eyot_broadcast",
      [EYOTI_COLL_REDUCE] = "eyot_reduce",
      [EYOTI_COLL_ALLREDUCE] = "eyot_allreduce",
      [EYOTI_COLL_GATHER] = "eyot_gather",
      [EYOTI_COLL_ALLGATHER] = "eyot_allgather",
      [EYOTI_COLL_ALLTOALL] = "eyot_alltoall",
      [EYOTI_COLL_SCAN] = "eyot_scan",
      [EYOTI_COLL_EXSCAN] = "eyot_exscan",
      [EYOTI_COLL_REDUCE_SCATTER_BLOCK] = "eyot_reduce_scatter_block",
      [EYOTI_COLL_REDUCE_SCATTER] = "eyot_reduce_scatter",
      [EYOTI_COLL_SCATTER] = "eyot_scatter",
      [EYOTI_COLL_SCATTERV] = "eyot_scatterv",
      [EYOTI_COLL_GATHERV] = "eyot_gatherv",
      [EYOTI_COLL_ALLGATHERV] = "eyot_allgatherv",
      [EYOTI_COLL_COLLECT] = "eyot_collect",
      [EYOTI_COLL_ALLTOALLV] = "eyot_alltoallv",
      [EYOTI_COLL_ALLTOALLW] = "eyot_alltoallw",
      [EYOTI_COLL_ALLTOALL_STRIDED] = "eyot_alltoall_strided",
      [EYOTI_COLL_NEIGHBOR_ALLGATHER] = "eyot_neighbor_allgather",
      [EYOTI_COLL_NEIGHBOR_ALLTOALL] = "eyot_neighbor_alltoall",
      [EYOTI_COLL_NEIGHBOR_ALLGATHERV] = "eyot_neighbor_allgatherv",
      [EYOTI_COLL_NEIGHBOR_ALLTOALLV] = "eyot_neighbor_alltoallv",
      [EYOTI_COLL_GLOBAL_BROADCAST] = "eyot_global_broadcast",
      [EYOTI_COLL_GLOBAL_SCATTER] = "eyot_global_scatter",
      [EYOTI_COLL_GLOBAL_GATHER] = "eyot_global_gather",
      [EYOTI_COLL_GLOBAL_GATHER_ALL] = "eyot_global_gather_all",
      [EYOTI_COLL_GLOBAL_EXCHANGE] = "eyot_global_exchange",
      [EYOTI_COLL_GLOBAL_PERMUTE] = "eyot_global_permute",
      [EYOTI_COLL_GLOBAL_REDUCE] = "eyot_global_reduce",
      [EYOTI_COLL_GLOBAL_PREFIX_REDUCE] = "eyot_global_prefix_reduce",
      [EYOTI_COLL_BARRIER] = "eyot_barrier"};
  bool known = (unsigned)function < sizeof NAMES / sizeof NAMES[0] && NAMES[function] != NULL;
  return known ? NAMES[function] : "?";
}

static uint64_t hash_args(const struct eyoti_coll_args *a, uint64_t before) {
  const uint64_t words[] = {
      (uint64_t)a->function, (uint64_t)a->form, a->root,
      a->combiner.token,     a->count,          (uint64_t)a->algorithm << 32 | a->radix};
  uint64_t h = before;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) h = eyoti_hash_mix(h, words[i]);
  return a->sync != 0 ? eyoti_hash_mix(h, a->sync) : h;
}

static uint32_t fold(uint64_t h) {
  for (;;) {
    uint32_t folded = (uint32_t)(h >> 32) ^ (uint32_t)h;
    if (folded > EYOTI_HASH_LEAST) return folded;
    h = eyoti_hash_mix(h, 1);
  }
}

uint32_t eyoti_coll_hash(const struct eyoti_coll_args *a, uint32_t before) {
  return fold(hash_args(a, before));
}

uint32_t eyoti_coll_hash_after(uint32_t hash, uint32_t before) {
  return fold(eyoti_hash_mix(before, hash));
}

/* Blocks of functions with lengths may be empty. */
uint32_t eyoti_coll_awaits(enum eyoti_coll_function function, bool is_root) {
  if (eyoti_coll_is_symmetric(function)) return EYOTI_WORDS_ALL;
  if (function == EYOTI_COLL_REDUCE || function == EYOTI_COLL_GATHER)
    return is_root ? EYOTI_WORDS_ALL : 0;
  if (function == EYOTI_COLL_BROADCAST || function == EYOTI_COLL_SCATTER)
    return is_root ? 0 : EYOTI_WORDS_ROOT;
  return 0;
}

bool eyoti_coll_has_root(enum eyoti_coll_function function) {
  return function == EYOTI_COLL_BROADCAST || function == EYOTI_COLL_REDUCE ||
         function == EYOTI_COLL_GATHER || function == EYOTI_COLL_SCATTER ||
         function == EYOTI_COLL_GATHERV || function == EYOTI_COLL_SCATTERV;
}

static bool has_root(enum eyoti_coll_function function) {
  return eyoti_coll_has_root(function) || function == EYOTI_COLL_GLOBAL_BROADCAST ||
         function == EYOTI_COLL_GLOBAL_SCATTER || function == EYOTI_COLL_GLOBAL_GATHER ||
         function == EYOTI_COLL_GLOBAL_REDUCE;
}

static bool combines(enum eyoti_coll_function function) {
  switch (function) {
    case EYOTI_COLL_REDUCE:
    case EYOTI_COLL_ALLREDUCE:
    case EYOTI_COLL_SCAN:
    case EYOTI_COLL_EXSCAN:
    case EYOTI_COLL_REDUCE_SCATTER_BLOCK:
    case EYOTI_COLL_REDUCE_SCATTER:
    case EYOTI_COLL_GLOBAL_REDUCE:
    case EYOTI_COLL_GLOBAL_PREFIX_REDUCE:
      return true;
    default:
      return false;
  }
}

/* Whether `count` is a number that the program has passed, and not a hash of several. */
static bool counts(enum eyoti_coll_function function) {
  switch (function) {
    case EYOTI_COLL_REDUCE_SCATTER:
    case EYOTI_COLL_SCATTERV:
    case EYOTI_COLL_GATHERV:
    case EYOTI_COLL_ALLGATHERV:
    case EYOTI_COLL_COLLECT:
    case EYOTI_COLL_ALLTOALLV:
    case EYOTI_COLL_ALLTOALLW:
    case EYOTI_COLL_GLOBAL_REDUCE:
    case EYOTI_COLL_GLOBAL_PREFIX_REDUCE:
    case EYOTI_COLL_BARRIER:
      return false;
    default:
      return true;
  }
}

/* Appends one of the words to the n characters that are there; returns how many there are then. */
__attribute__((format(printf, 3, 4))) static size_t add_word(char words[EYOTI_ARGS_WORDS], size_t n,
                                                             const char *fmt, ...) {
  va_list ap;
  n += (size_t)snprintf(words + n, EYOTI_ARGS_WORDS - n, "%s", n == 0 ? " with " : ", ");
  va_start(ap, fmt);
  int more = n < EYOTI_ARGS_WORDS ? vsnprintf(words + n, EYOTI_ARGS_WORDS - n, fmt, ap) : 0;
  va_end(ap);
  n += more > 0 ? (size_t)more : 0;
  return n < EYOTI_ARGS_WORDS ? n : EYOTI_ARGS_WORDS - 1;
}

/* " with root 0, type UINT64, operator SUM, 2 elements, algorithm doubling": of these what the
 * function has. */
static const char *args_words(const struct eyoti_coll_args *a, char words[EYOTI_ARGS_WORDS]) {
  size_t n = 0;
  bool of_elements = combines(a->function);
  char kind[48] = ""; /* of an operator of the program */
  words[0] = 0;
  if (has_root(a->function)) n = add_word(words, n, "root %u", a->root);
  if (a->combiner.builtin == NULL && a->combiner.width > 0)
    snprintf(kind, sizeof kind, " (%u bytes, %scommutative)", a->combiner.width,
             a->combiner.commutative ? "" : "not ");
  if (of_elements)
    n = add_word(words, n, "type %s, operator %s%s", EYOTI_WORDED(eyoti_type_name(a->type)),
                 EYOTI_WORDED(eyoti_op_name(a->op)), kind);
  if (counts(a->function))
    n = add_word(words, n, "%" PRIu64 " %s", a->count, of_elements ? "elements" : "bytes");
  else if (a->count != 0)
    n = add_word(
        words, n, "%s of hash %08x",
        a->function == EYOTI_COLL_REDUCE_SCATTER || !of_elements ? "lengths" : "n and block",
        fold(a->count));
  if (a->sync != 0) n = add_word(words, n, "mode %#x", a->sync);
  if (a->algorithm != 0)
    n = add_word(words, n, "algorithm %s",
                 eyoti_algorithm_name((enum eyoti_algorithm)(a->algorithm - 1)));
  if (a->radix > 0) n += (size_t)snprintf(words + n, EYOTI_ARGS_WORDS - n, " (k=%u)", a->radix);
  if (a->form != EYOTI_COLL_BLOCKING && n < EYOTI_ARGS_WORDS)
    snprintf(words + n, EYOTI_ARGS_WORDS - n, ", %s",
             a->form == EYOTI_COLL_PERSISTENT ? "as a plan" : "not blocking");
  return words;
}

/* The same of a call that was noted. */
const char *eyoti_coll_noted_words(const struct eyoti_call_note *n, char words[EYOTI_ARGS_WORDS]) {
  const struct eyoti_coll_args a = {.function = (enum eyoti_coll_function)n->function,
                                    .form = (enum eyoti_coll_form)n->form,
                                    .root = n->root,
                                    .sync = n->sync,
                                    .type = (eyot_type_t)n->type,
                                    .op = (eyot_op_t)n->op,
                                    .combiner = {.width = n->width, .commutative = n->commutative},
                                    .algorithm = n->algorithm,
                                    .radix = n->radix,
                                    .count = n->count};
  char args[EYOTI_ARGS_WORDS];
  if (a.form != EYOTI_COLL_PERSISTENT) return args_words(&a, words);
  snprintf(words, EYOTI_ARGS_WORDS, " of %s%s", n->of != NULL ? n->of : eyoti_coll_name(a.function),
           args_words(&a, args));
  return words;
}

/* NULL, or what differs in that member's note of the caller's last call. */
static const char *note_differs(const struct eyot_rt *rt, const struct eyoti_team *t,
                                uint32_t index) {
  const struct eyoti_call_note *mine = &rt->calls.call[(rt->calls.n - 1) % EYOTI_CALLS_NOTED];
  const struct eyoti_call_notes *others = rt->calls_of(rt, eyoti_team_unit(t, index));
  for (uint32_t i = 0; i < EYOTI_CALLS_NOTED; i++) {
    const struct eyoti_call_note *n = &others->call[i];
    if (n->team != mine->team || n->set != mine->set || n->number != mine->number) continue;
    if (n->words == NULL) return NULL;
    if (n->function != mine->function) return "members called different collectives";
    return n->root != mine->root ? "members called a collective with different roots" : NULL;
  }
  return NULL;
}

/* Each member looks at two others, so that the last one of a pair finds what differs at once: a
 * call that is no barrier ends on its sender before a message could tell. */
static const char *notes_differ(const struct eyot_rt *rt, const struct eyoti_team *t) {
  if (rt->calls_of == NULL || t->size == 1) return NULL;
  const char *why = note_differs(rt, t, (t->me + 1) % t->size);
  return why != NULL ? why : note_differs(rt, t, (t->me + t->size - 1) % t->size);
}

void eyoti_coll_note_args(struct eyoti_call_note *n, const struct eyoti_coll_args *a) {
  n->words = eyoti_coll_noted_words;
  n->function = a->function;
  n->form = a->form;
  n->root = a->root;
  n->sync = a->sync;
  n->type = a->type;
  n->op = (uint32_t)a->op;
  n->width = a->combiner.builtin == NULL ? a->combiner.width : 0;
  n->commutative = a->combiner.commutative;
  n->algorithm = a->algorithm;
  n->radix = a->radix;
  n->count = a->count;
}

int eyoti_coll_note(struct eyot_rt *rt, const struct eyoti_team *t, const struct eyoti_coll_args *a,
                    const char *what, int refused) {
  if (rt->outer_site != NULL || rt->calls.n == 0) return EYOT_OK;
  struct eyoti_call_note *n = eyoti_call_noted(&rt->calls);
  eyoti_coll_note_args(n, a);
  n->of = eyoti_rt_marked(rt) != NULL ? what : NULL;
  if (refused != EYOT_OK || eyoti_coll_is_symmetric(a->function) || !rt->errors_abort)
    return EYOT_OK;
  const char *why = notes_differ(rt, t);
  return why != NULL ? eyoti_coll_mismatch(t, a, why) : EYOT_OK;
}

/* name: of the member's call. */
static int mismatch(const struct eyoti_team *t, const struct eyoti_coll_args *a, const char *name,
                    const char *why) {
  char words[EYOTI_ARGS_WORDS];
  return EYOTI_FAIL(EYOT_EMISMATCH, "%s; member %u of %s (%u members) called %s%s", why, t->me,
                    EYOTI_TEAM_WORDS(t), t->size, name, args_words(a, words));
}

int eyoti_coll_mismatch(const struct eyoti_team *t, const struct eyoti_coll_args *a,
                        const char *why) {
  const char *marked = eyoti_rt_marked(eyot_current); /* an interface's call */
  return mismatch(t, a, marked != NULL ? marked : eyoti_coll_name(a->function), why);
}

/* Found while a call runs that does not wait for it, it is reported as of the call that made it. */
int eyoti_coll_mismatch_of(const char *what, const void *site, const struct eyoti_team *t,
                           const struct eyoti_coll_args *a, const char *why) {
  struct eyot_rt *rt = eyot_current;
  if (what == NULL) return eyoti_coll_mismatch(t, a, why);
  if (eyoti_rt_marked(rt) != NULL) return mismatch(t, a, what, why);
  const struct eyoti_nest nest = {rt->fab->note.what, rt->outer_what, rt->site, rt->outer_site};
  const char *now = rt->fab->note.what; /* as coll/line.c names what goes on inside a call */
  if (now == EYOTI_LINE_WHAT || now == eyoti_coll_name(a->function)) {
    rt->fab->note.what = what;
    rt->outer_what = NULL;
    rt->outer_site = NULL;
    rt->site = site;
  }
  int rc = mismatch(t, a, eyoti_coll_name(a->function), why);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

int eyoti_coll_agree(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_args *args,
                     int refused) {
  struct eyoti_compared c;
  bool differ;
  int rc = eyoti_compare_quietly(rt->fab, &t->ctl,
                                 (enum eyoti_compare_in)(EYOTI_IN_COLL + (int)args->function),
                                 hash_args(args, 0), refused, &c, &differ);
  if (differ) return eyoti_coll_mismatch(t, args, EYOTI_COLL_DIFFERS);
  if (rc != EYOT_OK || refused != EYOT_OK) return rc != EYOT_OK ? rc : refused;
  if (!c.same) return eyoti_coll_mismatch(t, args, EYOTI_COLL_DIFFERS);
  if (c.error != EYOT_OK)
    return eyoti_coll_mismatch(t, args, "another member's arguments were refused, see its log");
  return EYOT_OK;
}

bool eyoti_coll_is_symmetric(enum eyoti_coll_function function) {
  switch (function) {
    case EYOTI_COLL_ALLREDUCE:
    case EYOTI_COLL_ALLGATHER:
    case EYOTI_COLL_ALLTOALL:
    case EYOTI_COLL_REDUCE_SCATTER_BLOCK:
    case EYOTI_COLL_REDUCE_SCATTER:
    case EYOTI_COLL_ALLGATHERV:
    case EYOTI_COLL_COLLECT:
    case EYOTI_COLL_ALLTOALLV:
    case EYOTI_COLL_ALLTOALLW:
    case EYOTI_COLL_ALLTOALL_STRIDED:
    case EYOTI_COLL_BARRIER:
      return true;
    default:
      return false;
  }
}

int eyoti_coll_check_root(const struct eyoti_team *t, uint32_t root) {
  if (root < t->size) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EUNIT, "root %u is not in %s, expected 0..%u", root, EYOTI_TEAM_WORDS(t),
                    t->size - 1);
}

int eyoti_coll_check_buffers(const void *send, const void *recv, bool recv_needed, uint64_t bytes,
                             uint64_t blocks) {
  uint64_t total;
  if (__builtin_mul_overflow(bytes, blocks, &total) || total > EYOTI_COLL_BYTES_MOST)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%" PRIu64 " blocks of %" PRIu64 " bytes are more than memory can hold",
                      blocks, bytes);
  if (bytes > 0 && send == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the buffer to send is NULL, expected %" PRIu64 " bytes", bytes);
  if (bytes > 0 && recv_needed && recv == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the buffer to receive is NULL, expected %" PRIu64 " bytes",
                      total);
  return EYOT_OK;
}

int eyoti_coll_check_elements(const void *send, const void *recv, bool recv_needed, uint64_t n,
                              uint64_t width) {
  uint64_t bytes;
  if (__builtin_mul_overflow(n, width, &bytes) || bytes > EYOTI_COLL_BYTES_MOST)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%" PRIu64 " elements of %" PRIu64 " bytes are more than memory can hold", n,
                      width);
  return eyoti_coll_check_buffers(send, recv, recv_needed, bytes, 1);
}
