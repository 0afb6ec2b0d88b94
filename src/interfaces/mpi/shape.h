/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.h - where the data of a datatype lies: runs of bytes, loops over them, and lists, as few as
 * can be said; and the copies between that and one row of bytes. A loop takes one part, whatever
 * the number of its steps.
 *
 * eyot_block_t says the same of three loops at most, and nothing of lists; the library uses eyot's
 * public headers alone, so that the engine behind that type is not within its reach. */
#ifndef INTERFACES_MPI_SHAPE_H
#define INTERFACES_MPI_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` times, `stride` bytes apart, the first at byte `at`: a run of `run` bytes, or a list. */
struct face_part {
  int64_t at;
  uint64_t count;
  int64_t stride;
  uint64_t run;
  const struct face_list *list; /* NULL: a run */
};

/* Parts in the order of their data, whose places count from that of the list. */
struct face_list {
  size_t n;
  struct face_list *next; /* of those that one datatype has made */
  struct face_part parts[];
};

static inline bool face_part_is_run(const struct face_part *p) {
  return p->list == NULL && p->count == 1;
}

/* A part `count` times, `stride` bytes apart. A list that this takes goes to the front of *made.
 * False: no memory. */
bool face_part_repeat(struct face_part *p, uint64_t count, int64_t stride, struct face_list **made);

/* A list under construction, with space for n parts. */
struct face_list *face_list_new(size_t n);
/* Adds a part, which becomes one with the last if the two can be. */
void face_list_add(struct face_list *list, struct face_part p);
/* The whole list as a part; a list that this takes goes to the front of *made, else it is freed. */
struct face_part face_list_part(struct face_list *list, struct face_list **made);
void face_lists_free(struct face_list **made);

/* Copies the first `bytes` bytes of `count` times p, `extent` bytes apart from `data`, to the row,
 * or from there. */
void face_part_pack(const struct face_part *p, uint64_t count, int64_t extent, const void *data,
                    void *row, uint64_t bytes);
void face_part_unpack(const struct face_part *p, uint64_t count, int64_t extent, void *data,
                      const void *row, uint64_t bytes);

/* The address `offset` bytes after `base`, which may be NULL (MPI_BOTTOM). */
static inline char *face_after(const void *base, int64_t offset) {
  return (char *)((uintptr_t)base + (uintptr_t)offset);
}

#endif
