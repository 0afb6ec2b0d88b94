/* SPDX-License-Identifier: BSD-3-Clause */
/* dpor_clocks.c - happened-before of the exhaustive search (dpor.h): the last accesses of each
 * word, vector clocks of steps, and polls in vain.
 *
 * Source: Mattern: Virtual time and global states of distributed systems, 1989; Flanagan,
 * Godefroid: Dynamic partial-order reduction for model checking software, POPL 2005, section 4. */

/* Two steps of a run have to stay in their order if one happened before the other: steps of one
 * process, a write and another access of the same word, a step and the first one of a process that
 * it created or enabled, and whatever follows from these. The vector clock of a step says so: for
 * each process, the last step of that process that happened before. Two steps are in a race if
 * nothing but themselves orders them: they are dependent, and there is no third step between them
 * in that order.
 *
 * Pollers that wait in vain. A step of a process that polls, writes nothing, enables no process,
 * and reads only words that the process has read before and that were not written since, has
 * changed nothing. The process is held: it is not offered again before one of the words that it has
 * read is written, unless all others wait in vain too. In fair stateless model checking (Musuvathi,
 * Qadeer: Fair stateless model checking, PLDI 2008) a thread that yields waits until others have
 * had their turn; since the words that a poller reads are known, this is the same without loss, as
 * long as the program does not count its polls. A held process is like a disabled one, and the
 * write that releases it like a step that enables it. A process that reads nothing is held until
 * another process has taken a step. */
#include <string.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/strategy/dpor.h"

#define HASH_FIRST 256u

static uint32_t dpor_hash_of(uint64_t id) {
  id = (id ^ (id >> 31)) * 0x9e3779b97f4a7c15u;
  return (uint32_t)(id >> 32);
}

static void hash_put(struct chk_dpor_array *hash, uint64_t id, uint32_t index) {
  uint32_t *table = hash->at;
  uint32_t i = dpor_hash_of(id) & (hash->n - 1);
  while (table[i] != 0) i = (i + 1) & (hash->n - 1);
  table[i] = index + 1;
}

static void hash_grow(struct chk_dpor *d) {
  uint32_t n = d->hash.n == 0 ? HASH_FIRST : 2 * d->hash.n;
  EYOTI_ASSERT(n != 0);
  d->hash.n = 0;
  chk_dpor_array_add(&d->hash, n, sizeof(uint32_t));
  memset(d->hash.at, 0, n * sizeof(uint32_t));
  for (uint32_t i = 0; i < d->words.n; i++) hash_put(&d->hash, chk_dpor_word(d, i)->id, i);
}

/* The index of the word, which stays the same from run to run. */
static uint32_t dpor_word_of(struct chk_dpor *d, uint64_t id) {
  if (d->hash.n == 0) hash_grow(d);
  const uint32_t *table = d->hash.at;
  for (uint32_t i = dpor_hash_of(id) & (d->hash.n - 1); table[i] != 0;
       i = (i + 1) & (d->hash.n - 1))
    if (chk_dpor_word(d, table[i] - 1)->id == id) return table[i] - 1;
  struct chk_dpor_word *added = chk_dpor_array_add(&d->words, 1, sizeof *added);
  *added = (struct chk_dpor_word){.id = id};
  if (2 * d->words.n > d->hash.n)
    hash_grow(d);
  else
    hash_put(&d->hash, id, d->words.n - 1);
  return d->words.n - 1;
}

struct chk_dpor_process *chk_dpor_meet(struct chk_dpor *d, uint32_t who) {
  EYOTI_ASSERT(who != CHK_DPOR_NONE);
  if (who >= d->n_processes) d->n_processes = who + 1;
  if (who >= d->processes.n) {
    uint32_t n = who + 1 - d->processes.n;
    memset(chk_dpor_array_add(&d->processes, n, sizeof(struct chk_dpor_process)), 0,
           n * sizeof(struct chk_dpor_process));
  }
  return chk_dpor_process(d, who);
}

/* The process, which the last step of the stack is about to change. */
static struct chk_dpor_process *dpor_change(struct chk_dpor *d, uint32_t who) {
  struct chk_dpor_process *process = chk_dpor_meet(d, who);
  struct chk_dpor_undo *undo = chk_dpor_array_add(&d->undo, 1, sizeof *undo);
  *undo = (struct chk_dpor_undo){who, *process};
  return process;
}

