/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/data.h - the program's data as a segment: its global and static objects, addressable at
 * every unit. Source: OpenSHMEM 1.5, section 3 (symmetric data objects).
 *
 * A program that calls eyot_data_gptr has its data shared from eyot_init on; others pay nothing. On
 * mpi the pages of the data then move to memory that the units of a node share: addresses and
 * values stay, a child of fork shares them with its parent, and no other thread may write to them
 * during eyot_init (docs/fabrics.md). Thread rule: that of eyot/init.h. */

/* All units run the same program, so an object with static storage lies at the same place of each
 * unit's copy of the program. It is *symmetric data* if it is writable and defined in the program
 * or in a static library that is linked into it: global or file-local, static in a function,
 * initialized or not. Not symmetric are objects that are constant, thread-local, on a stack or from
 * malloc; objects of shared libraries, also where the linker keeps a copy of them in the program
 * (stdout, environ); and tables of the linker. */
#ifndef EYOT_DATA_H
#define EYOT_DATA_H

#include "fast.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the file that is compiled, by an ELF note which eyot_init finds: type 1 of owner "eyot". */
#define EYOTI_DATA_MARK()                                                   \
  __asm__ volatile(                                                         \
      ".pushsection .note.eyot,\"a\",@note\n\t.balign 4\n\t.long 5,0,1\n\t" \
      ".asciz \"eyot\"\n\t.balign 4\n\t.popsection")

/* eyoti_data_gptr_call is the out-of-line half of eyot_data_gptr, for languages that cannot use C
 * headers. Their programs set EYOT_DATA=on. Otherwise as eyot_data_gptr. */
EYOT_RET int eyoti_data_gptr_call(const void *object, uint64_t len, eyot_unit_t unit,
                                  eyot_gptr_t *gptr);

/* eyot_data_gptr returns in *gptr the pointer to the `len` bytes at `unit` that `object` names
 * here; all operations on global pointers take it. eyot_gptr_at moves it to another unit, and
 * eyot_gptr_addr of the caller's own part is `object` itself. Pointers are equal at all units.
 * Local, non-blocking; a few nanoseconds. Errors: EINVAL (NULL), EUNIT, ERANGE (not symmetric
 * data: the message names the object or section and the way out; with EYOT_CHECK=1 also bytes past
 * the end of the object, if the program's file names it), ENOTSUP (--shared-globals; the data is
 * not shared because of EYOT_DATA=off, or because the code that calls this was loaded after
 * eyot_init). */
EYOTI_INLINE_RET int eyot_data_gptr(const void *object, uint64_t len, eyot_unit_t unit,
                                    eyot_gptr_t *gptr) {
  EYOTI_DATA_MARK();
  return eyoti_data_gptr_call(object, len, unit, gptr);
}

/* eyot_data_contains tells whether [object, object+len) is symmetric data, so that eyot_data_gptr
 * succeeds. Also false where the data is not shared, before init and after finalize. Local; a few
 * nanoseconds. */
EYOT_API bool eyot_data_contains(const void *object, uint64_t len);

/* eyot_data_range returns the whole range of symmetric data in which `object` lies: its first byte
 * and its length. Pointers to objects of one range differ as their addresses do, so that one call
 * of eyot_data_gptr serves for all. With EYOT_CHECK=1 it is that of the object alone, if the
 * program's file names it. Local; a few nanoseconds, with EYOT_CHECK=1 a look into the file.
 * Errors: EINVAL (NULL), ERANGE (not symmetric data; no message), ENOTSUP (the data is not shared;
 * no message). */
EYOT_RET int eyot_data_range(const void *object, const void **first, uint64_t *len);

#ifdef __cplusplus
}
#endif
#endif
