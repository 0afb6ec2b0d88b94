/* SPDX-License-Identifier: BSD-3-Clause */
/* endpoint.h - the state of the mpi fabric: one endpoint a process, over MPI-3 RMA and shared
 * windows.
 *
 * A segment is memory that the (virtual) node shares and, when the job has more than one node, an
 * MPI window over it on all units, which stays in one lock_all epoch. Memory that is
 * mapped here is copied by the CPU; the rest is MPI_(R)Put and MPI_(R)Get. Atomics and signals are
 * done by the CPU of the target's node if all units of the job share one node, or if progress
 * processes execute those of other nodes (progress/remote_amo.h); otherwise MPI does all of them,
 * on one window, whatever the target: the two kinds are not atomic against each other. */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_ENDPOINT_H
#define EYOT_FABRIC_REAL_ENDPOINT_ENDPOINT_H

#include <mpi.h>
#include <signal.h>

#include "base/check.h"
#include "fabric/fabric.h"
#include "fabric_real/endpoint/nodes.h"
#include "fabric_real/endpoint/op.h"
#include "fabric_real/endpoint/stats.h"
#include "fabric_real/endpoint/target.h"
#include "rt/frames.h"

#define FMPI_LINE 64u /* bytes of a cache line */
#define FMPI_FATAL_SIGNALS 5u
#define FMPI_UNIT UINT32_MAX
#define FMPI_SERVES 2u /* attached memory's, and those of ops/message.h */

/* All processes of these are units in the order of their ids, followed by progress processes. */
struct fmpi_comms {
  MPI_Comm all;  /* the units; MPI_COMM_NULL in progress processes */
  MPI_Comm wide; /* and all progress processes, node by node; equal to `all` if there are none */
  /* The units whose memory is mapped here, and the node's progress processes; MPI_COMM_NULL: the
   * job has no progress processes. */
  MPI_Comm node;
};

/* The job and this process's part in it: set at start, constant afterwards. */
struct fmpi_job {
  uint64_t start_ns;
  uint64_t chunk_bytes;       /* one MPI call moves at most this */
  uint64_t numbers_from;      /* tests: operations and messages are numbered from here on */
  uint64_t key[2];            /* of this job alone, for names of its shared memory */
  uint32_t servers;           /* progress processes a node (progress/engine.h) */
  uint32_t server;            /* index of this progress process on its node; FMPI_UNIT: a unit */
  uint32_t machine_units;     /* units of the job on this machine */
  uint32_t machine_processes; /* and its progress processes; 0: not known yet */
  /* That the units may use, if no other process of the job needs them; 0: not known. */
  uint32_t processors;
  /* All processes of the job are on one machine, none is a progress process, and MPI was not told
   * to take some machine for several. */
  bool together;
  bool connected;   /* a process had a connection of TCP after MPI_Init: MPI may use them */
  bool quiet_fence; /* fmpi_wakeup_quiet_fence works in all processes */
  bool threads;     /* MPI lets several threads of a process call it at once */
  bool mpi;         /* MPI works in this process, and has all processes of the job */
  bool own_mpi;     /* we initialized MPI, so we finalize it */
  bool placed;      /* this process knows which unit or progress process it is */
  bool one_node;    /* all units of the job are mapped here */
  /* Words of segments are changed only by processors of their owner's node: one_node, or there are
   * remote AMOs. */
  bool cpu_words;
  /* MPI may need the memory of windows to stay where it is, for a network that accesses it
   * directly. */
  bool pins;
  /* NULL, or for each rank the transfers with a request since the last flush that mem/remote.c
   * made to bound them. */
  uint8_t *followed;
  bool loses_requests; /* wait/alone.h */
  /* More processes than processors on some machine of the job. In a job of one node only units
   * count: progress processes then do nothing that a unit would wait for without a wakeup
   * (wait/wakeup.h), and sleep when a processor is wanted. */
  bool oversubscribed;
  bool summary; /* EYOT_STATS */
};

/* How this process waits (wait/idle.h). */
struct fmpi_idle {
  int (*serve[FMPI_SERVES])(struct fmpi *f); /* answer others' messages, without blocking */
  uint32_t serves;
  struct fmpi_wakeups *wakeups; /* NULL: no process of the node sleeps (wait/wakeup.h) */
  uint64_t polls;               /* that found nothing, in a row */
  uint32_t unpolled;            /* rounds of waits in a row that have not entered MPI */
  uint64_t since_ns;            /* the present wait gives way since then */
  uint64_t until_ns;            /* its deadline, or FAB_FOREVER */
  uint32_t vain;                /* yields that let no other process run, in a row */
  uint32_t waits;               /* while slices */
  uint32_t waits_per_yield;     /* so many of them until one yields again */
  uint32_t switches;            /* yields that let another process run, since sleep_to_move */
  uint32_t moves;               /* how often that number was doubled */
  bool slices;                  /* the last yield let another process run for a time slice */
  bool asks_slice; /* the next yield that lets one run tells whether that is still so */
  bool armed;      /* our wakeup is: the next time without work is a sleep */
  bool shown;      /* our conditions are: others wake us when one holds */
  bool first_only; /* a poll takes one message of those that have come */
  bool always;     /* tests: sleeps, and only a wakeup or a deadline ends that */
};

