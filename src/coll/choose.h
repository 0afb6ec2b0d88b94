/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.h - which algorithm a collective takes: what each would cost by the fabric's model, and
 * what the user's rules (EYOT_COLL) say. Pure functions of their arguments, in integers, so that
 * all members choose alike and every run the same; for select.c and eyot-info.
 *
 * A rule overrides the model. Rules: FUNCTION:FROM-TO:ALGORITHM, separated by '#', where FROM and
 * TO are bytes (with k or m; TO may be missing: no end), and ALGORITHM may be followed by (k=RADIX)
 * where it has a radix: allreduce:0-4k:multi(k=53)#broadcast:64-:binomial. A machine file has such
 * rules too, one a line; they come after those of EYOT_COLL. */
#ifndef EYOT_COLL_CHOOSE_H
#define EYOT_COLL_CHOOSE_H

#include <eyot/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "fabric/model.h"

/* Functions. Those up to ALLTOALL are asked for when a plan is made, for the bytes of its round;
 * the others for those of the whole call. */
enum eyoti_chosen {
  EYOTI_CHOSEN_BROADCAST = 0,
  EYOTI_CHOSEN_REDUCE,
  EYOTI_CHOSEN_ALLREDUCE,
  EYOTI_CHOSEN_ALLGATHER,
  EYOTI_CHOSEN_ALLTOALL,
  EYOTI_CHOSEN_GATHER,
  EYOTI_CHOSEN_GATHERV,
  EYOTI_CHOSEN_SCATTER,
  EYOTI_CHOSEN_SCATTERV,
  EYOTI_CHOSEN_ALLGATHERV,
  EYOTI_CHOSEN_COLLECT,
  EYOTI_CHOSEN_ALLTOALLV,
  EYOTI_CHOSEN_ALLTOALLW,
  EYOTI_CHOSEN_ALLTOALL_STRIDED,
  EYOTI_CHOSEN_REDUCE_SCATTER,
  EYOTI_CHOSEN_REDUCE_SCATTER_BLOCK,
  EYOTI_CHOSEN_SCAN,
  EYOTI_CHOSEN_EXSCAN,
  EYOTI_CHOSEN_COUNT
};
enum eyoti_algorithm {
  EYOTI_BINOMIAL = 0,
  EYOTI_DOUBLING,
  EYOTI_MULTI,
  EYOTI_BRUCK,
  EYOTI_LINEAR,
  EYOTI_NODEAGG,
  EYOTI_DIRECT,
  EYOTI_GET,
  EYOTI_PAIRWISE,
  EYOTI_PAIRS,
  EYOTI_PARTS,
  EYOTI_ROUTERS,
  EYOTI_TAKE, /* of whole calls: no plan is made by it (take.h) */
  EYOTI_ALGORITHM_COUNT
};

/* Of a call that blocks, where the fabric does not send so: two members tell each other the lengths
 * of blocks by one message each way. */
#define EYOTI_GREETS UINT64_MAX
/* Whether a call may take blocks where they are, and whether it does if no rule says otherwise. */
enum eyoti_takes { EYOTI_TAKES_NOT = 0, EYOTI_TAKES_IF_ASKED, EYOTI_TAKES };
struct eyoti_question {
  enum eyoti_chosen function;
  uint64_t bytes;    /* of the vector, or of a block: of several lengths, of the longest */
  uint32_t size;     /* of the team */
  uint32_t per_node; /* members of a node, where that is regular; 0: it is not */
  bool any_order;    /* the operator gives the same bits in any order */
  /* The fabric sends to memory that only its target can access: from so many bytes on, unless a
   * rule says otherwise; 0: it does not, or EYOTI_GREETS. */
  uint64_t direct_from;
  bool shared;      /* units share processors: who waits for a message waits for a turn too */
  uint64_t routers; /* of the layout (layout.h) */
  enum eyoti_takes take;
  /* Where per_node is 0: the nodes, if algorithms may know them, else 0; members of the fullest and
   * of the emptiest one; and whether those of a node do not follow each other. */
  uint32_t uneven_nodes, uneven_most, uneven_least;
  bool scattered;
};

