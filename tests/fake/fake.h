/* SPDX-License-Identifier: BSD-3-Clause */
/* fake.h - an in-process fabric for unit tests: the whole contract of fabric.h, with n units as
 * coroutines of one thread.
 *
 * Why it exists: layers above the fabric are tested one at a time, under every legal order of
 * deliveries, with the n-th fabric call or the n-th allocation failing, in milliseconds and
 * reproducibly from a seed. It shares no code with fabric_sim, so that the two cannot be wrong
 * together.
 *
 * Thread rule: one thread; tests, and this file, may keep static state. */

/* A unit's main may use the endpoint that it is given, or the public API (eyot_init ..
 * eyot_finalize): eyot_current is switched with the units. CMocka assertions inside units work
 * (they leave the coroutine by longjmp; the next fake_run starts afresh). Virtual time counts
 * scheduling steps (FAKE_STEP_NS each) and jumps to the next deadline when no step is possible. */
#ifndef EYOT_FAKE_H
#define EYOT_FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

#define FAKE_UNITS_MAX 256u
#define FAKE_STEP_NS 100u

enum fake_mode {
  /* an operation takes effect when it is posted; units change only where they wait or poll */
  FAKE_EAGER = 0,
  FAKE_DELAY,  /* late and piecewise, but to one unit in the order of posting */
  FAKE_REORDER /* every order that the contract does not forbid */
};

/* Planted defects, each of which the conformance suite must catch
 * (tests/unit/fabric/test_conformance_bites.c). */
enum fake_fault {
  FAKE_SOUND = 0,
  FAKE_SIGNAL_FIRST, /* a signal before the bytes of its put */
  FAKE_TORN_PUT,     /* an aligned 8-byte put in two halves */
  FAKE_NO_ORDER,     /* order does nothing */
  FAKE_LOST_AMO,     /* an atomic reads at one step and writes at another */
  FAKE_FLUSH_EARLY,  /* flush returns at once */
  FAKE_REMOTE_EARLY, /* remote completion when only the source has been read */
  FAKE_LOCAL_EARLY,  /* local completion before the source has been read */
  FAKE_MISSED_WAKE,  /* wait_mem sometimes does not notice */
  /* a put is visible when the posting call returns: allowed, but then no weaker outcome is ever
   * tested */
  FAKE_IMMEDIATE,
  FAKE_GET_EARLY,        /* a get completes before its bytes are at the origin */
  FAKE_NO_RELEASE,       /* a later operation may pass a put that was waited for */
  FAKE_AMO_NO_BARRIER,   /* an atomic does not drain the store buffer */
  FAKE_FLUSH_NO_BARRIER, /* a remote flush does not drain the store buffer */
  FAKE_OFF_BY_ONE,       /* one byte beyond the segment is accepted */
  FAKE_RETIRE_TWICE,     /* a retired request is accepted again */
  FAKE_WIDE_AMO,         /* a 4-byte atomic writes 8 bytes */
  FAKE_CMP_LT_AS_LE,     /* wait_mem's "less" is "less or equal" */
  FAKE_DIRTY_SEGMENT,    /* a new segment is not zero */
  FAKE_NO_TIMEOUT,       /* wait_mem never times out */
  FAKE_CLOCK_BACK,       /* time goes back now and then */
  FAKE_LOCATE_DIFFERS,   /* units disagree on the location of a unit */
  FAKE_WIDE_RESULT,      /* the result of an atomic has 8 bytes, also where 4 were asked for */
  FAKE_OLD_IS_NEW,       /* an atomic returns the new value */
  FAKE_SIG_ADD_SETS,     /* adding signals set */
  FAKE_SHORT_PUT,        /* the last byte of a put of odd length is lost */
  FAKE_DETACH_OPEN,      /* detached memory stays accessible */
  FAKE_ANY_UNIT,         /* a unit that does not exist is taken for unit 0 */
  FAKE_MISALIGNED_AMO,   /* atomics at any address */
  FAKE_WAIT_SIGNED,      /* wait_mem compares as signed */
  FAKE_ANY_LAST_DEAF,    /* wait_any does not notice its last condition */
  FAKE_ANY_HIGHEST,      /* wait_any gives the highest index that holds */
  FAKE_WAIT_UNSIGNED,    /* wait_mem compares signed words as unsigned */
  FAKE_WAIT_WIDE,        /* a word of 4 bytes is read with its neighbor */
  FAKE_SEEN_BITS,        /* the value seen of a signed word of 4 bytes has no sign */
  FAKE_PUT_DEAF,         /* a put does not end a wait */
  FAKE_PUT_PART_DEAF,    /* one that begins within the word, or before it, does not */
  FAKE_SOME_ONE,         /* of several conditions that hold one is returned */
  FAKE_SET_FLUSH_EARLY,  /* flush of a set above the default set returns at once */
  FAKE_SET_NO_ORDER,     /* order of a set does nothing */
  FAKE_SET_LEFT_OUT,     /* flush of all sets leaves out those above the default set */
  FAKE_SET_IS_ALL,       /* a set's flush completes all: allowed, but nothing weaker is tested */
  FAKE_ERROR_ANY_SET,    /* a set's flush returns the errors of all sets */
  FAKE_ERROR_ANY_UNIT,   /* a flush of a unit returns the errors of all units */
  FAKE_ERROR_NOT_LOCAL,  /* a local flush does not return the error of a get */
  FAKE_ERROR_TWICE,      /* an error is returned again */
  FAKE_ONE_ERROR,        /* of several errors one is kept */
  FAKE_THREAD_FLUSH,     /* flush completes what its thread has posted, not the unit's other ones */
  FAKE_THREAD_REQS,      /* only the thread that has posted an operation knows its request */
  FAKE_FAULTS
};

