/* SPDX-License-Identifier: BSD-3-Clause */
/* target.c - see target.h. */
#include "fabric_real/endpoint/target.h"

#include <stdlib.h>

#include "fabric_real/endpoint/endpoint.h"

int fmpi_targets_init(struct fmpi_targets *t, uint32_t limit) {
  uint32_t buckets = 1;
  while (buckets < limit) buckets *= 2;
  struct fmpi_target *pool = calloc(limit, sizeof *pool);
  struct fmpi_target **bucket = calloc(buckets, sizeof *bucket);
  if (pool == NULL || bucket == NULL) {
    free(pool);
    free(bucket);
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "no memory to follow %u operations in flight; lower EYOT_MAX_OUTSTANDING",
                      limit);
  }
  *t = (struct fmpi_targets){
      .pool = pool, .spare = NULL, .bucket = bucket, .mask = buckets - 1, .limit = limit};
  for (uint32_t i = limit; i-- > 0;) {
    pool[i].bucket_next = t->spare;
    t->spare = &pool[i];
  }
  return EYOT_OK;
}

void fmpi_targets_fini(struct fmpi_targets *t) {
  free(t->pool);
  free(t->bucket);
  *t = (struct fmpi_targets){0};
}

/* Neighboring units fall into different buckets, which suits halo exchanges and sweeps over a
 * team. */
static struct fmpi_target **target_bucket_of(const struct fmpi_targets *t, fab_unit_t unit) {
  return &t->bucket[unit & t->mask];
}

struct fmpi_target *fmpi_target_find(const struct fmpi_targets *t, fab_unit_t unit) {
  struct fmpi_target *x = t->newest;
  if (x == NULL || x->unit == unit) return x;
  for (x = *target_bucket_of(t, unit); x != NULL; x = x->bucket_next)
    if (x->unit == unit) return x;
  return NULL;
}

void fmpi_target_forget(struct fmpi_targets *t, struct fmpi_target *x) {
  EYOTI_ASSERT(t->inflight >= x->gets + x->writes);
  t->inflight -= x->gets + x->writes;
  struct fmpi_target **link = target_bucket_of(t, x->unit);
  while (*link != x) link = &(*link)->bucket_next;
  *link = x->bucket_next;
  if (x->older != NULL) x->older->newer = x->newer;
  if (x->newer != NULL) x->newer->older = x->older;
  if (t->oldest == x) t->oldest = x->newer;
  if (t->newest == x) t->newest = x->older;
  *x = (struct fmpi_target){.bucket_next = t->spare};
  t->spare = x;
}

static struct fmpi_target *target_new(struct fmpi_targets *t, fab_unit_t unit) {
  struct fmpi_target *x = t->spare;
  EYOTI_ASSERT(x != NULL); /* there are fewer targets than operations, and inflight < limit */
  t->spare = x->bucket_next;
  struct fmpi_target **head = target_bucket_of(t, unit);
  *x = (struct fmpi_target){.unit = unit, .bucket_next = *head, .older = t->newest};
  *head = x;
  if (t->newest != NULL) t->newest->newer = x;
  t->newest = x;
  if (t->oldest == NULL) t->oldest = x;
  return x;
}

struct fmpi_target *fmpi_target_count(struct fmpi_targets *t, fab_unit_t unit, bool is_get) {
  struct fmpi_target *x = fmpi_target_find(t, unit);
  if (x == NULL) x = target_new(t, unit);
  if (is_get)
    x->gets++;
  else
    x->writes++;
  t->inflight++;
  return x;
}

void fmpi_target_done(struct fmpi_targets *t, fab_unit_t unit, bool is_get) {
  struct fmpi_target *x = fmpi_target_find(t, unit);
  if (x == NULL || (is_get ? x->gets : x->writes) == 0) return; /* a flush has accounted for it */
  if (is_get)
    x->gets--;
  else
    x->writes--;
  t->inflight--;
  if (x->gets + x->writes == 0) fmpi_target_forget(t, x);
}