/* Blocks of up to so many bytes are copied twice without asking. Where units share processors,
 * those of up to a round are, because who asks waits for a turn of the others. */
#define EYOTI_TAKE_MOST 8192u
/* The `take` of a question about a blocking call, whose other members are set. Where time is
 * virtual only a rule takes blocks; and of an allreduce whose members have a processor each: then
 * lines that they have just written pass from cache to cache no faster. */
EYOT_API enum eyoti_takes eyoti_choose_take(const struct eyoti_question *q, bool virtual_time);

/* The least bytes of a direct message, of calls that need one round otherwise. Shorter ones travel
 * in one piece with their word (fab_ops.message). shared: units share processors; then the
 * comparison that goes before direct messages costs more turns of a processor than a round, but not
 * in a broadcast, whose root waits for nobody. */
EYOT_API uint64_t eyoti_direct_least(bool broadcast, bool shared);

struct eyoti_choice {
  enum eyoti_algorithm algorithm;
  uint32_t radix;   /* of MULTI, else 0 */
  uint64_t cost_ps; /* predicted */
};

#define EYOTI_RULES_MOST 32u /* of EYOT_COLL, and of a machine file */
struct eyoti_rule {
  enum eyoti_chosen function;
  uint64_t from, to; /* bytes, both included */
  enum eyoti_algorithm algorithm;
  uint32_t radix; /* 0: the model's */
};
struct eyoti_rules {
  struct eyoti_rule rule[2 * EYOTI_RULES_MOST];
  uint32_t n;
  uint32_t given; /* of them: EYOT_COLL's, which come first */
};
/* What has decided. */
enum eyoti_reason { EYOTI_BY_MODEL = 0, EYOTI_BY_RULE, EYOTI_BY_TABLE };

/* "allreduce", "multi"; "?" for other values. */
EYOT_API const char *eyoti_chosen_name(enum eyoti_chosen function);
EYOT_API const char *eyoti_algorithm_name(enum eyoti_algorithm algorithm);
/* Whether the function has the algorithm. */
EYOT_API bool eyoti_chosen_has(enum eyoti_chosen function, enum eyoti_algorithm algorithm);
/* The function of that name; false: there is none. */
EYOT_API bool eyoti_chosen_find(const char *name, enum eyoti_chosen *out);
/* Whether all members know the lengths of blocks; else a rule cannot ask for them. */
EYOT_API bool eyoti_chosen_knows_lengths(enum eyoti_chosen function);

/* Reads rules of EYOT_COLL. Errors: EINVAL (logged with the rule, what is wrong and what is
 * expected). */
EYOT_API int eyoti_rules_parse(const char *text, struct eyoti_rules *out);
/* Adds a rule of a line of a machine file. Errors: EINVAL (logged with file and line); then *rules
 * is as before. */
EYOT_API int eyoti_rules_add(const char *path, uint32_t line, const char *text,
                             struct eyoti_rules *rules);

/* Whether only a rule takes the algorithm for it, though it is allowed, and may be the cheapest. */
EYOT_API bool eyoti_choose_is_left(const struct eyoti_question *q, enum eyoti_algorithm algorithm);
/* All algorithms that the question allows, with predicted costs. Returns their number, at least
 * 1. */
EYOT_API uint32_t eyoti_choose_all(const struct fab_model *m, const struct eyoti_question *q,
                                   struct eyoti_choice out[EYOTI_ALGORITHM_COUNT]);
/* The one to take: the first rule's that applies and is allowed, else the cheapest. rules may be
 * NULL. *why (may be NULL): what has decided. */
EYOT_API struct eyoti_choice eyoti_choose(const struct fab_model *m,
                                          const struct eyoti_rules *rules,
                                          const struct eyoti_question *q, enum eyoti_reason *why);
/* The number of the first rule of EYOT_COLL that is for the question's function and bytes, if such
 * a team can have the algorithm of none of them; else -1: there is none, one decides, or one is
 * TAKE, which is for those calls that can. */
EYOT_API int eyoti_rules_unmet(const struct eyoti_rules *rules, const struct eyoti_question *q);
#endif
