/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric.h - the fabric contract: the functions that the layers above may call on a fabric, and the
 * promises that they may rely on. Every layer calls it; mpi (src/fabric_real), sim (src/fabric_sim)
 * and an in-process fake for tests (tests/fake) implement it.
 *
 * Why it exists: protocols are written once, against this table, and run on three fabrics. The
 * conformance suite (tests/conformance) is this header's proof: each sentence of the contract has a
 * case. Thread rule: one thread of a unit at a time. */

/* The contract. Every fabric promises:
 * - *Locally complete*: the source may be reused / the result may be read. *Remotely complete*:
 *   additionally the bytes are visible at the target.
 * - Remote completion is release ordering: a unit that observes a later operation of this origin
 *   sees the bytes. No store-to-load order: put x; get y on two units can both miss. Atomics and
 *   flush(FAB_REMOTE) are full barriers; put and get are not.
 * - Two operations to one unit are unordered unless an order or a completion stands between them.
 *   Gets are never covered by order.
 * - Naturally aligned 4- and 8-byte puts, signals and atomics are never torn; the bytes of a longer
 *   put may appear in any order.
 * - The signal of a put_signal becomes visible after the bytes of its own put.
 * - Atomics are atomic against atomics on the same word by whatever path. A word used by atomics or
 *   signals is written, after initialization, only by atomics or signals, always with one width. A
 *   word that is waited for is written by these, or by puts; by both it is not.
 * - A put that covers any byte of a word ends a wait for it like a signal. Only an aligned put of 4
 *   or 8 bytes synchronizes, and only with the waiter that has observed it: to that unit its bytes
 *   are visible, and what an order or a completion placed before it. A get that reads the same
 *   bytes has learned nothing.
 * - No call relies on the target's CPU unless the fabric declares FAB_CAP_TARGET_PROGRESS.
 * - Every call, a failed test and now included, advances the unit's time and may switch units in a
 *   simulator: polling never hangs it.
 *
 * No fabric promises (sim and fake show it): that a put is visible when the posting call returns,
 * that its words arrive together, that two puts arrive in order.
 *
 * Errors: 0 or negative EYOT_E...; the fabric logs the errors that it detects first. Outputs are
 * written only on success. The posting call reports a unit, segment or range that does not exist
 * (EYOT_EUNIT, EYOT_ESEG, EYOT_ERANGE); the wait or flush that completes the operation reports
 * errors that only the target can know (an attached range that is gone). So is a local buffer that
 * another process could not access for the caller reported (EYOT_ESYS, mpi with progress
 * processes): by test or wait at either level, and without request once, by a flush that covers it.
 * A flush covers the errors of operations of its set, to its unit: at FAB_LOCAL of those with a
 * result, at FAB_REMOTE of all. It returns one of them, and the others are reported with it. */

/* The contract, continued: faults (sim, and each fabric that can notice them; docs/fabrics.md lists
 * those that mpi cannot).
 * - A unit that has crashed takes no further step. An operation that it had posted and that was
 *   reported to it as remotely complete arrives; of the rest any part may or may not, bytes of a
 *   put too, but nothing that an order or a completion places after a lost operation. Its memory
 *   holds what had arrived.
 * - An operation to it that has not taken effect when it crashes, or is posted later, completes
 *   with EYOT_EPEERDOWN, within a bounded time, at the call that would have reported its
 *   completion: the one that retires its request (for results also local completion), or, without
 *   request, a flush that covers it; once. Posting calls and local completion of puts do not report
 *   it. Results are not written. Of a put in several parts some may have arrived. A put that was
 *   remotely complete for its origin is reported no more, whatever becomes of the target.
 * - The same for an operation between two units whose link is down for longer than the fabric is
 *   patient; if it is up again before, the operation is late. The target may be alive: EPEERDOWN
 *   says that the operation has not been acknowledged, not that the unit has crashed, and no call
 *   asks whether it has (mpi could not answer).
 * - wait_mem and wait_any know words, not writers: ETIMEOUT if a time-out is given, else they wait
 *   on. A run in which no unit can make progress is reported, with the units that have crashed.
 *   Waits within eyot_finalize return EYOT_EPEERDOWN then, so that survivors come to an end.
 * - A collective function of the contract (segments, close) with a crashed unit completes for the
 *   others as far as it can without it, or waits like wait_mem.
 * - Slow units, noise and slow links change times only. */
