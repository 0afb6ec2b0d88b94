/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_rows.h - the rows of the suite `messages` that several programs measure in the same way:
 * bench_msg, by eyot and by the MPI that eyot runs on, and peer_msg, by another MPI. Two processes;
 * a way is one of several that take turns. */
#ifndef MSG_ROWS_H
#define MSG_ROWS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { MSG_MIB = 1 << 20, MSG_WINDOW = 64, MSG_ROUNDS_MOST = 51, MSG_WAYS_MOST = 6 };
static const uint64_t MSG_SIZES[] = {8, 64, 256, 1024, 4096, 16384, 65536, 262144, MSG_MIB};

/* Of one process. */
struct msg_rows {
  int me, rounds;
  const char *name; /* of the case, for lines `value CASE_WHAT_WAY time ns NUMBER`; or NULL */
  const char *const *names; /* of the ways */
  int first, end;           /* the ways of ping-pongs */
  int stream_first, stream_end;
  void (*send)(int way, uint64_t bytes);
  void (*recv)(int way, uint64_t bytes);
  /* before: a round trip's bytes are to be changed before it, else between its two halves. */
  void (*change)(int way, uint64_t bytes, bool before);
  void (*post)(int way, uint64_t bytes, int slot); /* process 0 a send, process 1 a receive */
  void (*complete)(int way);                       /* all MSG_WINDOW of them */
  void (*meet)(void);
};

/* -- MPI's own messages ------------------------------------------------------------------------ */

static inline void msg_mpi_send(int me, const void *from, uint64_t bytes) {
  MPI_Send(from, (int)bytes, MPI_BYTE, 1 - me, 1, MPI_COMM_WORLD);
}
static inline void msg_mpi_recv(int me, void *to, uint64_t bytes) {
  MPI_Recv(to, (int)bytes, MPI_BYTE, 1 - me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static MPI_Request msg_mpi_requests[MSG_WINDOW];
static inline void msg_mpi_post(int me, const void *from, void *to, uint64_t bytes, int slot) {
  if (me == 0)
    MPI_Isend(from, (int)bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &msg_mpi_requests[slot]);
  else
    MPI_Irecv(to, (int)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &msg_mpi_requests[slot]);
}
static inline void msg_mpi_complete(void) {
  static MPI_Status status[MSG_WINDOW];
  MPI_Waitall(MSG_WINDOW, msg_mpi_requests, status);
}

/* What is sent is new: a word of each line changes. */
static inline void msg_touch(char *p, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += 64) p[i]++;
}

/* -- figures ----------------------------------------------------------------------------------- */

static inline int msg_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static inline double msg_median(double *t, int n) {
  qsort(t, (size_t)n, sizeof *t, msg_by_value);
  return t[n / 2];
}

static inline void msg_print(const struct msg_rows *m, const char *what, uint64_t bytes,
                             const char *way, double ns) {
  if (m->me != 0) return;
  if (m->name != NULL)
    printf("value %s_%s_%lluB_%s time ns %.1f\n", m->name, what, (unsigned long long)bytes, way,
           ns);
  else
    printf("%-10s %8llu bytes  %-12s %10.1f ns\n", what, (unsigned long long)bytes, way, ns);
  fflush(stdout);
}

/* -- rows -------------------------------------------------------------------------------------- */

/* Half a round trip, in ns; the changes are included. */
static inline double msg_ping_pong(const struct msg_rows *m, int way, uint64_t bytes, int times) {
  double begin = wall_ns();
  for (int i = 0; i < times; i++) {
    m->change(way, bytes, true);
    if (m->me == 0) m->send(way, bytes);
    m->recv(way, bytes);
    m->change(way, bytes, false);
    if (m->me != 0) m->send(way, bytes);
  }
  return (wall_ns() - begin) / times / 2;
}

/* A window of short messages in one direction, then an answer: ns a message. */
static inline double msg_stream(const struct msg_rows *m, int way, uint64_t bytes, int times) {
  double begin = wall_ns();
  for (int i = 0; i < times; i++) {
    for (int k = 0; k < MSG_WINDOW; k++) m->post(way, bytes, k);
    m->complete(way);
    if (m->me == 0) m->recv(way, 8);
    if (m->me != 0) m->send(way, 8);
  }
  return (wall_ns() - begin) / times / MSG_WINDOW;
}

/* All ways in turn, and the medians of the rounds. */
static inline void msg_rows(const struct msg_rows *m) {
  static double t[MSG_WAYS_MOST][MSG_ROUNDS_MOST];
  for (size_t s = 0; s < sizeof MSG_SIZES / sizeof *MSG_SIZES; s++) {
    const uint64_t bytes = MSG_SIZES[s];
    const int times = bytes < 4096 ? 20000 : bytes < 100000 ? 2000 : 200;
    for (int r = 0; r < m->rounds; r++)
      for (int w = m->first; w < m->end; w++) {
        m->meet(); /* nobody needs the other's calls now */
        (void)msg_ping_pong(m, w, bytes, times / 10);
        t[w][r] = msg_ping_pong(m, w, bytes, times);
      }
    for (int w = m->first; w < m->end; w++)
      msg_print(m, "ping-pong", bytes, m->names[w], msg_median(t[w], m->rounds));
  }
  for (uint64_t bytes = 8; bytes <= 256; bytes *= 32) {
    for (int r = 0; r < m->rounds; r++)
      for (int w = m->stream_first; w < m->stream_end; w++) {
        m->meet();
        t[w][r] = msg_stream(m, w, bytes, 2000);
      }
    for (int w = m->stream_first; w < m->stream_end; w++)
      msg_print(m, "stream", bytes, m->names[w], msg_median(t[w], m->rounds));
  }
}
#endif
