/* SPDX-License-Identifier: BSD-3-Clause */
/* made_record.h - the memory of records of what a unit has made. For made.c only.
 *
 * Why it exists: of thousands of simulated units most records are equal on all of them. A record is
 * then 32 bytes, and what it says is stored once a process (docs/adr/0094). */
#ifndef EYOT_RT_MADE_RECORD_H
#define EYOT_RT_MADE_RECORD_H

#include "rt/made.h"

struct eyoti_proc;

/* What a record says. */
struct eyoti_made_facts {
  struct eyoti_made made;
  const char *what;  /* the public function */
  const char *shown; /* the same, or the interface's function that called it (eyot/caller.h) */
  const void *site;  /* its call */
};

struct eyoti_record {
  union {
    struct eyoti_record *next; /* in its bucket */
    const char *gone_what;     /* released: by this function, */
  };
  union {
    uint64_t order;        /* of making */
    const void *gone_site; /* at this call */
  };
  const struct eyoti_made_facts *is; /* after the record, or of the process */
  char *name;                        /* NULL: none */
};
_Static_assert(sizeof(struct eyoti_record) == 32, "a shared record is 48 bytes with malloc's part");
_Static_assert(sizeof(struct eyoti_record) + sizeof(struct eyoti_made_facts) <= 112,
               "another one is 128 bytes with malloc's part");

/* The state of a process in which facts are stored once; NULL: each record of this unit has its
 * own. */
struct eyoti_proc *eyoti_record_sharing(const struct eyot_rt *rt);
/* Zeroed memory that no test lets fail, or NULL. */
void *eyoti_record_alloc(size_t bytes);
/* A record that says `facts`, whose padding is zero; NULL: no memory. spare: NULL, or one with
 * facts of its own, whose memory is used if it fits. */
struct eyoti_record *eyoti_record_new(struct eyoti_proc *proc, const struct eyoti_made_facts *facts,
                                      struct eyoti_record *spare);
static inline bool eyoti_record_is_own(const struct eyoti_record *r) {
  return (const void *)r->is == (const void *)(r + 1);
}
void eyoti_record_free(struct eyoti_proc *proc, struct eyoti_record *r); /* NULL: nothing */
#endif