#ifndef EYOT_FABRIC_FABRIC_H
#define EYOT_FABRIC_FABRIC_H

#include <eyot/locality.h>
#include <eyot/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "fabric/model.h"

#define FAB_ABI 25u

typedef uint32_t fab_unit_t; /* global unit id */
#define FAB_ALL UINT32_MAX   /* "every unit" in flush and order */

/* a request; 0 is complete already; the highest bit is never set: ids with it are for the layers
 * above */
typedef uint64_t fab_req_t;

/* A set of operations of one unit. An operation belongs to the set that fab.set names when it is
 * posted. Numbers above FAB_SET_DEFAULT are the layers' own; a fabric keeps nothing of a set
 * without operations. */
typedef uint16_t fab_set_t;
#define FAB_SET_ALL 0     /* posts: the default set; flush and order: all sets */
#define FAB_SET_DEFAULT 1 /* flush and order: the default set alone */

/* A segment: the same number of bytes on every unit, made collectively by all units.
 * FAB_SEG_ATTACHED is the pseudo-segment of attached memory: its offsets are key + byte. */
typedef uint32_t fab_seg_t;
#define FAB_SEG_ATTACHED UINT32_MAX
#define FAB_SEG_MAX 64u /* live segments of a run; gmem needs one or two, the suite some */

/* An address in the memory of a unit. */
struct fab_addr {
  fab_unit_t unit;
  fab_seg_t seg;
  uint64_t off; /* bytes */
};

/* The program's data as a segment: the writable objects with static storage of the program, at each
 * unit in the unit's own globals. own: the address, in the caller's globals, of byte 0 of its part.
 * Byte i is the image's byte image->lo + i, and image says which of them are objects of the
 * program; the others belong to the linker, the loader and libraries and are no target. */
struct eyoti_image; /* base/image.h */
struct fab_data {
  fab_seg_t seg;
  char *own;
  uint64_t len;
  const struct eyoti_image *image;
};

/* FAB_RELEASE, for req_wait only: as FAB_LOCAL, and the request is retired: the operation goes on
 * as one without request, which a flush completes. */
enum fab_level { FAB_LOCAL = 0, FAB_REMOTE = 1, FAB_RELEASE = 2 };

enum fab_amo_op {
  FAB_AMO_READ = 0,
  FAB_AMO_ADD,
  FAB_AMO_AND,
  FAB_AMO_OR,
  FAB_AMO_XOR,
  FAB_AMO_SWAP,
  FAB_AMO_CAS
};

/* An atomic: width 4 or 8 bytes, naturally aligned. operand: the value (desired value for CAS);
 * compare: for CAS. Values of width 4 use the low 32 bits. */
struct fab_amo {
  enum fab_amo_op op;
  uint32_t width;
  bool floats; /* the program uses the word as a floating-point number: for detectors only */
  bool narrow; /* *old has 4 bytes; else 8, whatever the width */
  /* a hint: the word after that of the caller's previous operation, an atomic of the same kind; a
   * NIC may take such a series in one posting. Each word is atomic by itself, as without it */
  bool follows;
  uint64_t operand;
  uint64_t compare;
};

/* A signal: a 64-bit word at the same unit as the put's target; set or add. */
enum fab_sig_op { FAB_SIG_SET = 0, FAB_SIG_ADD = 1 };
struct fab_sig {
  struct fab_addr at;
  enum fab_sig_op op;
  bool message; /* put_signal: fab_message has called it instead of `message`; for prices only */
  uint64_t value;
};

/* Comparison of wait_mem: the order of eyot_cmp_t. */
enum fab_cmp { FAB_EQ = 0, FAB_NE, FAB_LT, FAB_LE, FAB_GT, FAB_GE };
#define FAB_FOREVER UINT64_MAX

/* The width of a word that is waited for, and how it is compared. */
enum fab_word { FAB_U64 = 0, FAB_I64, FAB_U32, FAB_I32 };

/* A condition on an aligned word of the caller's own memory, a segment's or attached: `word cmp
 * value`. Of value, words of 4 bytes use the low 32 bits. */
