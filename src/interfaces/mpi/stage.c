/* SPDX-License-Identifier: BSD-3-Clause */
/* stage.c - memory of calls of the MPI interface. */
#include "interfaces/mpi/stage.h"

#include <stdlib.h>
#include <string.h>

/* -- stages ------------------------------------------------------------------------------------ */

/* A stage with space for n pieces, at the front of *stages. */
static int new_stage(const struct eyot_mpi_comm *comm, size_t n, uint64_t bytes,
                     struct face_stage **stages) {
  struct face_stage *s = calloc(1, sizeof *s + n * sizeof s->pieces[0]);
  char *memory = malloc(bytes > 0 ? bytes : 1);
  if (s == NULL || memory == NULL) {
    free(s);
    free(memory);
    return face_fail(comm, MPI_ERR_NO_MEM, "no memory for %llu bytes of a call",
                     (unsigned long long)bytes);
  }
  s->memory = memory;
  s->next = *stages;
  *stages = s;
  return MPI_SUCCESS;
}

int face_memory(const struct eyot_mpi_comm *comm, uint64_t bytes, struct face_stage **stages,
                void **at) {
  FACE_TRY(new_stage(comm, 0, bytes, stages));
  *at = (*stages)->memory;
  return MPI_SUCCESS;
}

static void pack(const struct face_stage *s, const struct face_piece *p) {
  uint64_t bytes = p->count * p->type->bytes;
  char *to = s->row != NULL ? s->row : s->memory + p->at;
  face_type_pack(p->type, p->count, p->user, to, bytes);
  if (s->row != NULL) face_type_unpack(p->type, p->count, s->memory + p->at, s->row, bytes);
}

static void add_piece(struct face_stage *s, const struct face_piece *p, unsigned ways) {
  face_type_hold(p->type);
  s->in = s->in || (ways & FACE_IN) != 0;
  s->out = s->out || (ways & FACE_OUT) != 0;
  s->pieces[s->n++] = *p;
  if (ways & FACE_IN) pack(s, p);
}

int face_pieces(const struct eyot_mpi_comm *comm, const struct face_piece *pieces, size_t n,
                uint64_t bytes, unsigned ways, struct face_stage **stages, void **at) {
  FACE_TRY(new_stage(comm, n, bytes, stages));
  for (size_t i = 0; i < n; i++) add_piece(*stages, &pieces[i], ways);
  *at = (*stages)->memory;
  return MPI_SUCCESS;
}

void *face_start_of(const void *buf) {
  return buf == MPI_BOTTOM ? NULL : (void *)(uintptr_t)buf;
}

int face_row(const struct eyot_mpi_comm *comm, const void *buf, uint64_t count,
             struct eyot_mpi_type *type, unsigned ways, struct face_stage **stages, void **at) {
  void *user = face_start_of(buf);
  if (face_type_in_row(type, count)) {
    *at = face_after(user, type->part.at);
    return MPI_SUCCESS;
  }
  const struct face_piece p = {user, count, type, 0};
  return face_pieces(comm, &p, 1, count * type->bytes, ways, stages, at);
}

int face_message_row(const struct face_message *m, unsigned ways, struct face_stage **stages,
                     void **at) {
  *at = m->buf;
  if (m->type == NULL) return MPI_SUCCESS;
  const struct face_piece p = {m->buf, m->count, m->type, 0};
  return face_pieces(m->comm, &p, 1, m->bytes, ways, stages, at);
}

int face_laid(const struct eyot_mpi_comm *comm, const void *buf, uint64_t count,
              struct eyot_mpi_type *type, unsigned ways, struct face_stage **stages, void **at) {
  uint64_t row = count * type->bytes, laid = count * (uint64_t)type->extent;
  FACE_TRY(new_stage(comm, 1, row + laid, stages));
  struct face_stage *s = *stages;
  s->row = s->memory;
  *at = s->memory + row;
  memset(*at, 0, laid);
  const struct face_piece p = {face_start_of(buf), count, type, row};
  add_piece(s, &p, ways);
  return MPI_SUCCESS;
}

static void unpack(const struct face_stage *s, const struct face_piece *p, uint64_t most) {
  uint64_t bytes = p->count * p->type->bytes;
  const char *from = s->memory + p->at;
  if (s->row != NULL) {
    face_type_pack(p->type, p->count, from, s->row, bytes);
    from = s->row;
  }
  face_type_unpack(p->type, p->count, p->user, from, bytes < most ? bytes : most);
}

void face_stages_end(struct face_stage **stages, uint64_t bytes) {
  while (*stages != NULL) {
    struct face_stage *s = *stages;
    *stages = s->next;
    for (size_t i = 0; i < s->n; i++) {
      if (s->out && bytes > 0) unpack(s, &s->pieces[i], bytes);
      face_type_release(s->pieces[i].type);
    }
    free(s->memory);
    free(s);
  }
}

void face_stages_again(const struct face_stage *oldest) {
  for (const struct face_stage *s = oldest; s != NULL; s = s->next) {
    if (s->copy != NULL) memcpy(s->copy, s->from, s->bytes);
    for (size_t i = 0; s->in && i < s->n; i++) pack(s, &s->pieces[i]);
  }
}

void face_stages_out(const struct face_stage *stages) {
  for (const struct face_stage *s = stages; s != NULL; s = s->next)
    for (size_t i = 0; s->out && i < s->n; i++) unpack(s, &s->pieces[i], UINT64_MAX);
}

struct face_stage *face_stages_turn(struct face_stage *newest) {
  struct face_stage *turned = NULL;
  while (newest != NULL) {
    struct face_stage *next = newest->next;
    newest->next = turned;
    turned = newest;
    newest = next;
  }
  return turned;
}

/* -- of collectives ---------------------------------------------------------------------------- */

int face_call_row(struct face_call *c, const void *buf, int count, uint64_t times,
                  struct eyot_mpi_type *type, unsigned ways, void **at, uint64_t *bytes) {
  FACE_TRY(face_bytes(c->comm, buf, count, type, bytes));
  return face_row(c->comm, buf, (uint64_t)count * times, type, ways, &c->stages, at);
}

/* The newest stage makes a copy. */
static void keep_copy(struct face_stage *s, const void *from, uint64_t bytes, void *to) {
  if (bytes == 0) return;
  s->copy = to;
  s->from = from;
  s->bytes = bytes;
  memcpy(to, from, bytes);
}

int face_call_copy(struct face_call *c, const void *from, uint64_t bytes, void **copy) {
  FACE_TRY(face_memory(c->comm, bytes, &c->stages, copy));
  keep_copy(c->stages, from, bytes, *copy);
  return MPI_SUCCESS;
}

int face_call_copy_to(struct face_call *c, const void *from, uint64_t bytes, void *to) {
  FACE_TRY(new_stage(c->comm, 0, 0, &c->stages));
  keep_copy(c->stages, from, bytes, to);
  return MPI_SUCCESS;
}
