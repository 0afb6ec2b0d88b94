/* SPDX-License-Identifier: BSD-3-Clause */
/* fr.h - the inside of the mpi fabric: one endpoint a process, over MPI-3 RMA and shared windows.
 *
 * What maps to what: a segment is a shared window on the (virtual) node and, when the job has more
 * than one node, an MPI window over the same memory on all units; both stay in one lock_all epoch.
 * Memory that is mapped here is copied by the CPU; the rest is MPI_(R)Put and MPI_(R)Get. Atomics
 * and signals are the CPU's of the target's node when all units of the job share one node, or when
 * progress processes execute those of other nodes (ops/remote_amo.h); else all of them are MPI's,
 * on one window, to whatever target: the two kinds are not atomic against each other. */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_ENDPOINT_H
#define EYOT_FABRIC_REAL_ENDPOINT_ENDPOINT_H

#include <mpi.h>
#include <signal.h>

#include "base/check.h"
#include "fabric/fabric.h"

#define FMPI_PAGE 4096u
#define FMPI_HUGE_PAGE (UINT64_C(1) << 21)
/* one MPI call moves at most this: its count is an int */
#define FMPI_CHUNK_BYTES (UINT64_C(1) << 30)
#define FMPI_OP_BLOCK 256u       /* operations are allocated in blocks of this many */
#define FMPI_OP_BLOCKS_MAX 4096u /* so at most 1,048,576 requests wait to be retired */
#define FMPI_PHASES_MAX 16u
#define FMPI_PHASE_NAME 32u
#define FMPI_SIGNALS 5u
#define FMPI_UNIT UINT32_MAX
#define FMPI_SPIN_LIMIT 1000u /* see fab.looks: some 10 to 40 us */

/* One segment. `id` is the slot's index below FAB_SEG_MAX plus a generation above it, equal on all
 * units. */
struct fmpi_seg {
  fab_seg_t id;
  uint32_t generation;
  bool live;
  char *base; /* part of the first mapped unit */
  uint64_t stride;
  uint64_t len;
  /* of a part that was mmapped because no other unit shares it; 0: from MPI */
  uint64_t mapped_bytes;
  MPI_Win shared; /* MPI_WIN_NULL when mmapped */
  MPI_Win rma;    /* MPI_WIN_NULL when all units share the node */
};

/* A place that an operation names, checked: where it is mapped here, and how MPI addresses it. */
struct fmpi_at {
  char *ptr; /* NULL: only through MPI */
  MPI_Win win;
  MPI_Aint disp;
  uint32_t slot; /* FAB_SEG_MAX: attached */
  fab_unit_t unit;
};

union fmpi_word {
  uint64_t u64;
  uint32_t u32;
};

/* An operation that MPI has not finished, or that the caller has not retired. */
struct fmpi_op {
  uint32_t index; /* in the table */
  uint32_t generation;
  struct fmpi_op *prev, *next; /* in fr.live while MPI may touch it */
  /* in fr.queue while its signal waits for its bytes; in fr.free while unused */
  struct fmpi_op *queue_next;
  fab_unit_t unit;
  bool used;
  bool requested; /* the caller holds an id and retires it */
  bool is_get;
  bool queued;
  bool delegated; /* a progress process does it: request number `ticket` of ring `ring` */
  /* it is an errand, number `ticket` (ops/remote_amo.h), or the signal that was queued is */
  bool sent;
  bool local_done, remote_done;
  /* delegated, and its progress process could not do it: the error, to be told at its completion */
  int failed;
  uint32_t ring;
  uint64_t ticket;
  MPI_Request one;   /* of a put or get in one piece */
  MPI_Request *many; /* of its chunks, or NULL */
  uint32_t chunks;
  /* Atomics and signals: MPI reads and writes these until the operation is locally complete. */
  uint32_t width;
  union fmpi_word operand, compare, result;
  uint64_t *old;
  /* A signal, while it is queued. */
  enum fab_sig_op sig_op;
  struct fmpi_at sig_at;
};