struct fake_opts {
  uint32_t n;            /* units, 1 .. FAKE_UNITS_MAX */
  uint64_t seed;         /* of every choice */
  enum fake_mode mode;   /* default FAKE_EAGER */
  enum fake_fault fault; /* default FAKE_SOUND */
  /* 0: 4. A node has two NUMA domains, a blade, chassis and group two of the level below */
  uint32_t units_per_node;
  bool by_nodes;            /* the fabric tells how many units a node has */
  uint32_t max_outstanding; /* operations in flight a unit, 0: 64 */
  /* what the fabric reports as the possible size of a segment; 0: no limit */
  uint64_t seg_available;
  /* not 0: reserved memory cannot be accessed before seg_secure has granted it, at most so many
   * bytes a unit */
  uint64_t secure_bytes;
  /* seg_map and seg_ptr reach the units of the node; operations on them are plain copies, as on
   * mpi; if that is all units, the CPU's atomics may replace the fabric's */
  bool mapped;
  /* with mapped: as on a machine with fewer processors than units (fab.oversubscribed) */
  bool oversubscribed;
  uint64_t fail_op;    /* the fail_op-th fabric call (1 is the first) fails; 0: none */
  uint32_t fail_unit;  /* count only calls of unit fail_unit - 1; 0: calls of all */
  int fail_code;       /* 0: EYOT_EFABRIC */
  uint64_t fail_alloc; /* the fail_alloc-th allocation of the units fails; 0: none */
  uint64_t max_steps;  /* 0: 50 million */
  /* no line on stderr about a deadlock and the like (fake_message has it) */
  bool quiet;
};

enum fake_end {
  FAKE_DONE = 0, /* every unit's main returned */
  /* all remaining units waited for ever; their calls then failed with EYOT_EPEERDOWN so that they
   * could clean up */
  FAKE_DEADLOCK,
  FAKE_STEPS,   /* max_steps reached: a livelock */
  FAKE_ABORTED, /* abort was called: fake_abort_code */
  FAKE_SETUP    /* bad options, or no memory */
};

/* Runs unit_main(endpoint, arg) on every unit until all have returned. Returns enum fake_end. */
int fake_run(const struct fake_opts *o, void (*unit_main)(struct fab *f, void *arg), void *arg);

/* Within a run: true if an operation of f's unit in flight still reads from, or will write to, the
 * unit's stack. dead: to a frame that was left; else to any. Call it right after a call that must
 * leave no such operation. f is the fabric's own endpoint. Sanitizers put frames elsewhere and find
 * dead ones themselves. After a deadlock, when nothing is delivered any more: false. */
bool fake_stack_in_use(const struct fab *f, bool dead);

/* Within a run: runs fn in another thread of the calling unit, to its end. It may call what the
 * unit may, but for abort; assertions of CMocka do not work in it. */
void fake_thread(void (*fn)(void *arg), void *arg);

/* About the last run. */
/* "" or why it ended, naming each unit that had not ended and the condition it waited for */
const char *fake_message(void);
/* fabric calls that could fail, of all units (or of fail_unit): the bound of a loop over fail_op */
uint64_t fake_calls(void);
uint64_t fake_allocs(void); /* allocations of the units: the bound of a loop over fail_alloc */
uint64_t fake_steps(void);
int fake_abort_code(void);

/* Allocations outside fake_run: the n-th malloc, calloc or realloc from now (1 is the next) returns
 * NULL, once; 0: off. */
void fake_alloc_fail_after(uint64_t n);
/* Allocations since the last fake_alloc_fail_after. */
uint64_t fake_alloc_count(void);
#endif