/* One byte a unit, read to see that an oversubscribed target has run (wait/probe.h). */
struct fmpi_probe {
  MPI_Win win; /* MPI_WIN_NULL: not oversubscribed */
  char here, there;
};

struct fmpi_progress {
  struct fmpi_engine *engine;           /* NULL: job.servers is 0 */
  struct fmpi_thread *thread;           /* NULL: no progress thread */
  bool *alone;                          /* a lock of the thread (wait/alone.h); NULL: none */
  struct fmpi_remote_amos *remote_amos; /* NULL: atomics do not travel as messages */
};

/* Memory that the processes of a node share (endpoint/node_memory.h). */
struct fmpi_shared {
  char *at;
  uint64_t bytes; /* mapped; 0: none */
};

#define FMPI_SEG_GENERATIONS (FAB_SEG_ATTACHED / FAB_SEG_MAX) /* ids stay below FAB_SEG_ATTACHED */

/* One segment. `id` is the slot's index below FAB_SEG_MAX plus a generation above it, equal on all
 * units. */
struct fmpi_seg {
  fab_seg_t id;
  uint32_t generation;
  bool live, gone; /* gone: it was there */
  char *base;      /* part of the first mapped unit */
  uint64_t stride;
  uint64_t len;
  /* of a part that was mmapped because no other unit shares it; 0: shared */
  uint64_t mapped_bytes;
  struct fmpi_shared shared; /* none when mmapped */
  bool common;               /* all units of each node have it at one address */
  MPI_Win rma;               /* MPI_WIN_NULL when all units share the node */
};

/* The program's data (ops/data.h). */
struct fmpi_data {
  struct eyoti_image *image; /* NULL: it is not a segment */
  char *own;                 /* where the image's data pages are */
  fab_seg_t seg;
  int found;    /* why it cannot be found, or EYOT_OK */
  bool threads; /* the program had several threads before MPI */
};

/* Attached memory (mem/attach.h). */
struct fmpi_attach {
  MPI_Win win;
  struct fmpi_attach_message *message; /* NULL: accesses go through `win` */
  struct fmpi_attached *range;         /* this unit's */
  uint32_t n, cap;
};

/* Signals whose bytes are not known to have arrived, first in, first out (ops/signal.h). */
struct fmpi_signals {
  struct fmpi_op *head, *tail;
  uint32_t n;
};

/* The handlers for a run that does not end well (launch/end.h). */
struct fmpi_end {
  void *stack; /* of the handlers */
  struct sigaction before[FMPI_FATAL_SIGNALS];
  bool taken[FMPI_FATAL_SIGNALS];
  bool served;                   /* a progress process that has left MPI */
  struct eyoti_stack unit_stack; /* top NULL: unknown */
  int finalize_key;              /* an attribute of MPI_COMM_SELF: MPI_Finalize deletes it first */
};

/* The supervisor's memory (wait/supervised.h). */
struct fmpi_supervised {
  struct eyoti_run_memory *run;    /* NULL: none */
  struct eyoti_run_record *record; /* ours; NULL: none */
  int fd;                          /* the connection to the supervisor */
  bool described;                  /* the present wait, in words */
  bool tries;                      /* fab_ops.tries: the waits in it are pauses */
};

struct fmpi {
  struct fab fab; /* first */
  struct fab_ops table;
  struct fmpi_comms comm;
  struct fmpi_job job;
  struct fmpi_progress progress;
  struct fmpi_idle idle;
  struct fmpi_seg seg[FAB_SEG_MAX];
  struct fmpi_data data;
  struct fmpi_attach attach;
  struct fmpi_targets targets;
  struct fmpi_signals signals;
  struct fmpi_messages *messages; /* NULL: there are none (ops/message.h) */
  struct fmpi_probe probe;
  struct fmpi_nodes nodes;
  struct fmpi_stats stats;
  struct fmpi_end end;
  struct fmpi_supervised supervised;
  struct fmpi_ops ops; /* last: it is large */
};

_Static_assert(offsetof(struct fmpi, fab) == 0, "the endpoint starts with the common head");
_Static_assert((FAB_SEG_MAX & (FAB_SEG_MAX - 1)) == 0,
               "a segment's slot is its id modulo FAB_SEG_MAX");
_Static_assert(sizeof(MPI_Aint) == 8, "offsets and addresses are 64 bits");

static inline struct fmpi *fmpi_of(struct fab *f) {
  return (struct fmpi *)(void *)f;
}

/* Returns the code of a failed MPI call, after naming it in the log. */
int fmpi_mpi_failed(const char *function, const char *call, int code);
#define FMPI_TRY(call)                                   \
  do {                                                   \
    int fmpi_rc_ = (call);                               \
    if (__builtin_expect(fmpi_rc_ != MPI_SUCCESS, 0))    \
      return fmpi_mpi_failed(__func__, #call, fmpi_rc_); \
  } while (0)

uint64_t fmpi_clock_ns(void);
#endif