/* What MPI still owes one target. On two lists: of its hash bucket, and by age. */
struct fmpi_target {
  fab_unit_t unit;
  bool attached;   /* through the window of attached memory */
  uint32_t gets;   /* calls not known to be complete */
  uint32_t writes; /* puts, atomics, signals */
  uint64_t segs;   /* bit i: through segment slot i */
  struct fmpi_target *bucket_next;
  struct fmpi_target *older, *newer;
};

struct fmpi_targets {
  struct fmpi_target *pool;
  struct fmpi_target *spare; /* by bucket_next */
  struct fmpi_target **bucket;
  uint32_t mask;
  struct fmpi_target *oldest, *newest;
  uint32_t inflight; /* sum of gets and writes */
  uint32_t limit;    /* of inflight */
};

struct fmpi_attached {
  uint64_t addr, len;
  uint32_t count;
};

/* `count` consecutive nodes of `size` units each, the first being node `node` with unit `unit` as
 * its first. */
struct fmpi_run {
  uint32_t unit, node, size, count;
};

enum fmpi_distance { FMPI_SAME_UNIT = 0, FMPI_SAME_NODE, FMPI_OTHER_NODE, FMPI_DISTANCES };

struct fmpi_stats {
  uint64_t ops[FMPI_DISTANCES], bytes[FMPI_DISTANCES];
  uint64_t handed_ops, handed_bytes;   /* of these, to progress processes */
  uint64_t private_ops, private_bytes; /* of those handed over, with private buffers */
  uint64_t remote_amos;                /* and as errands */
  uint32_t phases;
  uint32_t current; /* FMPI_PHASES_MAX: none */
  uint64_t since_ns;
  char name[FMPI_PHASES_MAX][FMPI_PHASE_NAME];
  uint64_t spent_ns[FMPI_PHASES_MAX];
};

struct fmpi {
  struct fab fab; /* first */
  MPI_Comm all;   /* units in the order of their ids; MPI_COMM_NULL in progress processes */
  /* the same, and behind them the progress processes, node by node; the same communicator as `all`
   * if there are none */
  MPI_Comm wide;
  /* units whose memory is mapped here, and behind them the node's progress processes */
  MPI_Comm node;
  uint32_t servers;             /* progress processes a node (progress/engine.h) */
  uint32_t server;              /* which of its node this process is; FMPI_UNIT: it is a unit */
  struct fmpi_engine *engine;   /* NULL: servers is 0 */
  struct fmpi_wakeups *wakeups; /* NULL: nobody sleeps (wait/wakeup.h) */
  struct fmpi_thread *thread;   /* NULL: no progress thread */
  struct fmpi_remote_amos *remote_amos; /* NULL: atomics do not travel as messages */
  bool threads;                         /* MPI lets several threads of a process call it at once */
  bool own_mpi;                         /* we initialized MPI, so we finalize it */
  bool one_node;                        /* all units of the job are mapped here */
  /* words of segments are changed by processors of their owner's node only: one_node, or there are
   * errands */
  bool cpu_words;
  /* MPI may keep memory of windows where it is, for a network that accesses it by itself */
  bool pins;
  /* More processes than processors on some machine of the job. In a job of one node only units
   * count: progress processes then do nothing that units would wait for without ringing
   * (wait/wakeup.h), and sleep when a processor is wanted. */
  bool oversubscribed;
  bool summary;
  uint32_t machine_units;     /* units of the job on this machine */
  uint32_t machine_processes; /* and with its progress processes; 0: not known yet */
  uint64_t start_ns;
  uint64_t idle; /* looks that found nothing, in a row */
  uint32_t vain; /* yields that reached nobody, in a row */
  bool armed;    /* the own bell: the next time that there is nothing to do is a sleep */
  uint64_t chunk_bytes;
  struct fmpi_seg seg[FAB_SEG_MAX];
  struct fmpi_targets targets;
  struct fmpi_op *blocks[FMPI_OP_BLOCKS_MAX];
  uint32_t nblocks;
  struct fmpi_op *free, *live;
  /* signals whose bytes are not yet known to be there, first in first out */
  struct fmpi_op *queue_head, *queue_tail;
  uint32_t queued;
  /* operations without request that have failed, and that no flush has told of yet */
  uint32_t lost;
  MPI_Win dynamic; /* attached memory */
  /* the same by messages (mem/attach_message.c); NULL: by `dynamic` */
  struct fmpi_attach_message *attach_message;
  MPI_Win probe; /* one byte a unit, read to see that a crowded target has run */
  char probe_here, probe_there;
  struct fmpi_attached *attached;
  uint32_t nattached, attached_cap;
  struct fmpi_run *runs;
  uint32_t nruns;
  struct fmpi_stats stats;
  void *signal_stack;
  struct sigaction signal_before[FMPI_SIGNALS];
  bool signal_taken[FMPI_SIGNALS];
  int finalize_key; /* an attribute of MPI_COMM_SELF: MPI deletes it first thing in MPI_Finalize */
};

