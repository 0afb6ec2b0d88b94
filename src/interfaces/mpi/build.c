/* SPDX-License-Identifier: BSD-3-Clause */
/* build.c - the construction of datatypes of the MPI interface: all are lists of blocks of old
 * ones, or such lists repeated. Lengths and bounds that 64 bits do not hold are refused. */
#include <stdlib.h>

#include "interfaces/mpi/type.h"

int face_build_begin(struct face_build *b, int combiner, int n_ints, int n_addresses, int n_types,
                     size_t blocks) {
  *b = (struct face_build){.t = calloc(1, sizeof *b->t)};
  struct face_made *made =
      calloc(1, sizeof *made + (size_t)n_addresses * sizeof(MPI_Aint) +
                    (size_t)n_types * sizeof(MPI_Datatype) + (size_t)n_ints * sizeof(int));
  if (blocks > 1) b->list = face_list_new(blocks);
  if (b->t == NULL || made == NULL || (blocks > 1 && b->list == NULL)) {
    free(b->t);
    free(made);
    free(b->list);
    return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a datatype");
  }
  made->combiner = combiner;
  made->n_ints = n_ints;
  made->n_addresses = n_addresses;
  made->n_types = n_types;
  made->addresses = (MPI_Aint *)(made + 1);
  made->types = (MPI_Datatype *)(made->addresses + n_addresses);
  made->ints = (int *)(made->types + n_types);
  *b->t = (struct eyot_mpi_type){.live = FACE_LIVE,
                                 .element = EYOT_USER,
                                 .name = "a derived datatype",
                                 .align = 1,
                                 .part = {0, 1, 0, 0, NULL},
                                 .handles = 1,
                                 .made = made};
  return MPI_SUCCESS;
}

static int64_t sum(struct face_build *b, int64_t x, int64_t y) {
  int64_t r = 0;
  if (__builtin_add_overflow(x, y, &r)) b->overflow = true;
  return r;
}

static int64_t product(struct face_build *b, int64_t x, int64_t y) {
  int64_t r = 0;
  if (__builtin_mul_overflow(x, y, &r)) b->overflow = true;
  return r;
}

/* Bounds that markers have set hide all others (section 5.1.6). */
static void add_bounds(struct face_build *b, bool marked, int64_t lb, int64_t ub) {
  struct eyot_mpi_type *t = b->t;
  if (b->any && t->marked && !marked) return;
  bool first = !b->any || (marked && !t->marked);
  if (first || lb < t->lb) t->lb = lb;
  if (first || ub > b->ub) b->ub = ub;
  b->any = true;
  t->marked = marked;
}

static void add_true_bounds(struct face_build *b, int64_t from, int64_t end) {
  struct eyot_mpi_type *t = b->t;
  if (!b->data || from < t->true_lb) t->true_lb = from;
  if (!b->data || end > t->true_end) t->true_end = end;
  b->data = true;
}

void face_build_block(struct face_build *b, int64_t at, int64_t count,
                      const struct eyot_mpi_type *old) {
  struct eyot_mpi_type *t = b->t;
  if (count == 0) return;
  int64_t all = product(b, count, (int64_t)old->bytes);
  int64_t last = product(b, count - 1, old->extent);
  t->bytes = (uint64_t)sum(b, (int64_t)t->bytes, all);
  t->units += (uint64_t)count * old->units;
  if (old->align > t->align) t->align = old->align;
  int64_t low = last < 0 ? last : 0, high = last < 0 ? 0 : last;
  add_bounds(b, old->marked, sum(b, at, sum(b, low, old->lb)),
             sum(b, at, sum(b, high, sum(b, old->lb, old->extent))));
  if (old->bytes > 0)
    add_true_bounds(b, sum(b, at, sum(b, low, old->true_lb)),
                    sum(b, at, sum(b, high, old->true_end)));
  struct face_part p = old->part;
  if (b->overflow) return;
  if (!face_part_repeat(&p, (uint64_t)count, old->extent, &t->lists)) b->no_memory = true;
  p.at += at;
  if (b->list != NULL)
    face_list_add(b->list, p);
  else
    t->part = p;
}

void face_build_repeat(struct face_build *b, int64_t count, int64_t stride) {
  struct eyot_mpi_type *t = b->t;
  if (count == 0) { /* nothing is left */
    b->any = b->data = false;
    t->bytes = t->units = 0;
    t->lb = t->true_lb = t->true_end = b->ub = 0;
    t->marked = false;
    t->part = (struct face_part){0, 1, 0, 0, NULL};
    return;
  }
  int64_t last = product(b, count - 1, stride);
  int64_t low = last < 0 ? last : 0, high = last < 0 ? 0 : last;
  t->bytes = (uint64_t)product(b, (int64_t)t->bytes, count);
  t->units *= (uint64_t)count;
  if (b->any) t->lb = sum(b, t->lb, low);
  if (b->any) b->ub = sum(b, b->ub, high);
  if (b->data) t->true_lb = sum(b, t->true_lb, low);
  if (b->data) t->true_end = sum(b, t->true_end, high);
  if (!b->overflow && !face_part_repeat(&t->part, (uint64_t)count, stride, &t->lists))
    b->no_memory = true;
}

void face_build_align(struct face_build *b) {
  struct eyot_mpi_type *t = b->t;
  if (t->marked) return;
  int64_t align = (int64_t)t->align, over = sum(b, b->ub, -t->lb) % align;
  if (over > 0) b->ub = sum(b, b->ub, align - over);
}

void face_build_bounds(struct face_build *b, int64_t lb, int64_t extent) {
  b->any = b->t->marked = true;
  b->t->lb = lb;
  b->ub = sum(b, lb, extent);
}

static void discard(struct face_build *b) {
  face_lists_free(&b->t->lists);
  free(b->list);
  free(b->t->made);
  free(b->t);
}

int face_build_end(struct face_build *b, MPI_Datatype *newtype) {
  struct eyot_mpi_type *t = b->t;
  int64_t extent = sum(b, b->ub, -t->lb);
  if (b->overflow || b->no_memory) {
    bool overflow = b->overflow;
    discard(b);
    return overflow ? face_fail(NULL, MPI_ERR_ARG,
                                "the datatype has bounds or a length of more than 63 bits")
                    : face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a datatype");
  }
  int error = face_handle_add(NULL, FACE_HANDLE_TYPE, t);
  if (error != MPI_SUCCESS) {
    discard(b);
    return error;
  }
  if (b->list != NULL) t->part = face_list_part(b->list, &t->lists);
  t->extent = extent;
  for (int i = 0; i < t->made->n_types; i++) face_type_hold(t->made->types[i]);
  FACE_LINK(face.types, t);
  *newtype = t;
  return MPI_SUCCESS;
}
