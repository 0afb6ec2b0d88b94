/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h - the words by which messages name an allocation, and a byte in it. For rt/made.c, which
 * knows the objects of its process, and for tools/run_report.c, which reads those of others. */
#ifndef EYOT_BASE_OBJECT_H
#define EYOT_BASE_OBJECT_H

#include <eyot/types.h>
#include <stdbool.h>
#include <stdint.h>

#define EYOTI_WORDS 320u
#define EYOTI_COND_WORDS 32u

/* Where a byte lies. */
enum eyoti_object_at {
  EYOTI_AT_NOWHERE = 0, /* in memory that is not allocated */
  EYOTI_AT_OBJECT,
  EYOTI_AT_CONTROL,  /* in the control words of a team */
  EYOTI_AT_OWN,      /* in memory of the runtime's own */
  EYOTI_AT_ATTACHED, /* in attached memory that is no longer there */
  EYOTI_AT_DATA      /* in the program's data, whose objects symbol.h names */
};

struct eyoti_object {
  const char *noun;   /* "the lock" */
  const char *name;   /* that the program has given it; NULL or empty: none */
  const char *what;   /* the public function that made it; NULL or empty: the noun says all */
  const char *place;  /* where that was called */
  uint64_t len_bytes; /* 0: it has no size */
};

/* Writes "the lock (64 bytes, eyot_lock_create at a.c:12 (main))", and returns `text`. brief: the
 * name, or "the lock of a.c:12 (main)". */
EYOT_API const char *eyoti_object_words(const struct eyoti_object *o, bool brief,
                                        char text[EYOTI_WORDS]);
/* Writes "offset 64 of "grid" (4096 bytes, eyot_team_alloc at a.c:12 (main))" for the byte at `off`
 * of segment `seg`, which is byte `in` of the object, and returns `text`. */
EYOT_API const char *eyoti_object_at_words(enum eyoti_object_at at, const struct eyoti_object *o,
                                           uint64_t in, uint32_t seg, uint64_t off, bool brief,
                                           char text[EYOTI_WORDS]);

/* The value of a word, as 3 or -3; and a condition on it, as ">= 3". cmp: enum fab_cmp. Both return
 * `text`. */
EYOT_API const char *eyoti_value_words(bool has_sign, uint64_t value, char text[EYOTI_COND_WORDS]);
EYOT_API const char *eyoti_cond_words(uint32_t cmp, bool has_sign, uint64_t value,
                                      char text[EYOTI_COND_WORDS]);
#endif