struct fab_cond {
  fab_seg_t seg;
  enum fab_cmp cmp;
  uint64_t off;
  uint64_t value;
  enum fab_word type;
};

/* Capabilities: properties in which fabrics differ. */
enum fab_cap {
  /* req_test(FAB_REMOTE) may block (MPI has no non-blocking flush) */
  FAB_CAP_TEST_REMOTE_BLOCKS = 1u << 0,
  FAB_CAP_TARGET_PROGRESS = 1u << 1, /* the target must call the fabric from time to time */
  FAB_CAP_VIRTUAL_TIME = 1u << 2,    /* now is virtual */
  /* access to attached memory is not range-checked by the target */
  FAB_CAP_ATTACH_UNCHECKED = 1u << 3,
  FAB_CAP_ORDER_IS_FLUSH = 1u << 4, /* order costs a flush */
  /* any thread of a unit may call it, one at a time; operations and requests are the unit's */
  FAB_CAP_THREADS = 1u << 5,
  /* the signal of a put to a unit that is not mapped may leave in a later call only */
  FAB_CAP_SIGNAL_LATER = 1u << 6
};

/* Units whose memory is mapped here: first .. first+n-1, part k of segment s at map_base(s) +
 * k*stride (see seg_map). n 0: nothing is mapped. */
struct fab_local {
  fab_unit_t first;
  uint32_t n;
};

struct fab; /* one unit's endpoint */

struct fab_check; /* fabric_check.h */

/* The names that diagnostics show for an operation: the layer above may set them before a call (its
 * own function's name); literal strings only. */
struct fab_note {
  const char *what;  /* e.g. "eyot_barrier" */
  const char *phase; /* current eyot_phase, or NULL */
};

struct fab_ops {
  uint32_t abi; /* FAB_ABI */
  const char *name;

  /* -- segments: collective over all units, blocking, same order everywhere -------------------- */
  /* len_bytes on every unit, zeroed, page-aligned unless len_bytes < 4096 (then 64). EINVAL,
   * ENOMEM, EBUSY (FAB_SEG_MAX). */
  int (*seg_create)(struct fab *f, uint64_t len_bytes, fab_seg_t *seg);
  /* A segment of len_bytes that grows: promised_bytes of it must be there now, as for seg_create;
   * of the rest only pages that seg_secure has granted may be used, where the fabric has that
   * function. Zeroed and page-aligned. *front, before: how many bytes at the beginning may lie
   * apart from the others (0: none); after: how many do. Then these and the others are one piece
   * each in the CPU's addresses, and no operation may reach across. EINVAL, ENOMEM, EBUSY. */
  int (*seg_reserve)(struct fab *f, uint64_t len_bytes, uint64_t promised_bytes, uint64_t *front,
                     fab_seg_t *seg);
  /* The largest size, up to want_bytes, of a segment that costs no more than the bytes used of it;
   * the same answer for all. 0: reserved bytes cost as much as used ones. */
  int (*seg_reach)(struct fab *f, uint64_t want_bytes, uint64_t *len_bytes);
  /* The bytes that a segment could have now, the same answer for all (UINT64_MAX: no known limit
   * but memory). */
  int (*seg_available)(struct fab *f, uint64_t *len_bytes);
  /* The caller's own operations on it must be complete. ESEG. */
  int (*seg_destroy)(struct fab *f, fab_seg_t seg);
  /* The local address of byte `off` of `unit`'s part; the caller's own always works. ENOTSUP (not
   * mapped), ESEG, EUNIT. Local. */
  int (*seg_ptr)(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr);
  /* Base and stride of the mapped units' parts, for the inline path. ENOTSUP when nothing is mapped
   * (sim, fake, or a checker above). Local. */
  int (*seg_map)(struct fab *f, fab_seg_t seg, char **base, uint64_t *stride);
  /* The same, if the CPUs of all units of the caller's node have it at that address, so that
   * addresses in it may be passed between them. ENOTSUP (not logged): the unit is on another
   * node, or each has its own addresses; ESEG, EUNIT. NULL: units share no addresses. Local. */
  int (*seg_common)(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr);
  /* The inverse: whether [p, p+len_bytes) is in a part of the segment that has such an address,
   * whose, and where. A simulator knows those of all nodes. NULL where seg_common is. Local. */
  bool (*seg_find)(struct fab *f, fab_seg_t seg, const void *p, uint64_t len_bytes,
                   fab_unit_t *unit, uint64_t *off);
  /* The present bytes at `a`, without time and without any ordering: to distinguish a bad pointer
   * from a good one, never for protocols. NULL where the fabric cannot read them (mpi). ESEG,
   * EUNIT, ERANGE. Local. */
  int (*seg_look)(struct fab *f, struct fab_addr a, void *dst, uint64_t len_bytes);
  /* The contents of [off, off+len) of the caller's part are no longer needed: the memory of its
   * whole pages may go back to the system, and their contents are undefined until they are written
   * again. NULL where that would save nothing. ESEG, ERANGE, ENOTSUP (not logged: the system
   * refuses). Local. */
  int (*seg_return)(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len_bytes);
  /* Makes the pages of [off, off+len) of the caller's part resident, close to the calling
   * processor; their contents stay, also if others change them meanwhile. Afterwards no access to
   * them can fail for lack of memory, until seg_return. NULL where no access can, and none has a
   * price that depends on it. ESEG, ERANGE, ENOMEM (logged with the memory there is and a remedy).
   * Local. */
  int (*seg_secure)(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len_bytes);

