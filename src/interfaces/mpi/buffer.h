/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.h - buffered sends, for files that start or complete them. */
#ifndef INTERFACES_MPI_BUFFER_H
#define INTERFACES_MPI_BUFFER_H

#include "interfaces/mpi/face.h"

/* Sends a message that the buffer has space for; its data may be reused on return. */
int face_buffer_send(const struct face_message *m);
/* Waits until the receivers have all of a communicator, or of all (NULL). */
int face_buffer_wait(const struct eyot_mpi_comm *comm);

#endif
