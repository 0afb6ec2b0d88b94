/* SPDX-License-Identifier: BSD-3-Clause */
/* take_ways.h - what each collective does with blocks that can be taken where they are, for take.c.
 * See take_ways.c. */
#ifndef EYOT_COLL_TAKE_WAYS_H
#define EYOT_COLL_TAKE_WAYS_H

#include "coll/call.h"

/* A buffer of a member; seg FAB_SEG_MAX: nobody else can reach it. */
struct eyoti_take_place {
  uint64_t seg, off;
};
struct eyoti_take_offer {
  struct eyoti_take_place in, out;
};

/* A call whose blocks are taken. */
struct eyoti_taking {
  struct eyot_rt *rt;
  const struct eyoti_team *t;
  const struct eyoti_coll_call *c;
  const struct eyoti_take_offer *all; /* by member */
  char *memory; /* of the bytes that the way asks for; NULL: nothing is taken */
};

/* Whose buffers others reach. */
enum eyoti_take_whose { EYOTI_TAKE_NONE = 0, EYOTI_TAKE_ROOT, EYOTI_TAKE_OTHERS, EYOTI_TAKE_ALL };

static inline bool eyoti_take_is_of(const struct eyoti_coll_call *c, enum eyoti_take_whose whose,
                                    uint32_t member) {
  bool root = member == c->args.root;
  return whose == EYOTI_TAKE_ALL || whose == (root ? EYOTI_TAKE_ROOT : EYOTI_TAKE_OTHERS);
}

struct eyoti_take_way {
  enum eyoti_take_whose in, out;
  bool in_each, out_each; /* the buffer has a block for each member */
  /* The caller's share of the copies, complete here and at others when it returns; all meet
   * afterwards. Errors: the fabric's. */
  int (*copy)(const struct eyoti_taking *x);
  bool combines; /* with memory for operands */
};

/* NULL: blocks of the function are not taken. */
const struct eyoti_take_way *eyoti_take_way(enum eyoti_coll_function function);
/* Bytes that a member needs for the way. */
uint64_t eyoti_take_memory(const struct eyoti_take_way *w, const struct eyoti_coll_args *a,
                           uint32_t size);
#endif
