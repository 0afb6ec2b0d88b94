/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - tables of blocks of the collectives of the MPI interface: as the program gives them,
 * by rank and in elements, and as eyot takes them, by member of the team and in bytes. */
#include <stdlib.h>

#include "interfaces/mpi/coll.h"

int face_apart(const struct face_call *c, const void *send, const void *recv, uint64_t bytes,
               const char *name) {
  if (send != recv || bytes == 0) return MPI_SUCCESS;
  return face_fail(c->comm, MPI_ERR_BUFFER,
                   "sendbuf and recvbuf have the caller's data at the same place: pass "
                   "MPI_IN_PLACE as %s",
                   name);
}

static int new_blocks(struct face_call *c, int n, struct face_blocks *b) {
  void *memory;
  FACE_TRY(face_memory(c->comm, 2 * (uint64_t)n * sizeof *b->sizes, &c->stages, &memory));
  b->sizes = memory;
  b->at = b->sizes + n;
  return MPI_SUCCESS;
}

int face_blocks_even(struct face_call *c, uint64_t bytes, struct face_blocks *b) {
  FACE_TRY(new_blocks(c, c->comm->size, b));
  for (int r = 0; r < c->comm->size; r++) {
    uint32_t unit = face_unit(c->comm, r).id;
    b->sizes[unit] = bytes;
    b->at[unit] = (uint64_t)r * bytes;
  }
  return MPI_SUCCESS;
}

/* The block i of a table, and its place in bytes. */
static int block_of(const struct face_call *c, const struct face_table *t, int i,
                    struct face_piece *p, int64_t *place) {
  p->type = t->types != NULL ? t->types[i] : t->type;
  p->count = (uint64_t)t->counts[i];
  uint64_t bytes;
  if (t->counts[i] < 0)
    return face_fail(c->comm, MPI_ERR_COUNT,
                     "the block of rank %d has count %d, expected 0 or more", i, t->counts[i]);
  FACE_TRY(
      face_bytes(c->comm, t->counts[i] > 0 ? t->buf : MPI_BOTTOM, t->counts[i], p->type, &bytes));
  if (t->places != NULL)
    *place = t->places[i];
  else
    *place = (int64_t)t->displs[i] * (t->types != NULL ? 1 : p->type->extent);
  p->user = face_after(face_start_of(t->buf), *place);
  return MPI_SUCCESS;
}

static int check_table(const struct face_call *c, const struct face_table *t, int n) {
  if (n == 0) return MPI_SUCCESS;
  FACE_TRY(face_input(c->comm, "the array of counts", t->counts));
  return face_input(c->comm, "the array of displacements",
                    t->places != NULL ? (const void *)t->places : t->displs);
}

static int stage_blocks(struct face_call *c, const struct face_table *t, int n, bool ranks,
                        unsigned ways, struct face_blocks *b, void **at) {
  struct face_piece *pieces = malloc((size_t)n * sizeof *pieces);
  if (pieces == NULL) return face_fail(c->comm, MPI_ERR_NO_MEM, "no memory for %d blocks", n);
  uint64_t all = 0;
  int64_t place;
  int error = MPI_SUCCESS;
  for (int i = 0; error == MPI_SUCCESS && i < n; i++) {
    error = block_of(c, t, i, &pieces[i], &place);
    if (error != MPI_SUCCESS) break;
    uint32_t k = ranks ? face_unit(c->comm, i).id : (uint32_t)i;
    b->sizes[k] = pieces[i].count * pieces[i].type->bytes;
    b->at[k] = pieces[i].at = all;
    all += b->sizes[k];
  }
  if (error == MPI_SUCCESS)
    error =
        face_pieces(c->comm, pieces, (size_t)n, all, ways & (FACE_IN | FACE_OUT), &c->stages, at);
  free(pieces);
  return error;
}

static int make_blocks(struct face_call *c, const struct face_table *t, int n, bool ranks,
                       unsigned ways, struct face_blocks *b, void **at) {
  FACE_TRY(check_table(c, t, n));
  FACE_TRY(new_blocks(c, n, b));
  bool rows = (ways & FACE_COPY) == 0;
  for (int i = 0; i < n; i++) {
    struct face_piece p;
    int64_t place;
    FACE_TRY(block_of(c, t, i, &p, &place));
    uint32_t k = ranks ? face_unit(c->comm, i).id : (uint32_t)i;
    b->sizes[k] = p.count * p.type->bytes;
    place += p.type->part.at;
    if (b->sizes[k] == 0) place = 0;
    b->at[k] = (uint64_t)place;
    rows = rows && place >= 0 && (b->sizes[k] == 0 || face_type_in_row(p.type, p.count));
  }
  *at = face_start_of(t->buf);
  return rows ? MPI_SUCCESS : stage_blocks(c, t, n, ranks, ways, b, at);
}

int face_blocks_of(struct face_call *c, const struct face_table *t, unsigned ways,
                   struct face_blocks *b, void **at) {
  return make_blocks(c, t, c->comm->size, true, ways, b, at);
}

int face_blocks_list(struct face_call *c, const struct face_table *t, int n, unsigned ways,
                     struct face_blocks *b, void **at) {
  return make_blocks(c, t, n, false, ways, b, at);
}
