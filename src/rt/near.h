/* near.h - the memory that the processor reaches itself: the table of all segments, and the small one of parts that inline operations read (eyot/fast.h).
 *
 * Why it exists: eyoti_fast_parts is one for the process and says what is true for one unit at one time. So only a unit that is the only one of its process enters
 * parts there, and whoever changes what an entry was made from makes the table forget: a segment that goes away (gmem), another endpoint that stands first
 * (eyoti_rt_fast_renew), the end. Then an operation takes the call, which looks here again.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_NEAR_H
#define EYOT_NEAR_H

#include <eyot/fast.h>

#define EYOTI_NEAR_SEGS 65536u /* seg[] has an entry for each that a pointer can name; pages that nobody has used are no memory */

/* One segment. base: where the part of the first mapped unit begins; last: the offset of the last EYOT_FAST_LEN_MIN bytes; name: seg and gen as a pointer has them
 * (eyoti_near_name), or 0, as no pointer to it has. */
struct eyoti_near_seg {
  char *base;
  uint64_t last;
  uint32_t name;
};

struct eyoti_near_entered;

/* What a unit reaches: units first .. first+n-1, a part of each segment every `stride` bytes. All zero: nothing. */
struct eyoti_near {
  uint32_t first;
  uint32_t n;        /* 0 also while all operations must be seen */
  uint32_t atomic_n; /* n where the processor's atomics are the fabric's, else 0 */
  uint64_t stride;
  const struct eyoti_near_seg *seg;
  struct eyoti_near_entered *entered; /* which entries of eyoti_fast_parts were made; NULL: this unit makes none */
};

/* seg and gen of a pointer. */
static inline uint32_t eyoti_near_name(eyot_gptr_t g) { return (uint32_t)(eyoti_fast_name(g) >> 32); }

/* From now on the unit, the only one in its process, enters what it finds into eyoti_fast_parts; false: no memory. eyoti_near_close ends it and forgets all. */
bool eyoti_near_open(struct eyoti_near *near);
void eyoti_near_close(struct eyoti_near *near);
/* eyoti_fast_parts has nothing any more, or nothing of the segment whose pointers have this name. Local; costs what has been entered, or a look for each unit. */
void eyoti_near_forget(struct eyoti_near *near);
void eyoti_near_forget_seg(struct eyoti_near *near, uint32_t name);

/* Where [g, g+len) is mapped, and the aligned word of `width` (4 or 8) bytes on which the processor's atomics may be used; NULL: not to be reached so. Also enters
 * the part. */
char *eyoti_near_find(const struct eyoti_near *near, eyot_gptr_t g, uint64_t len);
void *eyoti_near_find_word(const struct eyoti_near *near, eyot_gptr_t g, uint64_t width);

/* The same, for those that have not looked into eyoti_fast_parts yet. */
static inline char *eyoti_near_addr(const struct eyoti_near *near, eyot_gptr_t g, uint64_t len) {
  char *p;
  return eyoti_fast_find(g, len, &p) ? p : eyoti_near_find(near, g, len);
}
static inline void *eyoti_near_word(const struct eyoti_near *near, eyot_gptr_t g, uint64_t width) {
  char *p;
  return eyoti_fast_find_word(g, width, &p) ? p : eyoti_near_find_word(near, g, width);
}
#endif