static void add_candidate(struct chk_dpor *d, uint32_t step) {
  uint32_t *added = chk_dpor_array_add(&d->candidates, 1, sizeof *added);
  *added = step;
}

/* Passes the processes that read the word before this write: the write may race with them, and they
 * are no longer held. */
static void pass_readers(struct chk_dpor *d, const struct chk_dpor_word *word, uint32_t step,
                         uint32_t who) {
  for (uint32_t r = word->reads; r != 0; r = chk_dpor_access(d, r - 1)->old_reads) {
    uint32_t reader = chk_dpor_access(d, r - 1)->step, by = chk_dpor_node(d, reader)->who;
    if (by == who) continue;
    if (d->reduce) add_candidate(d, reader);
    if (chk_dpor_process(d, by)->held != CHK_DPOR_UNTIL_WRITTEN) continue;
    struct chk_dpor_process *process = dpor_change(d, by);
    process->held = 0;
    process->waker = step + 1;
  }
}

/* True if the process has read the word since it was last written. */
static bool has_read(const struct chk_dpor *d, const struct chk_dpor_word *word, uint32_t who) {
  for (uint32_t r = word->reads; r != 0; r = chk_dpor_access(d, r - 1)->old_reads)
    if (chk_dpor_node(d, chk_dpor_access(d, r - 1)->step)->who == who) return true;
  return false;
}

/* Records one access of the current step; each word counts once in a step, as written if it is
 * written at all. True: a process that read the word before has learned nothing new. */
static bool dpor_touch(struct chk_dpor *d, uint32_t step, uint32_t who,
                       const struct chk_access *told) {
  uint32_t index = dpor_word_of(d, told->word);
  struct chk_dpor_word *word = chk_dpor_word(d, index);
  if (word->write == step + 1) return false;
  struct chk_dpor_access *access = word->reads != 0 ? chk_dpor_access(d, word->reads - 1) : NULL;
  if (access != NULL && access->step == step) {
    if (!told->write) return true;
    word->reads = access->old_reads; /* first read, then written */
  } else {
    access = chk_dpor_array_add(&d->accesses, 1, sizeof *access);
  }
  bool old = !told->write && has_read(d, word, who);
  *access = (struct chk_dpor_access){.word = index,
                                     .step = step,
                                     .old_write = word->write,
                                     .old_reads = word->reads,
                                     .write = told->write};
  if (d->reduce && word->write != 0) add_candidate(d, word->write - 1);
  if (told->write) {
    pass_readers(d, word, step, who);
    word->write = step + 1;
    word->reads = 0;
  } else {
    word->reads = (uint32_t)(access - chk_dpor_access(d, 0)) + 1;
  }
  return old;
}

/* Sorts the latest step first: what lies between two dependent steps is then known before the
 * earlier one is examined. */
static void sort_candidates(struct chk_dpor *d) {
  uint32_t *at = d->candidates.at;
  for (uint32_t i = 1; i < d->candidates.n; i++) {
    uint32_t value = at[i], k = i;
    for (; k > 0 && at[k - 1] < value; k--) at[k] = at[k - 1];
    at[k] = value;
  }
}

/* Computes the clock of the last step of the stack: that of the process's step before, joined with
 * those of the steps it depends on. Each of these that is not yet in the clock when its turn comes
 * races with this step. */
static void join_clocks(struct chk_dpor *d, uint32_t step) {
  struct chk_dpor_node *node = chk_dpor_node(d, step);
  node->clock = d->clocks.n;
  node->n_clock = d->n_processes;
  chk_dpor_array_add(&d->clocks, node->n_clock, sizeof(uint32_t));
  uint32_t *clock = chk_dpor_clock(d, node->clock), known = 0;
  if (node->before != 0) {
    const struct chk_dpor_node *before = chk_dpor_node(d, node->before - 1);
    known = before->n_clock;
    memcpy(clock, chk_dpor_clock(d, before->clock), known * sizeof *clock);
  }
  memset(clock + known, 0, (node->n_clock - known) * sizeof *clock);
  sort_candidates(d);
  d->races.n = 0;
  const uint32_t *candidates = d->candidates.at;
  for (uint32_t i = 0; i < d->candidates.n; i++) {
    const struct chk_dpor_node *other = chk_dpor_node(d, candidates[i]);
    if (clock[other->who] > candidates[i]) continue;
    uint32_t *race = chk_dpor_array_add(&d->races, 1, sizeof *race);
    *race = candidates[i];
    const uint32_t *theirs = chk_dpor_clock(d, other->clock);
    for (uint32_t k = 0; k < other->n_clock; k++)
      if (clock[k] < theirs[k]) clock[k] = theirs[k];
  }
  clock[node->who] = step + 1;
}

