/* SPDX-License-Identifier: BSD-3-Clause */
/* find_object.c - what the unwinder of a gcc that was built for glibc calls: musl-gcc takes that
 * gcc's libraries, and the programs of musl.sh unwind no stacks. */
struct dl_find_object;
int _dl_find_object(void *address, struct dl_find_object *result);

int _dl_find_object(void *address, struct dl_find_object *result) {
  (void)address, (void)result;
  return -1; /* none found */
}