_Static_assert(offsetof(struct fmpi, fab) == 0, "the endpoint starts with the common head");
_Static_assert((FAB_SEG_MAX & (FAB_SEG_MAX - 1)) == 0,
               "a segment's slot is its id modulo FAB_SEG_MAX");
_Static_assert(FAB_SEG_MAX <= 64, "fmpi_target.segs has a bit a slot");
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

/* world.c */
int fmpi_close(struct fab *fab);

/* launch/place.c: who shares a node, in which order units are numbered, where everybody is. */
int fmpi_place_units(struct fmpi *f, uint32_t node_size);
/* The node of a unit, and the first unit there. */
void fmpi_home(const struct fmpi *f, fab_unit_t unit, uint32_t *node, fab_unit_t *first);
/* Whom MPI is to address for a place, as what: the unit, or the progress process that serves it,
 * which has the memory of its whole node. */
/* with progress processes; of a segment */
void fmpi_target_rank_served(const struct fmpi *f, const struct fmpi_at *at, int *rank,
                             MPI_Aint *disp);
static inline void fmpi_target_rank(const struct fmpi *f, const struct fmpi_at *at, int *rank,
                                    MPI_Aint *disp) {
  *rank = (int)at->unit;
  *disp = at->disp;
  /* attached memory is its owner's alone */
  if (__builtin_expect(f->servers != 0 && at->slot != FAB_SEG_MAX, 0))
    fmpi_target_rank_served(f, at, rank, disp);
}
/* the same rank, of unit's part of any segment */
int fmpi_rank_of(const struct fmpi *f, fab_unit_t unit);
int fmpi_locate(struct fab *fab, fab_unit_t unit, eyot_place_t *place);

/* mem/node_memory.c: memory of the node for the fabric's own words, at its first process, beginning
 * at a line of the cache. Collective over the node. */
#define FMPI_LINE 64u
int fmpi_share_lines(const struct fmpi *f, uint64_t bytes, MPI_Win *win, void **memory);

/* launch/vendor.c: what differs between MPIs. */
bool fmpi_is_openmpi(void);                 /* may be asked before MPI_Init */
int fmpi_vendor_before_init(void);          /* before MPI_T too, which reads the environment */
void fmpi_vendor_skip_address_search(void); /* between MPI_T_init_thread and MPI_Init */
int fmpi_vendor_thread_level(bool thread);  /* thread: eyot has one of its own that calls MPI */
/* attached memory by messages, not by a dynamic window */
bool fmpi_vendor_attach_by_message(void);
int fmpi_check_launcher(int world_size); /* is it the launcher of this MPI? Errors: EFABRIC */

/* launch/agree.c: what is compared at start. */
int fmpi_check_options(MPI_Comm world);

