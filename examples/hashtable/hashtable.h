/* SPDX-License-Identifier: BSD-3-Clause */
/* hashtable.h - shared declarations of hashtable: options, the table, and its statistics. */
#ifndef HASHTABLE_H
#define HASHTABLE_H

#include <eyot/eyot.h>
#include <stdint.h>

/* Declared cost of drawing a key and hashing it. */
enum { HT_KEY_NS = 5 };

struct ht_opts {
  uint64_t inserts;  /* a unit; 0: a default for each fabric */
  uint64_t table;    /* slots a unit; 0: twice the inserts */
  uint64_t heap;     /* overflow cells a unit; 0: half the inserts and some */
  uint64_t distinct; /* keys are drawn from so many; 0: all keys differ */
  uint64_t seed;
  bool watch; /* look each key up at once */
  bool verify;
};

/* The local volume of a unit: head, slots, cells. Words of the head and of slots are changed by
 * atomics only; a cell belongs to the unit that took it until it is linked, and never changes after
 * that. */
struct ht_head {
  /* cells that have been taken; more than there are, when the heap was too small */
  uint64_t next_free;
  uint64_t unused[7];
};
struct ht_slot {
  uint64_t key;  /* 0: empty */
  uint64_t last; /* the cell linked last, counted from 1; 0: none */
};
struct ht_cell {
  uint64_t key;
  uint64_t previous; /* the cell linked before it, counted from 1; 0: none */
};

struct ht_table {
  eyot_gptr_t g; /* unit 0's volume */
  uint64_t slots, cells;
  const struct ht_head *head; /* this unit's */
  const struct ht_slot *slot;
  const struct ht_cell *cell;
};

/* Statistics of this unit's inserts. */
struct ht_tally {
  uint64_t collisions; /* the slot was taken */
  /* the last pointer was not what was expected: the chain is older, or another unit was faster */
  uint64_t retries;
  uint64_t refused; /* the heap was full: the key is not in the table */
  uint64_t unseen;  /* a key was looked up after its insert and not found */
};

/* hashtable_table.c. */
/* collective; EYOT_ENOMEM on all units when the heap of one is too small */
int ht_open(const struct ht_opts *opts, struct ht_table *t);
uint64_t ht_volume_bytes(const struct ht_opts *opts);
/* Key `i` of unit `unit`: never 0. */
uint64_t ht_key(const struct ht_opts *opts, uint32_t unit, uint64_t i);
uint64_t ht_mix(uint64_t x); /* a bijection; 0 stays 0 */
/* The unit and slot where a key belongs. */
void ht_place(const struct ht_table *t, uint64_t key, uint32_t *unit, uint64_t *slot);
/* Adds a key; one that is inserted twice is in the table twice. Any unit, any time; blocking. */
int ht_insert(const struct ht_table *t, uint64_t key, struct ht_tally *tally);
/* How often a key is in the table. Any unit, any time, also beside inserts: sees every insert that
 * was complete before. */
int ht_lookup(const struct ht_table *t, uint64_t key, uint64_t *count);

/* hashtable_check.c: checks the table, all units together. Collective; no unit may insert
 * meanwhile. Unit 0 prints the errors. */
int ht_check(const struct ht_opts *opts, const struct ht_table *t, bool *right);

/* hashtable.c: both print "hashtable: unit U: what"; for a call of eyot that failed, and for a
 * table that contradicts itself (returns EYOT_ESTATE). */
int ht_fail(const char *what, int code);
int ht_broken(const char *what);
#define HT_TRY(call)                                    \
  do {                                                  \
    int code_ = (call);                                 \
    if (code_ != EYOT_OK) return ht_fail(#call, code_); \
  } while (0)
#endif
