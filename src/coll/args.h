/* SPDX-License-Identifier: BSD-3-Clause */
/* args.h - the arguments of a collective call, their checks and their hash; the agreement that all
 * members made the same call, for EYOT_CHECK. For the files in coll/. */
#ifndef EYOT_COLL_ARGS_H
#define EYOT_COLL_ARGS_H

#include "coll/coll.h"
#include "rma/op.h"

enum eyoti_coll_function {
  EYOTI_COLL_BROADCAST = 1,
  EYOTI_COLL_REDUCE,
  EYOTI_COLL_ALLREDUCE,
  EYOTI_COLL_GATHER,
  EYOTI_COLL_ALLGATHER,
  EYOTI_COLL_ALLTOALL,
  EYOTI_COLL_SCAN,
  EYOTI_COLL_EXSCAN,
  EYOTI_COLL_REDUCE_SCATTER_BLOCK,
  EYOTI_COLL_REDUCE_SCATTER,
  EYOTI_COLL_SCATTER,
  EYOTI_COLL_SCATTERV,
  EYOTI_COLL_GATHERV,
  EYOTI_COLL_ALLGATHERV,
  EYOTI_COLL_COLLECT,
  EYOTI_COLL_ALLTOALLV,
  EYOTI_COLL_ALLTOALLW,
  EYOTI_COLL_ALLTOALL_STRIDED,
  EYOTI_COLL_NEIGHBOR_ALLGATHER,
  EYOTI_COLL_NEIGHBOR_ALLTOALL,
  EYOTI_COLL_NEIGHBOR_ALLGATHERV,
  EYOTI_COLL_NEIGHBOR_ALLTOALLV,
  EYOTI_COLL_GLOBAL_BROADCAST,
  EYOTI_COLL_GLOBAL_SCATTER,
  EYOTI_COLL_GLOBAL_GATHER,
  EYOTI_COLL_GLOBAL_GATHER_ALL,
  EYOTI_COLL_GLOBAL_EXCHANGE,
  EYOTI_COLL_GLOBAL_PERMUTE,
  EYOTI_COLL_GLOBAL_REDUCE,
  EYOTI_COLL_GLOBAL_PREFIX_REDUCE,
  EYOTI_COLL_BARRIER /* in the forms of eyot/coll_nb.h */
};

/* How a call is made. Members must use the same form: each has channels of its own. */
enum eyoti_coll_form { EYOTI_COLL_BLOCKING = 0, EYOTI_COLL_NONBLOCKING, EYOTI_COLL_PERSISTENT };

struct eyoti_runs; /* runs.h */

/* Blocks of several lengths: bytes, and where they begin in a buffer, by member. shape: in which
 * runs the bytes lie; NULL: they lie together. */
struct eyoti_coll_blocks {
  const uint64_t *bytes, *at;
  const struct eyoti_runs *shape;
};

/* The arguments of a call. Those from `bytes` on are the member's own, or follow from the others;
 * fields that a function does not have are 0. */
struct eyoti_coll_args {
  enum eyoti_coll_function function;
  enum eyoti_coll_form form;
  uint32_t root;
  uint32_t sync; /* global.h; 0: none */
  eyot_type_t type;
  eyot_op_t op;
  struct eyoti_combiner combiner; /* of a reduction; of it the token must be equal */
  uint32_t algorithm, radix;      /* enum eyoti_algorithm + 1; 0: there is no choice */
  uint64_t count;                 /* elements of a reduction, bytes of a block in other functions */
  uint64_t direct_from;           /* select.c's own; 0: no direct messages */
  uint64_t bytes;                 /* of a block: the distance of blocks in the buffers */
  uint64_t from;                  /* the first byte of each block that this round moves */
  uint64_t len;                   /* bytes of each block that this round moves, at most `bytes` */
  /* The members' blocks where they have several lengths, of which `bytes` is the longest; NULL:
   * they have not. */
  const struct eyoti_coll_blocks *in, *out;
};

/* Whether a member cannot end a call of the function before all have made it. */
bool eyoti_coll_is_symmetric(enum eyoti_coll_function function);
/* Of a blocking call of this member: enum eyoti_call_words without words, for whom it waits. */
uint32_t eyoti_coll_awaits(enum eyoti_coll_function function, bool is_root);
/* Whether it is one of eyot/coll.h that has a root. */
bool eyoti_coll_has_root(enum eyoti_coll_function function);
#define EYOTI_HASH_LEAST (1u << 24) /* all hashes are greater, and all numbers of chunks not */
/* The hash of what must be equal on all members; not 0. `before`: the hash of what came before. */
uint32_t eyoti_coll_hash(const struct eyoti_coll_args *a, uint32_t before);
/* The hash of several: one more after those before. */
uint32_t eyoti_coll_hash_after(uint32_t hash, uint32_t before);
#define EYOTI_COLL_DIFFERS "members called a collective with different arguments"
#define EYOTI_COLL_TOLD                                                              \
  "another member has found that the members' calls of a collective differ, or its " \
  "arguments were refused, see its log"
/* Logs that the members' calls differ, with this member's arguments, and returns EMISMATCH. */
int eyoti_coll_mismatch(const struct eyoti_team *t, const struct eyoti_coll_args *a,
                        const char *why);
/* The same of a call that does not block: the program's call that has made it, and from where. */
int eyoti_coll_mismatch_of(const char *what, const void *site, const struct eyoti_team *t,
                           const struct eyoti_coll_args *a, const char *why);
/* Adds the arguments to the note of the call that the unit makes (rt/call_note.h); what: the call
 * that made it, of a plan. EMISMATCH: a neighbor in the team has noted another root, and errors end
 * the run; not where the caller's arguments were refused. */
int eyoti_coll_note(struct eyot_rt *rt, const struct eyoti_team *t, const struct eyoti_coll_args *a,
                    const char *what, int refused);
/* The arguments of a call as a note has them, and their words. */
void eyoti_coll_note_args(struct eyoti_call_note *n, const struct eyoti_coll_args *a);
const char *eyoti_coll_noted_words(const struct eyoti_call_note *n, char words[EYOTI_ARGS_WORDS]);
const char *eyoti_coll_name(enum eyoti_coll_function function);

/* EYOT_CHECK: compares the function and the arguments of all members. `refused`: 0, or the (logged)
 * error that this member found in its own: it takes part nevertheless, so that no member waits for
 * it. Returns EMISMATCH on every member if any two are in different functions; else `refused` if
 * not 0; EMISMATCH if any two differ or another member refused; 0 only if it is 0 on all.
 * Collective, and a barrier: on return every member has left the collective before. */
int eyoti_coll_agree(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_args *args,
                     int refused);

/* Checks that several functions share; each logs errors. */
int eyoti_coll_check_root(const struct eyoti_team *t, uint32_t root);
/* Checks that blocks * bytes is a valid size, and that the buffers are not NULL if there are bytes.
 * `recv_needed` false: recv is not used. */
int eyoti_coll_check_buffers(const void *send, const void *recv, bool recv_needed, uint64_t bytes,
                             uint64_t blocks);
/* The same of n elements of `width` bytes. */
int eyoti_coll_check_elements(const void *send, const void *recv, bool recv_needed, uint64_t n,
                              uint64_t width);
#endif
