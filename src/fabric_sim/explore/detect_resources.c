/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_resources.c - the detector `leak`: resources that units make and have not released at the
 * end. See detect.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/wording.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_proc.h"

#define FIRST_CAP 16u
#define LISTED 16u /* number of unreleased resources that get a line of their own */
#define END_BYTES 320u

struct resource {
  const char *kind;
  uint64_t id, bytes;
  bool in_run; /* made since eyot_check_begin */
  struct sim_detect_call by;
};

struct of_unit {
  struct resource *resource;
  uint32_t n_resources, resources_cap;
};

struct sim_detect_resources {
  uint32_t n;
  struct of_unit unit[];
};

struct sim_detect_resources *sim_detect_resources_new(uint32_t n_units) {
  struct sim_detect_resources *t = calloc(1, sizeof *t + n_units * sizeof t->unit[0]);
  if (t != NULL) t->n = n_units;
  return t;
}

void sim_detect_resources_delete(struct sim_detect_resources *t) {
  for (uint32_t i = 0; t != NULL && i < t->n; i++) free(t->unit[i].resource);
  free(t);
}

static struct of_unit *resource_of(struct sim_world *w, uint32_t unit) {
  return &w->untimed->run->detect->resources->unit[unit];
}

static void *resource_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  if ((array = realloc(array, *cap * size)) == NULL)
    eyoti_no_memory(*cap * size, "notes on what units make");
  return array;
}

void sim_detect_resource(struct fab *f, const char *kind, uint64_t id, uint64_t bytes, bool made) {
  struct sim_unit *u = sim_unit_of(f);
  struct of_unit *x = resource_of(u->world, f->me);
  if (made) {
    if (!sim_detect_outermost(u)) return; /* a part of another resource, which is counted instead */
    x->resource =
        resource_reserve(x->resource, x->n_resources, &x->resources_cap, sizeof *x->resource);
    x->resource[x->n_resources++] =
        (struct resource){kind, id, bytes, u->world->untimed->run->explicitly, sim_detect_here(u)};
    return;
  }
  for (uint32_t i = 0; i < x->n_resources; i++) {
    if (x->resource[i].id != id || strcmp(x->resource[i].kind, kind) != 0) continue;
    /* the oldest stays first */
    memmove(&x->resource[i], &x->resource[i + 1], (x->n_resources - i - 1) * sizeof *x->resource);
    x->n_resources--;
    return;
  }
}

static void resource_describe(struct sim_world *w, const struct resource *t, char *text,
                              size_t size) {
  char where[SIM_DETECT_WHERE];
  if (t->bytes > 0)
    snprintf(text, size, "%s of %" PRIu64 " bytes, made by %s", t->kind, t->bytes,
             sim_detect_where(w, &t->by, where));
  else
    snprintf(text, size, "%s, made by %s", t->kind, sim_detect_where(w, &t->by, where));
}

void sim_detect_end(struct sim_unit *u, bool since_begin) {
  struct sim_world *w = u->world;
  if (!sim_detect_on(w, FAB_DETECT_LEAK)) return;
  const struct of_unit *x = resource_of(w, u->fab.me);
  char first[END_BYTES] = "", text[END_BYTES];
  uint32_t left = 0;
  struct sim_detect_call posted;
  uint32_t handles = sim_detect_requests(w, u->fab.me, &posted);
  if (handles > 0) {
    char where[SIM_DETECT_WHERE];
    snprintf(first, sizeof first, "handle that was not waited for, from %s",
             sim_detect_where(w, &posted, where));
    left = handles;
  }
  for (uint32_t i = 0; i < x->n_resources; i++) {
    if (since_begin && !x->resource[i].in_run) continue;
    resource_describe(w, &x->resource[i], text, sizeof text);
    if (left == 0) snprintf(first, sizeof first, "%s", text);
    if (left++ < LISTED)
      eyoti_fprintf(stderr, "eyotcheck: unit %u has not released: %s\n", u->fab.me, text);
  }
  if (left == 0) return;
  if (left == 1)
    sim_untimed_failed(w, "leak: unit %u ends and has not released: %s", u->fab.me, first);
  else
    sim_untimed_failed(
        w, "leak: unit %u ends and has not released %u resources, the first of which is: %s",
        u->fab.me, left, first);
}