/* mem/seg.c */
int fmpi_seg_create(struct fab *fab, uint64_t len, fab_seg_t *seg);
int fmpi_seg_available(struct fab *fab, uint64_t *len);
int fmpi_seg_destroy(struct fab *fab, fab_seg_t seg);
int fmpi_seg_ptr(struct fab *fab, fab_seg_t seg, fab_unit_t unit, void **ptr);
int fmpi_seg_map(struct fab *fab, fab_seg_t seg, char **base, uint64_t *stride);
int fmpi_seg_reserve(struct fab *fab, uint64_t len, uint64_t promised, fab_seg_t *seg);
int fmpi_seg_find(const struct fmpi *f, fab_seg_t seg, const struct fmpi_seg **out); /* ESEG */
int fmpi_seg_release(struct fmpi_seg *s); /* collective */
/* A progress process does this for seg_create, once all units are in it. */
int fmpi_seg_serve(struct fmpi *f, fab_seg_t id, uint64_t len);
/* Logs what is wrong with a place that fmpi_resolve refused. */
int fmpi_bad_address(const struct fmpi *f, struct fab_addr a, uint64_t len);
bool fmpi_alone(const struct fmpi *f); /* nobody else maps this process's parts */
#define FMPI_SHM_FOLDER "/dev/shm"     /* where Linux keeps shared memory of processes */
/* bytes left for it on this machine; UINT64_MAX: it is elsewhere */
uint64_t fmpi_shared_space(void);

/* mem/pages.c: which pages of a segment are there. */
int fmpi_find_pins(struct fmpi *f); /* sets f->pins */
int fmpi_seg_reach(struct fab *fab, uint64_t want, uint64_t *len);
int fmpi_seg_return(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len);
int fmpi_seg_secure(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len);

/* mem/attach.c */
int fmpi_attach_open(struct fmpi *f);
int fmpi_attach_close(struct fmpi *f);
int fmpi_attach(struct fab *fab, void *addr, uint64_t len, uint64_t *key);
int fmpi_detach(struct fab *fab, uint64_t key);
int fmpi_attach_resolve(struct fmpi *f, struct fab_addr a, uint64_t len, struct fmpi_at *at);
bool fmpi_is_attached(const struct fmpi *f, uint64_t from, uint64_t len); /* by this unit */

/* mem/attach_message.c: attached memory by messages. Complete, remotely too, when they return;
 * ERANGE: it is not attached there. */
int fmpi_attach_message_open(struct fmpi *f);
/* after a meeting behind which nobody accesses attached memory */
int fmpi_attach_message_close(struct fmpi *f);
int fmpi_attach_message_move(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                             bool is_get);
/* old may be NULL */
int fmpi_attach_message_amo(struct fmpi *f, const struct fmpi_at *at, const struct fab_amo *amo,
                            uint64_t *old);
int fmpi_attach_message_signal(struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                               uint64_t value);
/* answers others, without blocking, and lets MPI work; by unit or progress thread */
int fmpi_attach_message_serve(struct fmpi *f);
/* around changes of the list of what is attached; nothing if f->mail is NULL */
void fmpi_attach_message_lock(struct fmpi *f);
void fmpi_attach_message_unlock(struct fmpi *f);
static inline bool fmpi_by_attach_message(const struct fmpi *f, const struct fmpi_at *at) {
  return __builtin_expect(at->slot == FAB_SEG_MAX, 0) && f->attach_message != NULL;
}

/* ops/rma.c */
int fmpi_put(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req);
int fmpi_get(struct fab *fab, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req);
/* by MPI; op NULL: implicit */
int fmpi_put_remote(struct fmpi *f, const struct fmpi_at *at, const void *src, uint64_t len,
                    struct fmpi_op *op);
/* One call of MPI, completed by a flush of the rank that fmpi_target_rank gives; if req is not
 * NULL, locally by that. */
int fmpi_move_piece(const struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t done,
                    uint64_t len, bool is_get, MPI_Request *req);
/* to mapped memory */
void fmpi_copy_in(char *dst, const void *src, uint64_t len);
/* from mapped memory */
void fmpi_copy_out(void *dst, const char *src, uint64_t len);

