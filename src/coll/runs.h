/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h - a block whose bytes lie in runs (eyot_block_t): its check, and copies of pieces of it.
 * For several.c, which has those of all members, gen_vector.c and run.c. */
#ifndef EYOT_COLL_RUNS_H
#define EYOT_COLL_RUNS_H

#include <eyot/coll.h>
#include <stdbool.h>

/* The runs of a block, in as few as there can be: count[] is at least 1 each, and 1 in all if the
 * bytes lie together. Where the first run begins is not a part of it. */
struct eyoti_runs {
  uint64_t run;
  uint64_t count[EYOT_BLOCK_DIMS];
  int64_t stride[EYOT_BLOCK_DIMS];
};

static inline bool eyoti_runs_is_whole(const struct eyoti_runs *s) {
  return s->count[0] == 1 && s->count[1] == 1 && s->count[2] == 1;
}

/* Takes the block of member m. apart: its runs must not overlap. `name`: of the blocks, for
 * messages. *bytes: of all runs; *end: of the last byte in the buffer. Errors (logged): EINVAL:
 * more than memory can hold, before the buffer, runs that overlap. */
int eyoti_runs_make(struct eyoti_runs *s, const eyot_block_t *b, bool apart, const char *name,
                    uint32_t m, uint64_t *bytes, uint64_t *end);

/* Copies bytes from..from+len-1 of a block, whose first run is at `block`, to `packed`, or from
 * there into the block. */
void eyoti_runs_pack(const struct eyoti_runs *s, const char *block, char *packed, uint64_t from,
                     uint64_t len);
void eyoti_runs_unpack(const struct eyoti_runs *s, char *block, const char *packed, uint64_t from,
                       uint64_t len);

/* Copies a block of len bytes to another one; NULL: one whose bytes lie together. If both do, they
 * may overlap. */
void eyoti_runs_move(const struct eyoti_runs *from, const char *in, const struct eyoti_runs *to,
                     char *out, uint64_t len);

/* Calls `each` for every run of a block. */
void eyoti_runs_each(const struct eyoti_runs *s, const char *block,
                     void (*each)(void *arg, const char *run, uint64_t bytes), void *arg);
#endif
