/* SPDX-License-Identifier: BSD-3-Clause */
/* oracle.h - checks of a lock's history that hold for any protocol, for all tests of locks.
 *
 * A history is the list of all holds: the times of request, acquire and release, and the ticket
 * that was drawn inside. Times are those of the simulator, one clock for all units. Every check
 * prints the first violation, with units and times, on standard error, and returns false. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  ORACLE_SHARED = 1u,
  ORACLE_WHOLE = 2u /* all targets of the group */,
  ORACLE_TRIED = 4u,
  ORACLE_TIMED = 8u
};

struct oracle_hold {
  uint64_t request_ns; /* before the call that acquires */
  uint64_t acquire_ns; /* after it */
  uint64_t release_ns; /* before the call that releases */
  /* exclusive holds: the value of the target's counter, which the holder then raised by one */
  uint64_t ticket;
  uint32_t unit;
  uint32_t target; /* a lock, or a member of an epoch lock; with ORACLE_WHOLE any of the group */
  uint32_t flags;
};

/* Targets are 0 .. targets-1; `group` consecutive ones belong to one lock. */
struct oracle_shape {
  uint32_t targets, group;
};

/* Sorts by target, then acquire. All checks below need that order. */
void oracle_sort(struct oracle_hold *h, size_t n);

/* No two holds overlap in time that exclude each other: same target, or same group if one is whole,
 * and not both shared. */
bool oracle_exclusion(const struct oracle_hold *h, size_t n, struct oracle_shape shape);
/* For each target: exclusive holds drew 0, 1, 2 ..., each once; with `times`, in the order in which
 * they acquired. finals[target]: the final value of the counter. */
bool oracle_tickets(const struct oracle_hold *h, size_t n, struct oracle_shape shape,
                    const uint64_t *finals, bool times);
/* The most shared holds of one target (whole ones: of one group) at one time. */
uint32_t oracle_readers(const struct oracle_hold *h, size_t n);
/* No hold was overtaken more than `bound` times, that is, by holds of its target that were
 * requested more than lag_ns later and acquired earlier. *most: the largest number. */
bool oracle_bypass(const struct oracle_hold *h, size_t n, uint64_t lag_ns, uint64_t bound,
                   uint64_t *most);
/* No hold waited longer than bound_ns. *longest: the longest wait. */
bool oracle_progress(const struct oracle_hold *h, size_t n, uint64_t bound_ns, uint64_t *longest);

/* For a lock that is passed on within a domain before it leaves. Domains consist of `units`
 * consecutive units; `most` may hold in a row while a unit waits elsewhere: in another domain of
 * `outer` consecutive units (a multiple of `units`), whose own last holder has left more than
 * lag_ns before. */
struct oracle_turn {
  uint32_t units, outer;
  uint64_t most, lag_ns;
};
/* *longest: the longest turn during which a unit elsewhere waited. */
bool oracle_turns(const struct oracle_hold *h, size_t n, struct oracle_turn turn,
                  uint64_t *longest);
#endif
