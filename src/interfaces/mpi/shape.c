/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.c - parts of datatypes, and copies of their data. */
#include "interfaces/mpi/shape.h"

#include <stdlib.h>
#include <string.h>

/* -- construction ------------------------------------------------------------------------------ */

static const struct face_part nothing = {0, 1, 0, 0, NULL};

bool face_part_repeat(struct face_part *p, uint64_t count, int64_t stride,
                      struct face_list **made) {
  if (count == 0) *p = nothing;
  if (count <= 1 || (p->list == NULL && p->run == 0)) return true;
  if (face_part_is_run(p)) {
    if (stride == (int64_t)p->run) {
      p->run *= count;
    } else {
      p->count = count;
      p->stride = stride;
    }
    return true;
  }
  if (stride == (int64_t)p->count * p->stride) { /* the loop goes on */
    p->count *= count;
    return true;
  }
  if (p->count == 1) { /* of a list */
    p->count = count;
    p->stride = stride;
    return true;
  }
  struct face_list *list = face_list_new(1);
  if (list == NULL) return false;
  int64_t at = p->at;
  p->at = 0;
  list->parts[0] = *p;
  list->n = 1;
  list->next = *made;
  *made = list;
  *p = (struct face_part){at, count, stride, 0, list};
  return true;
}

struct face_list *face_list_new(size_t n) {
  struct face_list *list = malloc(sizeof *list + n * sizeof list->parts[0]);
  if (list != NULL) *list = (struct face_list){.n = 0};
  return list;
}

/* Whether p, a run, follows the runs of `last` as one more. */
static bool joins(struct face_part *last, const struct face_part *p) {
  if (last->list != NULL || !face_part_is_run(p)) return false;
  if (last->count == 1 && p->at == last->at + (int64_t)last->run) {
    last->run += p->run;
    return true;
  }
  if (last->run != p->run) return false;
  if (last->count == 1) last->stride = p->at - last->at;
  if (p->at != last->at + (int64_t)last->count * last->stride) return false;
  last->count++;
  return true;
}

void face_list_add(struct face_list *list, struct face_part p) {
  if (p.list == NULL && p.run == 0) return;
  if (list->n > 0 && joins(&list->parts[list->n - 1], &p)) return;
  list->parts[list->n++] = p;
}

struct face_part face_list_part(struct face_list *list, struct face_list **made) {
  if (list->n > 1) {
    struct face_list *least = realloc(list, sizeof *list + list->n * sizeof list->parts[0]);
    if (least != NULL) list = least;
    list->next = *made;
    *made = list;
    return (struct face_part){0, 1, 0, 0, list};
  }
  struct face_part p = list->n == 1 ? list->parts[0] : nothing;
  free(list);
  return p;
}

void face_lists_free(struct face_list **made) {
  while (*made != NULL) {
    struct face_list *list = *made;
    *made = list->next;
    free(list);
  }
}

/* -- copies ------------------------------------------------------------------------------------ */

struct face_copy_state {
  char *row;
  uint64_t left; /* bytes */
  bool packs;
};

static inline void copy_run(struct face_copy_state *s, char *data, uint64_t bytes) {
  if (s->packs)
    memcpy(s->row, data, bytes);
  else
    memcpy(data, s->row, bytes);
  s->row += bytes;
}

/* Runs of a length that the compiler knows become loads and stores. */
#define COPY_RUNS(length)                                                                         \
  for (uint64_t i = 0; i < whole; i++) copy_run(s, face_after(data, (int64_t)i *stride), length); \
  break

static void copy_runs(struct face_copy_state *s, char *data, uint64_t run, uint64_t count,
                      int64_t stride) {
  if (run == 0) return;
  uint64_t whole = run * count <= s->left ? count : s->left / run; /* divisions are slow */
  switch (run) {
    case 1:
      COPY_RUNS(1);
    case 2:
      COPY_RUNS(2);
    case 4:
      COPY_RUNS(4);
    case 8:
      COPY_RUNS(8);
    case 16:
      COPY_RUNS(16);
    default:
      COPY_RUNS(run);
  }
  s->left -= whole * run;
  if (whole == count || s->left == 0) return;
  copy_run(s, face_after(data, (int64_t)whole * stride), s->left);
  s->left = 0;
}

/* One of many short runs, of which *s has enough bytes left. */
static inline void copy_one(struct face_copy_state *s, char *data, uint64_t run) {
  if (run == 8)
    copy_run(s, data, 8);
  else if (run == 4)
    copy_run(s, data, 4);
  else
    copy_run(s, data, run);
  s->left -= run;
}

static void copy_part(struct face_copy_state *s, char *base, const struct face_part *p);

static void copy_list(struct face_copy_state *s, char *data, const struct face_list *list) {
  for (size_t k = 0; k < list->n; k++) {
    const struct face_part *p = &list->parts[k];
    if (face_part_is_run(p) && p->run <= s->left)
      copy_one(s, face_after(data, p->at), p->run);
    else
      copy_part(s, data, p);
  }
}

static void copy_part(struct face_copy_state *s, char *base, const struct face_part *p) {
  char *data = face_after(base, p->at);
  if (p->list == NULL) {
    copy_runs(s, data, p->run, p->count, p->stride);
    return;
  }
  for (uint64_t i = 0; i < p->count && s->left > 0; i++)
    copy_list(s, face_after(data, (int64_t)i * p->stride), p->list);
}

static void copy_all(struct face_copy_state *s, const struct face_part *p, uint64_t count,
                     int64_t extent, char *data) {
  if (face_part_is_run(p)) {
    copy_runs(s, face_after(data, p->at), p->run, count, extent);
    return;
  }
  for (uint64_t i = 0; i < count && s->left > 0; i++)
    copy_part(s, face_after(data, (int64_t)i * extent), p);
}

void face_part_pack(const struct face_part *p, uint64_t count, int64_t extent, const void *data,
                    void *row, uint64_t bytes) {
  struct face_copy_state s = {row, bytes, true};
  copy_all(&s, p, count, extent, (char *)(uintptr_t)data);
}

void face_part_unpack(const struct face_part *p, uint64_t count, int64_t extent, void *data,
                      const void *row, uint64_t bytes) {
  struct face_copy_state s = {(char *)(uintptr_t)row, bytes, false};
  copy_all(&s, p, count, extent, data);
}