/* ops/amo.c */
#define FMPI_WORD_MPI(width) ((width) == 4 ? MPI_UINT32_T : MPI_UINT64_T)
/* Which kind changes a word, once for all who name it: the two kinds are not atomic against each
 * other. Attached words are MPI's, whoever their owner is; words of segments are all the CPU's
 * (here, or by an errand) or all MPI's. */
static inline bool fmpi_by_cpu(const struct fmpi *f, const struct fmpi_at *at) {
  return f->cpu_words && at->ptr != NULL && at->slot != FAB_SEG_MAX;
}
static inline bool fmpi_by_remote_amo(const struct fmpi *f, const struct fmpi_at *at) {
  return f->remote_amos != NULL && at->ptr == NULL && at->slot != FAB_SEG_MAX;
}
int fmpi_amo(struct fab *fab, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
             fab_req_t *req);

/* ops/signal.c */
int fmpi_put_signal(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len,
                    const struct fab_sig *sig, fab_req_t *req);
void fmpi_signal_by_cpu(char *word, enum fab_sig_op op, uint64_t value);
/* *value stays until a flush of the rank that fmpi_target_rank gives. */
int fmpi_signal_by_mpi(const struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                       const uint64_t *value);
/* sends the queued signals to `unit` or FAB_ALL; waits for their bytes to arrive */
int fmpi_signals_issue(struct fmpi *f, fab_unit_t unit);

/* ops/op.c: the table of operations. */
int fmpi_op_new(struct fmpi *f, fab_unit_t unit, bool requested, struct fmpi_op **out);
/* MPI has it, or it is queued: from now on a flush completes it */
void fmpi_op_issued(struct fmpi *f, struct fmpi_op *op);
/* not issued, or finished: back to the table */
void fmpi_op_drop(struct fmpi *f, struct fmpi_op *op);
fab_req_t fmpi_op_id(const struct fmpi_op *op);
struct fmpi_op *fmpi_op_find(const struct fmpi *f, fab_req_t req); /* NULL: unknown or retired */
/* MPI has completed it locally: takes results, frees MPI requests */
int fmpi_op_local(struct fmpi *f, struct fmpi_op *op);
/* after a flush of `unit` or FAB_ALL */
int fmpi_ops_completed(struct fmpi *f, fab_unit_t unit, enum fab_level level);
/* the error of operations without request that have failed, once; else 0 */
int fmpi_ops_report(struct fmpi *f, fab_unit_t unit, enum fab_level level);
void fmpi_ops_free(struct fmpi *f);

/* ops/target.c: what is in flight to whom. */
int fmpi_targets_init(struct fmpi_targets *t, uint32_t limit);
void fmpi_targets_fini(struct fmpi_targets *t);
struct fmpi_target *fmpi_target_find(const struct fmpi_targets *t, fab_unit_t unit);
void fmpi_target_forget(struct fmpi_targets *t, struct fmpi_target *x); /* all of it is complete */
/* before an MPI call; makes room by completing the oldest target */
int fmpi_target_add(struct fmpi *f, const struct fmpi_at *at, bool is_get);
/* the same, for an operation that another process hands to MPI */
int fmpi_target_add_delegated(struct fmpi *f, fab_unit_t unit, bool is_get);
/* one of them is complete, without a flush */
void fmpi_target_done(struct fmpi *f, fab_unit_t unit, bool is_get);

/* ops/flush.c */
int fmpi_flush(struct fab *fab, fab_unit_t unit, enum fab_level level);
/* the same, but what operations have failed is left to a flush to tell */
int fmpi_drain(struct fmpi *f, fab_unit_t unit, enum fab_level level);
int fmpi_order(struct fab *fab, fab_unit_t unit);
/* MPI operations only, not queued signals */
int fmpi_complete(struct fmpi *f, fab_unit_t unit, enum fab_level level);
int fmpi_let_run(struct fmpi *f, int rank); /* before MPI's own waiting: see there */

