/* SPDX-License-Identifier: BSD-3-Clause */
/* workers.h - threads of the process that take parts of a loop from the thread that runs it.
 *
 * The caller works too, and never waits for a worker that has not begun: who is idle takes some of
 * the items that are left, and a worker that wakes late finds none. Workers sleep between two
 * loops, call nothing of eyot's and nothing of MPI's, and have all signals blocked but those of
 * their own mistakes. Thread rule: one thread at a time makes, uses and deletes a pool; in a child
 * of fork it must not be used. */
#ifndef EYOT_BASE_WORKERS_H
#define EYOT_BASE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#define EYOTI_WORKERS_MOST 63u
#define EYOTI_WORKERS_AWAKE_NS 20000u /* a worker looks for the next loop so long, then sleeps */

struct eyoti_workers;

/* Does items from .. to - 1; from several threads at once, each item once. */
typedef void eyoti_workers_fn(void *arg, uint64_t from, uint64_t to);

/* A pool of up to n workers, 1 .. EYOTI_WORKERS_MOST: fewer where the system gives no more threads.
 * NULL (logged as information): there is no memory, or no thread. */
struct eyoti_workers *eyoti_workers_new(uint32_t n);
/* The workers that were made; 0 for NULL. */
uint32_t eyoti_workers_count(const struct eyoti_workers *w);
/* Does all items, by the caller and the workers; what they have written is seen by the caller. NULL
 * works: by the caller. brief: it takes less time than a worker that sleeps needs to wake; then it
 * is shared only if another has ended so shortly before that workers are awake, or worth waking for
 * those that will follow. */
void eyoti_workers_run(struct eyoti_workers *w, eyoti_workers_fn *fn, void *arg, uint64_t items,
                       bool brief);
/* Items that workers have done so far; for tests and figures. */
uint64_t eyoti_workers_done(struct eyoti_workers *w);
/* Ends the threads, and frees the pool; NULL: nothing. */
void eyoti_workers_delete(struct eyoti_workers *w);
#endif
