/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.c - reads --shard (shard.h). */
#include "shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/exit_codes.h"

/* The task's number in an array; least and count: where the array begins, and how many it has, if
 * the system says so; else it must begin at 1. */
static const struct {
  const char *id, *least, *count;
} ARRAYS[] = {{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
              {"PBS_ARRAY_INDEX", NULL, NULL},
              {"LSB_JOBINDEX", NULL, NULL},
              {"SGE_TASK_ID", "SGE_TASK_FIRST", NULL}};

/* A whole number that ends at `end`. */
static bool number(const char *text, char end, uint64_t *out, const char **after) {
  uint64_t v = 0;
  const char *c = text;
  for (; *c >= '0' && *c <= '9'; c++) {
    if (v > SHARDS_MAX) return false;
    v = v * 10 + (uint64_t)(*c - '0');
  }
  if (c == text || *c != end) return false;
  *out = v;
  if (after != NULL) *after = c + 1;
  return true;
}

static bool from_environment(const char *name, uint64_t *out) {
  const char *text = name != NULL ? eyoti_conf_foreign_env(name) : NULL;
  return text != NULL && number(text, '\0', out, NULL);
}

static int from_array(uint64_t shards, uint64_t *shard) {
  uint64_t id, least = 1, count;
  for (size_t i = 0; i < sizeof ARRAYS / sizeof *ARRAYS; i++) {
    if (!from_environment(ARRAYS[i].id, &id)) continue;
    (void)from_environment(ARRAYS[i].least, &least);
    if (from_environment(ARRAYS[i].count, &count) && count != shards) {
      fprintf(stderr,
              "eyotrun: --shard array/%" PRIu64 ": the array has %" PRIu64
              " tasks (%s); give "
              "--shard array/%" PRIu64 "\n",
              shards, count, ARRAYS[i].count, count);
      return EYOTI_EXIT_USAGE;
    }
    if (id < least || id - least >= shards) {
      fprintf(stderr,
              "eyotrun: --shard array/%" PRIu64 ": %s is %" PRIu64
              "; expected a number from %" PRIu64 " to %" PRIu64 "\n",
              shards, ARRAYS[i].id, id, least, least + shards - 1);
      return EYOTI_EXIT_USAGE;
    }
    *shard = id - least + 1;
    return 0;
  }
  fprintf(stderr, "eyotrun: --shard array/%" PRIu64 ": this is no task of an array (none of",
          shards);
  for (size_t i = 0; i < sizeof ARRAYS / sizeof *ARRAYS; i++) fprintf(stderr, " %s", ARRAYS[i].id);
  fputs(" is set to a number); give --shard K/N\n", stderr);
  return EYOTI_EXIT_USAGE;
}

int shard_parse(const char *text, uint64_t *shard, uint64_t *shards) {
  static const char ARRAY[] = "array/";
  const char *after;
  bool array = strncmp(text, ARRAY, sizeof ARRAY - 1) == 0;
  *shard = 1;
  bool ok = array ? number(text + sizeof ARRAY - 1, '\0', shards, NULL)
                  : number(text, '/', shard, &after) && number(after, '\0', shards, NULL);
  if (!ok || *shard < 1 || *shards < *shard || *shards > SHARDS_MAX) {
    fprintf(stderr,
            "eyotrun: --shard is '%s'; expected K/N, as 2/3, K from 1 to N and N at most %u, or "
            "array/N in a task of a batch system's array\n",
            text, SHARDS_MAX);
    return EYOTI_EXIT_USAGE;
  }
  return array ? from_array(*shards, shard) : 0;
}