/* ops/req.c */
int fmpi_req_test(struct fab *fab, fab_req_t req, enum fab_level level, bool *done);
int fmpi_req_wait(struct fab *fab, fab_req_t req, enum fab_level level);

/* wait/wait.c */
int fmpi_wait_mem(struct fab *fab, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value,
                  uint64_t timeout_ns, uint64_t *seen);
int fmpi_wait_any(struct fab *fab, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                  uint32_t *index);
int fmpi_progress(struct fab *fab);
int fmpi_poll(struct fmpi *f); /* lets MPI work */
/* lets other processes run; `round` counts the calls of one wait */
void fmpi_give_way(struct fmpi *f, uint64_t round);
/* the same for a wait whose end rings (wait/wakeup.h): sleeps soon, on any machine */
void fmpi_give_way_woken(struct fmpi *f, uint64_t round);
void fmpi_awake(struct fmpi *f); /* what fmpi_give_way was called for has come */
/* a look that found nothing: after some in a row, lets other processes run */
void fmpi_idle(struct fmpi *f);
int fmpi_test_mpi(MPI_Request *reqs, uint32_t n, bool *done);
/* waits for MPI requests, giving way to others on a crowded machine */
int fmpi_wait_mpi(struct fmpi *f, MPI_Request *reqs, uint32_t n);
/* a barrier of all units that does the same */
int fmpi_meet(struct fmpi *f);
/* their maxima over all units, likewise; MPICH 4.0 compares them as signed */
int fmpi_max(struct fmpi *f, uint64_t *words, uint32_t n);
uint64_t fmpi_clock_ns(void);
uint64_t fmpi_now_ns(struct fab *fab);
int fmpi_compute(struct fab *fab, uint64_t ns);

/* stats.c */
void fmpi_phase(struct fab *fab, const char *name);
int fmpi_stats_print(struct fmpi *f); /* collective */
static inline void fmpi_count(struct fmpi *f, fab_unit_t unit, uint64_t bytes) {
  enum fmpi_distance d = unit == f->fab.me                            ? FMPI_SAME_UNIT
                         : unit - f->fab.local.first < f->fab.local.n ? FMPI_SAME_NODE
                                                                      : FMPI_OTHER_NODE;
  f->stats.ops[d]++;
  f->stats.bytes[d] += bytes;
}

/* launch/end.c: how a run ends when it does not end well. */
void fmpi_abort(struct fab *fab, int code, const char *reason) __attribute__((noreturn));
int fmpi_end_watch(struct fmpi *f); /* installs the handlers of exit and of fatal signals */
void fmpi_end_unwatch(struct fmpi *f);

/* launch/quiet.c: MPI_Finalize, prepared. Collective over MPI_COMM_WORLD; nothing of eyot's may be
 * in flight. */
int fmpi_finalize_mpi(const struct fmpi *f);

/* Where [a, a+len) is. Errors: ESEG, EUNIT, ERANGE. */
static inline int fmpi_resolve(struct fmpi *f, struct fab_addr a, uint64_t len,
                               struct fmpi_at *at) {
  if (__builtin_expect(a.seg == FAB_SEG_ATTACHED, 0)) return fmpi_attach_resolve(f, a, len, at);
  uint32_t slot = a.seg % FAB_SEG_MAX;
  const struct fmpi_seg *s = &f->seg[slot];
  if (__builtin_expect(
          !s->live || s->id != a.seg || a.unit >= f->fab.n || len > s->len || a.off > s->len - len,
          0))
    return fmpi_bad_address(f, a, len);
  uint32_t k = a.unit - f->fab.local.first;
  at->ptr = k < f->fab.local.n ? s->base + (uint64_t)k * s->stride + a.off : NULL;
  at->win = s->rma;
  at->disp = (MPI_Aint)a.off;
  at->slot = slot;
  at->unit = a.unit;
  return EYOT_OK;
}
#endif