  /* The segment of the program's data; it lives as long as the endpoint, counts among the
   * FAB_SEG_MAX, and is not destroyed, returned or secured. The CPU's loads and stores of an object
   * by its own address are loads and stores of the caller's part. ENOTSUP (units that share one
   * copy of the globals; nobody has asked for it when the endpoint was opened), EBUSY. Local, not
   * blocking. */
  int (*seg_data)(struct fab *f, struct fab_data *data);
  /* The same for messages: false, without a message, if the segment does not exist yet. Has no
   * effect. NULL where seg_data is. Local. */
  bool (*seg_data_known)(const struct fab *f, struct fab_data *data);

  /* -- attached memory: local, not blocking ---------------------------------------------------- */
  /* Makes [addr, addr+len) of the caller addressable as (caller, FAB_SEG_ATTACHED, *key + byte).
   * EINVAL, ENOMEM, ENOTSUP. */
  int (*attach)(struct fab *f, void *addr, uint64_t len_bytes, uint64_t *key);
  /* Ends attach. EINVAL (no such key). */
  int (*detach)(struct fab *f, uint64_t key);

  /* -- one-sided operations: non-blocking; may block only to bound what is in flight ----------- */
  /* req NULL: implicit, completed by flush. Else *req is completed by
   * req_wait/req_test(FAB_REMOTE). */
  int (*put)(struct fab *f, struct fab_addr dst, const void *src, uint64_t len_bytes,
             fab_req_t *req);
  int (*get)(struct fab *f, void *dst, struct fab_addr src, uint64_t len_bytes, fab_req_t *req);
  /* *old (may be NULL) receives the value before, at local completion: 8 bytes, or 4 if amo->narrow
   * (which needs width 4). EALIGN, EINVAL (width). */
  int (*amo)(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
             fab_req_t *req);
  /* len_bytes may be 0 (dst ignored). sig->at.unit must equal dst.unit. EALIGN. */
  int (*put_signal)(struct fab *f, struct fab_addr dst, const void *src, uint64_t len_bytes,
                    const struct fab_sig *sig, fab_req_t *req);
  /* As put_signal with FAB_SIG_SET, for protocols whose target waits for the word, perhaps carried
   * out by a later call of the target's. Until it has seen the word, only messages change that; dst
   * and the word are of one segment. Completion is local at both levels, also of flush and order.
   * What the target does not await may come much later: then the word keeps the greatest value, up
   * to 8 KiB of bytes are those of the message with it (not where the sender is mapped, nor in the
   * simulator), and nothing is done if the target's word `least` (NULL: none) exceeds the value.
   * EINVAL. */
  int (*message)(struct fab *f, struct fab_addr dst, const void *src, uint64_t len_bytes,
                 const struct fab_sig *sig, const struct fab_addr *least, fab_req_t *req);
  /* Sets the caller's `least`; then no bytes of lesser messages are on their way to it. */
  int (*message_least)(struct fab *f, struct fab_addr word, uint64_t value);
  /* Messages to memory that only their target can access; both NULL: there are none. A message
   * to a word of the target lands where the target expects it: the two may be called in either
   * order, and are matched by sender, word (as of `message`) and value. src belongs to the message
   * from send to its local completion, dst from expect until the word is set; a send with a request
   * is completed by that alone, not by a flush. landed (NULL: none): a word of the caller's that is
   * set instead. expect with dst NULL: what was expected or will come is dropped without its word;
   * the former dst is then the caller's again. That with `from` FAB_ALL: from now on, all that
   * nobody has expected at that word. Local, but for that. EALIGN, ERANGE, ESEG, EUNIT, ENOMEM. */
  int (*send)(struct fab *f, const struct fab_sig *sig, const void *src, uint64_t len_bytes,
              fab_req_t *req);
  int (*expect)(struct fab *f, fab_unit_t from, const struct fab_sig *sig, void *dst,
                uint64_t len_bytes, const struct fab_sig *landed);

