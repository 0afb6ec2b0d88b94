/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.c - buffered sends of the MPI interface (MPI 4.1, sections 3.4 to 3.6). The buffer of the
 * program says how much may be under way; the bytes lie in memory of this library. */
#include "interfaces/mpi/buffer.h"

#include <stdlib.h>

#include "interfaces/mpi/stage.h"

/* A send that is under way. */
struct face_buffered {
  eyot_msg_t msg;
  struct eyot_mpi_comm *comm;
  struct face_stage *stages;
  uint64_t bytes; /* of the buffer */
  struct face_buffered *next;
};

static int complete(struct face_buffered **at, int rc) {
  struct face_buffered *b = *at;
  struct eyot_mpi_comm *comm = b->comm;
  *at = b->next;
  face.buffer.used -= b->bytes;
  comm->pending--;
  face_stages_end(&b->stages, 0);
  free(b);
  return face_check(comm, rc);
}

/* Completes those that the receivers have. */
static int reclaim(void) {
  struct face_buffered **at = &face.buffer.first;
  while (*at != NULL) {
    bool done = false;
    int rc = eyot_msg_test(&(*at)->msg, &done, NULL);
    if (rc != EYOT_OK || done)
      FACE_TRY(complete(at, rc));
    else
      at = &(*at)->next;
  }
  return MPI_SUCCESS;
}

int face_buffer_wait(const struct eyot_mpi_comm *comm) {
  struct face_buffered **at = &face.buffer.first;
  while (*at != NULL) {
    if (comm == NULL || (*at)->comm == comm)
      FACE_TRY(complete(at, eyot_msg_wait(&(*at)->msg, NULL)));
    else
      at = &(*at)->next;
  }
  return MPI_SUCCESS;
}

static int start(struct face_buffered *b, const struct face_message *m) {
  void *row, *copy;
  FACE_TRY(face_message_row(m, FACE_IN, &b->stages, &row));
  if (m->type == NULL) { /* the program's own bytes */
    struct face_call c = {.comm = m->comm};
    int error = face_call_copy(&c, row, m->bytes, &copy);
    b->stages = c.stages;
    if (error != MPI_SUCCESS) return error;
    row = copy;
  }
  return face_check(m->comm, eyot_send_nb(m->comm->team, face_unit(m->comm, m->peer), m->tag, row,
                                          m->bytes, &b->msg));
}

int face_buffer_send(const struct face_message *m) {
  if (m->peer == MPI_PROC_NULL) return MPI_SUCCESS;
  FACE_TRY(reclaim());
  uint64_t needed = m->bytes + MPI_BSEND_OVERHEAD;
  if (face.buffer.at == NULL || needed > (uint64_t)face.buffer.size - face.buffer.used)
    return face_fail(m->comm, MPI_ERR_BUFFER,
                     "a message of %llu bytes needs %llu of the buffer, which has %d%s, of which "
                     "%llu are in use",
                     (unsigned long long)m->bytes, (unsigned long long)needed, face.buffer.size,
                     face.buffer.at == NULL ? " (call MPI_Buffer_attach)" : "",
                     (unsigned long long)face.buffer.used);
  struct face_buffered *b = calloc(1, sizeof *b);
  if (b == NULL) return face_fail(m->comm, MPI_ERR_NO_MEM, "no memory for a message");
  b->comm = m->comm;
  b->bytes = needed;
  int error = start(b, m);
  if (error != MPI_SUCCESS) {
    face_stages_end(&b->stages, 0);
    free(b);
    return error;
  }
  b->next = face.buffer.first;
  face.buffer.first = b;
  face.buffer.used += needed;
  m->comm->pending++;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Buffer_attach, (void *at, int size)) {
  FACE_ENTER("MPI_Buffer_attach");
  if (size < 0) return face_fail(NULL, MPI_ERR_ARG, "size is %d, expected 0 or more", size);
  if (size > 0) FACE_TRY(face_output(NULL, "buffer", at));
  if (face.buffer.at != NULL)
    return face_fail(NULL, MPI_ERR_BUFFER, "a buffer of %d bytes is attached: detach it first",
                     face.buffer.size);
  face.buffer.at = at;
  face.buffer.size = size;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Buffer_detach, (void *buffer_addr, int *size)) {
  FACE_ENTER("MPI_Buffer_detach");
  FACE_TRY(face_output(NULL, "buffer_addr", buffer_addr));
  FACE_TRY(face_output(NULL, "size", size));
  if (face.buffer.at == NULL) return face_fail(NULL, MPI_ERR_BUFFER, "no buffer is attached");
  FACE_TRY(face_buffer_wait(NULL));
  *(void **)buffer_addr = face.buffer.at;
  *size = face.buffer.size;
  face.buffer.at = NULL;
  face.buffer.size = 0;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Bsend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  FACE_ENTER("MPI_Bsend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_buffer_send(&m);
}

/* -- requests, which are complete when they begin ---------------------------------------------- */

FACE_DEFINE(int, Ibsend,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *made)) {
  FACE_ENTER("MPI_Ibsend");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_request_make(FACE_BSEND, false, &m, made);
}

FACE_DEFINE(int, Bsend_init,
            (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             MPI_Request *made)) {
  FACE_ENTER("MPI_Bsend_init");
  struct face_message m;
  FACE_TRY(face_message(false, buf, count, type, dest, tag, comm, &m));
  return face_request_make(FACE_BSEND, true, &m, made);
}