/* The hold of a process after a step, if it offers to poll next. A pause in a loop of polls
 * accesses nothing, and leaves the hold as it was. */
static uint32_t held_after(uint32_t held, bool polls, bool nothing_new, bool looked) {
  if (!nothing_new) return 0;
  if (!looked && held != 0) return held;
  if (!polls) return 0;
  return looked ? CHK_DPOR_UNTIL_WRITTEN : CHK_DPOR_UNTIL_OTHERS;
}

/* The step enables the process, or creates it if it is not one of the first n, which existed
 * before. */
static void let_go(struct chk_dpor *d, uint32_t who, uint32_t step, uint32_t n) {
  struct chk_dpor_process *process = dpor_change(d, who);
  process->waker = step + 1;
  if (who >= n && process->creator == 0) process->creator = step + 1;
}

void chk_dpor_record(struct chk_dpor *d, const struct chk_step *told, uint64_t digest) {
  uint32_t step = d->nodes.n - 1;
  struct chk_dpor_node *node = chk_dpor_node(d, step);
  const struct chk_dpor_process *process = chk_dpor_process(d, told->who);
  node->before = process->last;
  node->creator = process->creator;
  node->waker = process->waker;
  node->digest = digest;
  node->accesses = d->accesses.n;
  node->undo = d->undo.n;
  d->candidates.n = 0;
  if (d->reduce && node->before == 0 && node->creator != 0) add_candidate(d, node->creator - 1);
  if (d->reduce && node->waker != 0) add_candidate(d, node->waker - 1);
  bool nothing_new = true;
  for (uint32_t i = 0; i < told->n_accesses; i++)
    nothing_new = dpor_touch(d, step, told->who, &told->accesses[i]) && nothing_new;
  node->n_accesses = d->accesses.n - node->accesses;
  uint32_t woken = 0;
  for (uint32_t i = 0; i < told->n_woke; i++) {
    /* offered before: usually the process of the step itself */
    if (chk_dpor_find(d, node, told->woke[i]) != CHK_DPOR_NONE) continue;
    let_go(d, told->woke[i], step, node->n_processes);
    woken++;
  }
  bool polls = (chk_dpor_offer(d, node->offers + node->chosen)->flags & CHK_DPOR_YIELDS) != 0;
  struct chk_dpor_process *own = dpor_change(d, told->who);
  own->last = step + 1;
  own->waker = 0;
  own->held = held_after(own->held, polls, nothing_new && woken == 0, node->n_accesses > 0);
  node->stepped = true;
  if (d->reduce) join_clocks(d, step);
}

void chk_dpor_note_woken(struct chk_dpor *d, const struct chk_dpor_node *node) {
  uint32_t step = d->nodes.n - 2;
  const struct chk_dpor_node *before = chk_dpor_node(d, step);
  for (uint32_t i = 0; i < before->n_offers; i++)
    chk_dpor_process(d, chk_dpor_offer(d, before->offers + i)->who)->slot = i;
  for (uint32_t i = 0; i < node->n_offers; i++) {
    uint32_t who = chk_dpor_offer(d, node->offers + i)->who;
    const struct chk_dpor_process *process = chk_dpor_process(d, who);
    bool was_offered = process->slot < before->n_offers &&
                       chk_dpor_offer(d, before->offers + process->slot)->who == who;
    if (!was_offered && process->last != step + 1 && process->waker != step + 1)
      let_go(d, who, step, before->n_processes);
  }
}

void chk_dpor_unrecord(struct chk_dpor *d, struct chk_dpor_node *node) {
  while (d->accesses.n > node->accesses) {
    const struct chk_dpor_access *access = chk_dpor_access(d, --d->accesses.n);
    struct chk_dpor_word *word = chk_dpor_word(d, access->word);
    word->write = access->old_write;
    word->reads = access->old_reads;
  }
  while (d->undo.n > node->undo) {
    const struct chk_dpor_undo *undo = (const struct chk_dpor_undo *)d->undo.at + --d->undo.n;
    *chk_dpor_process(d, undo->who) = undo->old;
  }
  if (d->reduce) d->clocks.n = node->clock;
  d->n_processes = node->n_processes;
  node->stepped = false;
}