  /* -- completion ------------------------------------------------------------------------------ */
  /* FAB_REMOTE and FAB_RELEASE retire the request; FAB_LOCAL leaves it. Request 0 is complete.
   * EINVAL (unknown or retired request), and the operation's own error. */
  int (*req_test)(struct fab *f, fab_req_t req, enum fab_level level, bool *done);
  int (*req_wait)(struct fab *f, fab_req_t req, enum fab_level level);
  /* Completes all operations of the caller to `unit` (or FAB_ALL), with or without request
   * (requests stay to be retired). FAB_REMOTE: full barrier. Under a set in fab.set it promises
   * this for the operations of that set alone, and returns errors of those alone. */
  int (*flush)(struct fab *f, fab_unit_t unit, enum fab_level level);
  /* Earlier puts, signals and atomics to `unit` (FAB_ALL: to each unit) become visible before later
   * ones to that unit; under a set in fab.set earlier ones of the set before later ones of it. */
  int (*order)(struct fab *f, fab_unit_t unit);

  /* -- waiting --------------------------------------------------------------------------------- */
  /* Blocks until the condition on a word of the caller's own part of a segment, or of memory that
   * it has attached, holds; acquire. ETIMEOUT after timeout_ns unless FAB_FOREVER; timeout 0 checks
   * once. *seen (may be NULL): the value, of 4 bytes extended to 64 bits by its type. The memory
   * stays attached until it returns. EALIGN, ERANGE, ESEG, EINVAL (no such comparison or type). */
  int (*wait_mem)(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns, uint64_t *seen);
  /* As wait_mem for any of n >= 1 conditions. *held, before: the room in index, at least 1; after:
   * how many of the conditions hold, at most the room. index: the lowest of them, ascending. held
   * NULL: 1. EINVAL (n of 0). */
  int (*wait_any)(struct fab *f, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                  uint32_t *index, uint32_t *held);
  /* Blocks until the low half of the aligned 64-bit word at `at`, in memory of a mapped unit, is
   * `value`; acquire. Only units that enter the fabric after they have changed the word end it at
   * once. NULL without fab.oversubscribed. */
  int (*wait_low)(struct fab *f, struct fab_addr at, uint32_t value);
  /* The caller tries something again and again, with pauses (wait_mem with a timeout), for
   * timeout_ns at most or FAB_FOREVER; 0: no longer. For reports of who waits for what. NULL: they
   * need not know. Local. */
  void (*tries)(struct fab *f, uint64_t timeout_ns);
  int (*progress)(struct fab *f);
  /* The caller has changed memory of a mapped unit by the CPU, and has fenced (seq_cst) after it:
   * ends a sleep of that unit, or with FAB_ALL of the units that wait for what is the case now, in
   * wait_mem, wait_any or wait_low. A hint: a unit that is not woken checks again some time later.
   * NULL where no unit sleeps. Local, not blocking. */
  void (*wake)(struct fab *f, fab_unit_t unit);

