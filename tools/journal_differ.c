/* SPDX-License-Identifier: BSD-3-Clause */
/* journal_differ.c - says in what two campaigns differ (journal.h). */
#include <inttypes.h>
#include <string.h>

#include "journal.h"

static bool text_differs(const char *what, const char *a, const char *b, char *how) {
  if (strcmp(a, b) == 0) return false;
  snprintf(how, JOURNAL_TEXT_BYTES, "%s: '%.150s' and '%.150s'", what, a, b);
  return true;
}

static bool number_differs(const char *what, uint64_t a, uint64_t b, char *how) {
  if (a == b) return false;
  snprintf(how, JOURNAL_TEXT_BYTES, "%s: %" PRIu64 " and %" PRIu64, what, a, b);
  return true;
}

/* The first word in which two lists differ; missing: what stands for a word that there is not. */
static bool list_differs(const char *what, char *const *a, char *const *b, char *how) {
  static const char MISSING[] = "(none)";
  while (*a != NULL && *b != NULL && strcmp(*a, *b) == 0) a++, b++;
  if (*a == NULL && *b == NULL) return false;
  return text_differs(what, *a != NULL ? *a : MISSING, *b != NULL ? *b : MISSING, how);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

bool journal_differ(const struct journal_head *a, const struct journal_head *b,
                    char how[JOURNAL_TEXT_BYTES]) {
  /* the folder may differ: the file's content is compared */
  return text_differs("the version of eyot", a->version, b->version, how) ||
         text_differs("the program's name", base_name(a->program[0]), base_name(b->program[0]),
                      how) ||
         text_differs("the hash of the program's file", a->build, b->build, how) ||
         text_differs("the hash of eyot's libraries", a->runtime, b->runtime, how) ||
         list_differs("an argument of the program", a->program + 1, b->program + 1, how) ||
         list_differs("an option", a->options, b->options, how) ||
         number_differs("--seed", a->range.first, b->range.first, how) ||
         number_differs("--seeds", a->range.n, b->range.n, how) ||
         number_differs("N of --shard K/N", a->range.shards, b->range.shards, how) ||
         number_differs("--keep-going", a->keep_going, b->keep_going, how) ||
         number_differs("--run-limit", a->limit_s, b->limit_s, how);
}
