/* SPDX-License-Identifier: BSD-3-Clause */
/* maps.h - type maps by their definition (MPI 4.1, section 5.1): the place of each byte of an
 * element, and its bounds; and datatypes made at random beside them. */
#ifndef TESTS_MPI_FACE_MAPS_H
#define TESTS_MPI_FACE_MAPS_H

#include "mpi_face/check.h"

enum { BYTES_MAX = 4096 };
struct map {
  int n; /* bytes of data */
  long at[BYTES_MAX];
  long lb, ub;
};

static inline void map_basic(struct map *m, int bytes) {
  m->n = bytes;
  for (int i = 0; i < bytes; i++) m->at[i] = i;
  m->lb = 0;
  m->ub = bytes;
}

/* Adds `count` elements of `old`, the first `at` bytes from the origin. */
static inline void map_add(struct map *m, long at, int count, const struct map *old) {
  long extent = old->ub - old->lb;
  for (int c = 0; c < count; c++, at += extent) {
    if (m->n + old->n > BYTES_MAX) abort();
    for (int i = 0; i < old->n; i++) m->at[m->n + i] = at + old->at[i];
    if (m->lb > m->ub || at + old->lb < m->lb) m->lb = at + old->lb;
    if (m->n == 0 || at + old->ub > m->ub) m->ub = at + old->ub;
    m->n += old->n;
  }
}

static unsigned long map_seed = 1;
static inline int map_random(int below) {
  map_seed = map_seed * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((map_seed >> 33) % (unsigned long)below);
}

/* An empty map: bounds that the first element sets. */
static inline void map_begin(struct map *m) {
  m->n = 0;
  m->lb = 1;
  m->ub = 0;
}

static inline void make_vector(const struct map *old, MPI_Datatype type, struct map *m,
                               MPI_Datatype *made) {
  int count = 1 + map_random(3), length = 1 + map_random(2);
  int stride = length + map_random(3);
  long extent = old->ub - old->lb, bytes = stride * extent + 8 * map_random(2);
  if (map_random(2)) {
    bytes = stride * extent;
    MUST(MPI_Type_vector(count, length, stride, type, made));
  } else {
    MUST(MPI_Type_create_hvector(count, length, bytes, type, made));
  }
  for (int i = 0; i < count; i++) map_add(m, i * bytes, length, old);
}

/* Blocks in an order that is not that of their places, with distances that may be regular. */
static inline void make_indexed(const struct map *old, MPI_Datatype type, struct map *m,
                                MPI_Datatype *made) {
  int count = 1 + map_random(4), lengths[4], places[4], even = map_random(2), way = map_random(4);
  long extent = old->ub - old->lb;
  MPI_Aint bytes[4];
  for (int i = 0; i < count; i++) {
    lengths[i] = way < 2 ? 1 : map_random(3);
    if (i == 0 && lengths[i] == 0) lengths[i] = 1;
    places[i] = even ? 3 * i : 3 * (count - 1 - i) + map_random(2);
    bytes[i] = places[i] * extent;
    map_add(m, bytes[i], lengths[i], old);
  }
  if (way == 0) MUST(MPI_Type_create_indexed_block(count, 1, places, type, made));
  if (way == 1) MUST(MPI_Type_create_hindexed_block(count, 1, bytes, type, made));
  if (way == 2) MUST(MPI_Type_indexed(count, lengths, places, type, made));
  if (way == 3) MUST(MPI_Type_create_hindexed(count, lengths, bytes, type, made));
}

/* Of two or three datatypes, on places that need no padding. */
static inline void make_struct(const struct map *old, MPI_Datatype type, struct map *m,
                               MPI_Datatype *made) {
  struct map eight;
  map_basic(&eight, 8);
  int lengths[3] = {1, 1 + map_random(2), 1};
  long extent = old->ub - old->lb, first = -old->lb;
  MPI_Aint places[3] = {first + 0, (extent + 15) / 8 * 8, (extent + 15) / 8 * 8 + 32};
  MPI_Datatype types[3] = {type, MPI_DOUBLE, MPI_LONG};
  int n = 2 + map_random(2);
  map_add(m, places[0], lengths[0], old);
  for (int i = 1; i < n; i++) map_add(m, places[i], lengths[i], &eight);
  MUST(MPI_Type_create_struct(n, lengths, places, types, made));
}

static inline void make_subarray(const struct map *old, MPI_Datatype type, struct map *m,
                                 MPI_Datatype *made) {
  int sizes[2] = {2 + map_random(2), 2 + map_random(2)}, parts[2], starts[2];
  int fortran = map_random(2);
  for (int i = 0; i < 2; i++) {
    parts[i] = 1 + map_random(sizes[i]);
    starts[i] = map_random(sizes[i] - parts[i] + 1);
  }
  long extent = old->ub - old->lb;
  int slow = fortran ? 1 : 0, fast = 1 - slow;
  for (int i = 0; i < parts[slow]; i++)
    for (int k = 0; k < parts[fast]; k++)
      map_add(m, ((starts[slow] + i) * sizes[fast] + starts[fast] + k) * extent, 1, old);
  m->lb = 0;
  m->ub = sizes[0] * sizes[1] * extent;
  MUST(MPI_Type_create_subarray(2, sizes, parts, starts, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C,
                                type, made));
}

/* One of `depth` levels of constructors. The datatype is committed. `resizes`: one level may have
 * bounds of MPI_Type_create_resized, which hide others above it. */
static inline MPI_Datatype make_random(int depth, struct map *m) {
  static const struct {
    MPI_Datatype type;
    int bytes;
  } basics[] = {{MPI_CHAR, 1}, {MPI_SHORT, 2}, {MPI_INT, 4}, {MPI_DOUBLE, 8}};
  int basic = map_random(4);
  MPI_Datatype type = basics[basic].type, made = MPI_DATATYPE_NULL;
  map_basic(m, basics[basic].bytes);
  for (int level = 0; level < depth; level++) {
    struct map old = *m;
    int way = map_random(level == depth - 1 ? 7 : 5);
    map_begin(m);
    if (way == 0) {
      int count = 1 + map_random(3);
      map_add(m, 0, count, &old);
      MUST(MPI_Type_contiguous(count, type, &made));
    }
    if (way == 1) make_vector(&old, type, m, &made);
    if (way == 2) make_indexed(&old, type, m, &made);
    if (way == 3 && old.n % 8 == 0 && (old.ub - old.lb) % 8 == 0)
      make_struct(&old, type, m, &made);
    else if (way == 3 || way == 4) {
      map_add(m, 0, 1, &old);
      MUST(MPI_Type_dup(type, &made));
    }
    if (way == 5) make_subarray(&old, type, m, &made);
    if (way == 6) {
      map_add(m, 0, 1, &old);
      m->lb -= map_random(2) * 8;
      m->ub += map_random(3) * 8;
      MUST(MPI_Type_create_resized(type, m->lb, m->ub - m->lb, &made));
    }
    if (level > 0) MUST(MPI_Type_free(&type)); /* what was made of it stays */
    type = made;
  }
  MUST(MPI_Type_commit(&type));
  return type;
}
#endif