  /* -- where and when -------------------------------------------------------------------------- */
  /* The units of a domain, of any level, are consecutive. EUNIT. Local. */
  int (*locate)(struct fab *f, fab_unit_t unit, eyot_place_t *place);
  /* Units of a node: those with the same u / per_node share one, and no others do. 0: it is not so.
   * The same at all units. NULL: not known. Local. */
  uint32_t (*per_node)(const struct fab *f);
  uint64_t (*now_ns)(struct fab *f);          /* since open */
  int (*compute)(struct fab *f, uint64_t ns); /* see eyot_compute */
  /* The unit sleeps for so much virtual time (0: others may run) while others run, also before init
   * and after close. Endpoints that forward have none. NULL: time is that of the system. */
  void (*sleep)(struct fab *f, uint64_t ns);
  /* Calls fn(arg), which does not wait, on a stack that units share, so that what it needs of it is
   * not needed of each unit's. NULL: the caller's stack is as good. */
  void (*deep)(struct fab *f, void (*fn)(void *arg), void *arg);
  /* A phase begins (name NULL: none). For the summary only. */
  void (*phase)(struct fab *f, const char *name);

  /* -- the end --------------------------------------------------------------------------------- */
  /* Ends the whole run with a non-zero code. Does not return. */
  void (*abort)(struct fab *f, int code, const char *reason) __attribute__((noreturn));
  /* Ends the whole run with `code`, 0 to 255, and without a message. Does not return. */
  void (*exit_all)(struct fab *f, int code) __attribute__((noreturn));
  /* Collective over all units: completes all operations, waits for all units, and leaves. The
   * endpoint is gone afterwards. */
  int (*close)(struct fab *f);

  const struct fab_check *check; /* NULL: this run is not explored */
  /* What messages cost here, for the choice of algorithms, equal on all units; NULL: not known. */
  const struct fab_model *model;
};

/* The common head of every fabric's endpoint. */
struct fab {
  const struct fab_ops *ops;
  fab_unit_t me;
  uint32_t n;
  uint16_t caps; /* enum fab_cap */
  /* The set that posting calls, flush and order mean: a layer sets it around the call, else it is
   * FAB_SET_ALL. Requests and waits do not read it. */
  fab_set_t set;
  struct fab_local local;
  /* cpu_atomics: the CPU's own 8-byte atomics on mapped memory (seg_ptr) are atomic against the
   * fabric's and may stand for amo, and its stores for signals; that others are not mapped does not
   * matter. quiet: nothing of this unit is incomplete but copies by the CPU, which any atomic of
   * the CPU's orders, so that a flush before one would do nothing. A fabric or an interposer that
   * needs to see every operation leaves both false. Both save the last nanoseconds of a call. */
  bool quiet;
  bool cpu_atomics : 1;
  /* delegates: the fabric may execute non-blocking transfers concurrently to the caller, to mapped
   * memory too: a layer must not copy these itself. waits: a layer sets it around a posting call if
   * it waits for the operation at once, so that delegating it is not worthwhile. */
  bool delegates : 1, waits : 1;
  /* oversubscribed: units share processors, everywhere in the job; set only where the mapped units'
   * memory obeys the CPU's 8-byte atomics among them (on words that no other unit changes). A
   * property of the fabric alone: the same at all units, and in endpoints that stand before it. */
  bool oversubscribed : 1;
  /* keeps: set before close, of the fabric's own endpoint: the memory of segments stays where the
   * process has it, as the program has its own there. A simulator's stays until its end anyway. */
  bool keeps : 1;
  /* The unit's share of the processors of its node that no process of the job needs, at most
   * FAB_IDLE_MOST: for threads of the unit that compute now and then. 0 where units share
   * processors or a process. */
  uint8_t idle : 3;
  /* With cpu_atomics: the number of times that a waiter may read a word of its own, with a pause
   * each, before it lets the fabric wait. 0 where units share processors or a process. */
  uint16_t spin_limit;
  struct fab_note note;
  /* Set by fabrics that host units in their own process (sim), else NULL: the program of this unit
   * called exit, _exit, quick_exit or abort (enum fab_exit) with `code`. Does not return: the unit
   * is parked. */
  void (*unit_exit)(struct fab *f, int how, int code);
};

#define FAB_IDLE_MOST 7u

enum fab_exit { FAB_EXIT = 0, FAB_EXIT_NOW, FAB_EXIT_QUICK, FAB_EXIT_ABORT };

#include "fabric/fabric_check.h"
#include "fabric/fabric_inline.h"
#endif
