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

#define FR_PAGE 4096u
#define FR_HUGE_PAGE (UINT64_C(1) << 21)
/* one MPI call moves at most this: its count is an int */
#define FR_CHUNK_BYTES (UINT64_C(1) << 30)
#define FR_OP_BLOCK 256u       /* operations are allocated in blocks of this many */
#define FR_OP_BLOCKS_MAX 4096u /* so at most 1,048,576 requests wait to be retired */
#define FR_PHASES_MAX 16u
#define FR_PHASE_NAME 32u
#define FR_SIGNALS 5u
#define FR_UNIT UINT32_MAX
#define FR_LOOKS 1000u /* see fab.looks: some 10 to 40 us */

/* One segment. `id` is the slot's index below FAB_SEG_MAX plus a generation above it, equal on all
 * units. */
struct fr_seg {
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
struct fr_at {
  char *ptr; /* NULL: only through MPI */
  MPI_Win win;
  MPI_Aint disp;
  uint32_t slot; /* FAB_SEG_MAX: attached */
  fab_unit_t unit;
};

union fr_word {
  uint64_t u64;
  uint32_t u32;
};

/* An operation that MPI has not finished, or that the caller has not retired. */
struct fr_op {
  uint32_t index; /* in the table */
  uint32_t generation;
  struct fr_op *prev, *next; /* in fr.live while MPI may touch it */
  /* in fr.queue while its signal waits for its bytes; in fr.free while unused */
  struct fr_op *queue_next;
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
  union fr_word operand, compare, result;
  uint64_t *old;
  /* A signal, while it is queued. */
  enum fab_sig_op sig_op;
  struct fr_at sig_at;
};

/* What MPI still owes one target. On two lists: of its hash bucket, and by age. */
struct fr_target {
  fab_unit_t unit;
  bool attached;   /* through the window of attached memory */
  uint32_t gets;   /* calls not known to be complete */
  uint32_t writes; /* puts, atomics, signals */
  uint64_t segs;   /* bit i: through segment slot i */
  struct fr_target *bucket_next;
  struct fr_target *older, *newer;
};

struct fr_targets {
  struct fr_target *pool;
  struct fr_target *spare; /* by bucket_next */
  struct fr_target **bucket;
  uint32_t mask;
  struct fr_target *oldest, *newest;
  uint32_t inflight; /* sum of gets and writes */
  uint32_t limit;    /* of inflight */
};

struct fr_attached {
  uint64_t addr, len;
  uint32_t count;
};

/* `count` consecutive nodes of `size` units each, the first being node `node` with unit `unit` as
 * its first. */
struct fr_run {
  uint32_t unit, node, size, count;
};

enum fr_distance { FR_SAME_UNIT = 0, FR_SAME_NODE, FR_OTHER_NODE, FR_DISTANCES };

struct fr_stats {
  uint64_t ops[FR_DISTANCES], bytes[FR_DISTANCES];
  uint64_t handed_ops, handed_bytes;   /* of these, to progress processes */
  uint64_t private_ops, private_bytes; /* of those handed over, with private buffers */
  uint64_t errands;                    /* and as errands */
  uint32_t phases;
  uint32_t current; /* FR_PHASES_MAX: none */
  uint64_t since_ns;
  char name[FR_PHASES_MAX][FR_PHASE_NAME];
  uint64_t spent_ns[FR_PHASES_MAX];
};

struct fr {
  struct fab fab; /* first */
  MPI_Comm all;   /* units in the order of their ids; MPI_COMM_NULL in progress processes */
  /* the same, and behind them the progress processes, node by node; the same communicator as `all`
   * if there are none */
  MPI_Comm wide;
  /* units whose memory is mapped here, and behind them the node's progress processes */
  MPI_Comm node;
  uint32_t servers;           /* progress processes a node (progress/engine.h) */
  uint32_t server;            /* which of its node this process is; FR_UNIT: it is a unit */
  struct fr_engine *engine;   /* NULL: servers is 0 */
  struct fr_bells *bells;     /* NULL: nobody sleeps (wait/wakeup.h) */
  struct fr_thread *thread;   /* NULL: no progress thread */
  struct fr_errands *errands; /* NULL: atomics do not travel as messages */
  bool threads;               /* MPI lets several threads of a process call it at once */
  bool own_mpi;               /* we initialised MPI, so we finalize it */
  bool one_node;              /* all units of the job are mapped here */
  /* words of segments are changed by processors of their owner's node only: one_node, or there are
   * errands */
  bool cpu_words;
  /* MPI may keep memory of windows where it is, for a network that accesses it by itself */
  bool pins;
  /* More processes than processors on some machine of the job. In a job of one node only units
   * count: progress processes then do nothing that units would wait for without ringing
   * (wait/wakeup.h), and sleep when a processor is wanted. */
  bool crowded;
  bool summary;
  uint32_t machine_units;     /* units of the job on this machine */
  uint32_t machine_processes; /* and with its progress processes; 0: not known yet */
  uint64_t start_ns;
  uint64_t idle; /* looks that found nothing, in a row */
  uint32_t vain; /* yields that reached nobody, in a row */
  bool armed;    /* the own bell: the next time that there is nothing to do is a sleep */
  uint64_t chunk_bytes;
  struct fr_seg seg[FAB_SEG_MAX];
  struct fr_targets targets;
  struct fr_op *blocks[FR_OP_BLOCKS_MAX];
  uint32_t nblocks;
  struct fr_op *free, *live;
  /* signals whose bytes are not yet known to be there, first in first out */
  struct fr_op *queue_head, *queue_tail;
  uint32_t queued;
  /* operations without request that have failed, and that no flush has told of yet */
  uint32_t lost;
  MPI_Win dynamic;      /* attached memory */
  struct fr_mail *mail; /* the same by messages (mem/attach_message.c); NULL: by `dynamic` */
  MPI_Win echo;         /* one byte a unit, read to see that a crowded target has run */
  char echo_here, echo_there;
  struct fr_attached *attached;
  uint32_t nattached, attached_room;
  struct fr_run *runs;
  uint32_t nruns;
  struct fr_stats stats;
  void *signal_stack;
  struct sigaction signal_before[FR_SIGNALS];
  bool signal_taken[FR_SIGNALS];
  int finalize_key; /* an attribute of MPI_COMM_SELF: MPI deletes it first thing in MPI_Finalize */
};

_Static_assert(offsetof(struct fr, fab) == 0, "the endpoint starts with the common head");
_Static_assert((FAB_SEG_MAX & (FAB_SEG_MAX - 1)) == 0,
               "a segment's slot is its id modulo FAB_SEG_MAX");
_Static_assert(FAB_SEG_MAX <= 64, "fr_target.segs has a bit a slot");
_Static_assert(sizeof(MPI_Aint) == 8, "offsets and addresses are 64 bits");

static inline struct fr *fr_of(struct fab *f) {
  return (struct fr *)(void *)f;
}

/* Returns the code of a failed MPI call, after naming it in the log. */
int fr_mpi_failed(const char *function, const char *call, int code);
#define FR_TRY(call)                                                                               \
  do {                                                                                             \
    int fr_rc_ = (call);                                                                           \
    if (__builtin_expect(fr_rc_ != MPI_SUCCESS, 0)) return fr_mpi_failed(__func__, #call, fr_rc_); \
  } while (0)

/* world.c */
int fr_close(struct fab *fab);

/* launch/place.c: who shares a node, in which order units are numbered, where everybody is. */
int fr_place_units(struct fr *f, uint32_t node_size);
/* The node of a unit, and the first unit there. */
void fr_home(const struct fr *f, fab_unit_t unit, uint32_t *node, fab_unit_t *first);
/* Whom MPI is to address for a place, as what: the unit, or the progress process that serves it,
 * which has the memory of its whole node. */
/* with progress processes; of a segment */
void fr_aim_served(const struct fr *f, const struct fr_at *at, int *rank, MPI_Aint *disp);
static inline void fr_aim(const struct fr *f, const struct fr_at *at, int *rank, MPI_Aint *disp) {
  *rank = (int)at->unit;
  *disp = at->disp;
  /* attached memory is its owner's alone */
  if (__builtin_expect(f->servers != 0 && at->slot != FAB_SEG_MAX, 0))
    fr_aim_served(f, at, rank, disp);
}
/* the same rank, of unit's part of any segment */
int fr_rank_of(const struct fr *f, fab_unit_t unit);
int fr_locate(struct fab *fab, fab_unit_t unit, eyot_place_t *place);

/* mem/node_memory.c: memory of the node for the fabric's own words, at its first process, beginning
 * at a line of the cache. Collective over the node. */
#define FR_LINE 64u
int fr_share_lines(const struct fr *f, uint64_t bytes, MPI_Win *win, void **memory);

/* launch/vendor.c: what differs between MPIs. */
bool fr_is_openmpi(void);                 /* may be asked before MPI_Init */
int fr_vendor_before_init(void);          /* before MPI_T too, which reads the environment */
void fr_vendor_skip_address_search(void); /* between MPI_T_init_thread and MPI_Init */
int fr_vendor_thread_level(bool thread);  /* thread: eyot has one of its own that calls MPI */
bool fr_vendor_mails(void);               /* attached memory by messages, not by a dynamic window */
int fr_check_launcher(int world_size);    /* is it the launcher of this MPI? Errors: EFABRIC */

/* launch/agree.c: what is compared at start. */
int fr_check_options(MPI_Comm world);

/* mem/seg.c */
int fr_seg_create(struct fab *fab, uint64_t len, fab_seg_t *seg);
int fr_seg_room(struct fab *fab, uint64_t *len);
int fr_seg_destroy(struct fab *fab, fab_seg_t seg);
int fr_seg_ptr(struct fab *fab, fab_seg_t seg, fab_unit_t unit, void **ptr);
int fr_seg_map(struct fab *fab, fab_seg_t seg, char **base, uint64_t *stride);
int fr_seg_reserve(struct fab *fab, uint64_t len, uint64_t promised, fab_seg_t *seg);
int fr_seg_find(const struct fr *f, fab_seg_t seg, const struct fr_seg **out); /* ESEG */
int fr_seg_release(struct fr_seg *s);                                          /* collective */
/* A progress process does this for seg_create, once all units are in it. */
int fr_seg_serve(struct fr *f, fab_seg_t id, uint64_t len);
/* Logs what is wrong with a place that fr_resolve refused. */
int fr_bad_place(const struct fr *f, struct fab_addr a, uint64_t len);
bool fr_alone(const struct fr *f); /* nobody else maps this process's parts */
#define FR_SHM_FOLDER "/dev/shm"   /* where Linux keeps shared memory of processes */
/* bytes left for it on this machine; UINT64_MAX: it is elsewhere */
uint64_t fr_shared_space(void);

/* mem/pages.c: which pages of a segment are there. */
int fr_find_pins(struct fr *f); /* sets f->pins */
int fr_seg_reach(struct fab *fab, uint64_t want, uint64_t *len);
int fr_seg_return(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len);
int fr_seg_secure(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len);

/* mem/attach.c */
int fr_attach_open(struct fr *f);
int fr_attach_close(struct fr *f);
int fr_attach(struct fab *fab, void *addr, uint64_t len, uint64_t *key);
int fr_detach(struct fab *fab, uint64_t key);
int fr_attach_resolve(struct fr *f, struct fab_addr a, uint64_t len, struct fr_at *at);
bool fr_is_attached(const struct fr *f, uint64_t from, uint64_t len); /* by this unit */

/* mem/attach_message.c: attached memory by messages. Complete, remotely too, when they return;
 * ERANGE: it is not attached there. */
int fr_mail_open(struct fr *f);
int fr_mail_close(struct fr *f); /* after a meeting behind which nobody accesses attached memory */
int fr_mail_move(struct fr *f, const struct fr_at *at, char *here, uint64_t len, bool is_get);
/* old may be NULL */
int fr_mail_amo(struct fr *f, const struct fr_at *at, const struct fab_amo *amo, uint64_t *old);
int fr_mail_signal(struct fr *f, const struct fr_at *at, enum fab_sig_op op, uint64_t value);
/* answers others, without blocking, and lets MPI work; by unit or progress thread */
int fr_mail_serve(struct fr *f);
/* around changes of the list of what is attached; nothing if f->mail is NULL */
void fr_mail_lock(struct fr *f);
void fr_mail_unlock(struct fr *f);
static inline bool fr_by_mail(const struct fr *f, const struct fr_at *at) {
  return __builtin_expect(at->slot == FAB_SEG_MAX, 0) && f->mail != NULL;
}

/* ops/rma.c */
int fr_put(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req);
int fr_get(struct fab *fab, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req);
/* by MPI; op NULL: implicit */
int fr_put_far(struct fr *f, const struct fr_at *at, const void *src, uint64_t len,
               struct fr_op *op);
/* One call of MPI, completed by a flush of the rank that fr_aim gives; if req is not NULL, locally
 * by that. */
int fr_move_piece(const struct fr *f, const struct fr_at *at, char *here, uint64_t done,
                  uint64_t len, bool is_get, MPI_Request *req);
/* to mapped memory */
void fr_copy_in(char *dst, const void *src, uint64_t len);
/* from mapped memory */
void fr_copy_out(void *dst, const char *src, uint64_t len);

/* ops/amo.c */
#define FR_WORD_MPI(width) ((width) == 4 ? MPI_UINT32_T : MPI_UINT64_T)
/* Which kind changes a word, once for all who name it: the two kinds are not atomic against each
 * other. Attached words are MPI's, whoever their owner is; words of segments are all the CPU's
 * (here, or by an errand) or all MPI's. */
static inline bool fr_by_cpu(const struct fr *f, const struct fr_at *at) {
  return f->cpu_words && at->ptr != NULL && at->slot != FAB_SEG_MAX;
}
static inline bool fr_by_errand(const struct fr *f, const struct fr_at *at) {
  return f->errands != NULL && at->ptr == NULL && at->slot != FAB_SEG_MAX;
}
int fr_amo(struct fab *fab, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
           fab_req_t *req);

/* ops/signal.c */
int fr_put_signal(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len,
                  const struct fab_sig *sig, fab_req_t *req);
void fr_signal_by_cpu(char *word, enum fab_sig_op op, uint64_t value);
/* *value stays until a flush of the rank that fr_aim gives. */
int fr_signal_by_mpi(const struct fr *f, const struct fr_at *at, enum fab_sig_op op,
                     const uint64_t *value);
/* sends the queued signals to `unit` or FAB_ALL; waits for their bytes to arrive */
int fr_signals_issue(struct fr *f, fab_unit_t unit);

/* ops/op.c: the table of operations. */
int fr_op_new(struct fr *f, fab_unit_t unit, bool requested, struct fr_op **out);
/* MPI has it, or it is queued: from now on a flush completes it */
void fr_op_issued(struct fr *f, struct fr_op *op);
void fr_op_drop(struct fr *f, struct fr_op *op); /* not issued, or finished: back to the table */
fab_req_t fr_op_id(const struct fr_op *op);
struct fr_op *fr_op_find(const struct fr *f, fab_req_t req); /* NULL: unknown or retired */
/* MPI has completed it locally: takes results, frees MPI requests */
int fr_op_local(struct fr *f, struct fr_op *op);
/* after a flush of `unit` or FAB_ALL */
int fr_ops_completed(struct fr *f, fab_unit_t unit, enum fab_level level);
/* the error of operations without request that have failed, once; else 0 */
int fr_ops_tell(struct fr *f, fab_unit_t unit, enum fab_level level);
void fr_ops_free(struct fr *f);

/* ops/target.c: what is in flight to whom. */
int fr_targets_init(struct fr_targets *t, uint32_t limit);
void fr_targets_fini(struct fr_targets *t);
struct fr_target *fr_target_find(const struct fr_targets *t, fab_unit_t unit);
void fr_target_forget(struct fr_targets *t, struct fr_target *x); /* all of it is complete */
/* before an MPI call; makes room by completing the oldest target */
int fr_target_add(struct fr *f, const struct fr_at *at, bool is_get);
/* the same, for an operation that another process hands to MPI */
int fr_target_add_delegated(struct fr *f, fab_unit_t unit, bool is_get);
/* one of them is complete, without a flush */
void fr_target_done(struct fr *f, fab_unit_t unit, bool is_get);

/* ops/flush.c */
int fr_flush(struct fab *fab, fab_unit_t unit, enum fab_level level);
/* the same, but what operations have failed is left to a flush to tell */
int fr_drain(struct fr *f, fab_unit_t unit, enum fab_level level);
int fr_order(struct fab *fab, fab_unit_t unit);
/* MPI operations only, not queued signals */
int fr_complete(struct fr *f, fab_unit_t unit, enum fab_level level);
int fr_let_run(struct fr *f, int rank); /* before MPI's own waiting: see there */

/* ops/req.c */
int fr_req_test(struct fab *fab, fab_req_t req, enum fab_level level, bool *done);
int fr_req_wait(struct fab *fab, fab_req_t req, enum fab_level level);

/* wait/wait.c */
int fr_wait_mem(struct fab *fab, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value,
                uint64_t timeout_ns, uint64_t *seen);
int fr_wait_any(struct fab *fab, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                uint32_t *index);
int fr_progress(struct fab *fab);
int fr_poll(struct fr *f); /* lets MPI work */
/* lets other processes run; `round` counts the calls of one wait */
void fr_give_way(struct fr *f, uint64_t round);
/* the same for a wait whose end rings (wait/wakeup.h): sleeps soon, on any machine */
void fr_give_way_rung(struct fr *f, uint64_t round);
void fr_awake(struct fr *f); /* what fr_give_way was called for has come */
/* a look that found nothing: after some in a row, lets other processes run */
void fr_idle(struct fr *f);
int fr_test_mpi(MPI_Request *reqs, uint32_t n, bool *done);
/* waits for MPI requests, giving way to others on a crowded machine */
int fr_wait_mpi(struct fr *f, MPI_Request *reqs, uint32_t n);
/* a barrier of all units that does the same */
int fr_meet(struct fr *f);
/* their maxima over all units, likewise; MPICH 4.0 compares them as signed */
int fr_max(struct fr *f, uint64_t *words, uint32_t n);
uint64_t fr_clock_ns(void);
uint64_t fr_now_ns(struct fab *fab);
int fr_compute(struct fab *fab, uint64_t ns);

/* stats.c */
void fr_phase(struct fab *fab, const char *name);
int fr_stats_print(struct fr *f); /* collective */
static inline void fr_count(struct fr *f, fab_unit_t unit, uint64_t bytes) {
  enum fr_distance d = unit == f->fab.me                            ? FR_SAME_UNIT
                       : unit - f->fab.local.first < f->fab.local.n ? FR_SAME_NODE
                                                                    : FR_OTHER_NODE;
  f->stats.ops[d]++;
  f->stats.bytes[d] += bytes;
}

/* launch/end.c: how a run ends when it does not end well. */
void fr_abort(struct fab *fab, int code, const char *reason) __attribute__((noreturn));
int fr_end_watch(struct fr *f); /* installs the handlers of exit and of fatal signals */
void fr_end_unwatch(struct fr *f);

/* launch/quiet.c: MPI_Finalize, prepared. Collective over MPI_COMM_WORLD; nothing of eyot's may be
 * in flight. */
int fr_finalize_mpi(const struct fr *f);

/* Where [a, a+len) is. Errors: ESEG, EUNIT, ERANGE. */
static inline int fr_resolve(struct fr *f, struct fab_addr a, uint64_t len, struct fr_at *at) {
  if (__builtin_expect(a.seg == FAB_SEG_ATTACHED, 0)) return fr_attach_resolve(f, a, len, at);
  uint32_t slot = a.seg % FAB_SEG_MAX;
  const struct fr_seg *s = &f->seg[slot];
  if (__builtin_expect(
          !s->live || s->id != a.seg || a.unit >= f->fab.n || len > s->len || a.off > s->len - len,
          0))
    return fr_bad_place(f, a, len);
  uint32_t k = a.unit - f->fab.local.first;
  at->ptr = k < f->fab.local.n ? s->base + (uint64_t)k * s->stride + a.off : NULL;
  at->win = s->rma;
  at->disp = (MPI_Aint)a.off;
  at->slot = slot;
  at->unit = a.unit;
  return EYOT_OK;
}
#endif
