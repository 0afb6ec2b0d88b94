/* SPDX-License-Identifier: BSD-3-Clause */
/* exhausted.c - what the UPC interface says where memory, or a table, has no space left, and of
 * calls outside the start and the end. Argument: which. The program is linked with --wrap=malloc
 * and --wrap=realloc, which reach the interface alone, not eyot. */
#include <eyot/upc.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 100, FIRST_TABLE = 64 };
UPC_SHARED_ARRAY(char, bytes, 1 << 20);
static bool refuses; /* the next allocation */

void *__real_malloc(size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n) {
  return refuses ? NULL : __real_malloc(n);
}
void *__wrap_realloc(void *p, size_t n) {
  return refuses ? NULL : __real_realloc(p, n);
}

static upc_shared_t of(int thread) {
  upc_shared_t p = upc_shared_array(bytes);
  p.at = eyot_gptr_at(p.at, (eyot_unit_t){(uint32_t)(thread % THREADS)});
  return p;
}

/* Starts n transfers, and ends the run without memory for one more. */
static void transfers(int n) {
  char own[BYTES] = {0};
  for (int i = 0; i < n; i++) (void)upc_memput_nb(of(MYTHREAD + 1), own, 1);
  refuses = true;
  (void)upc_memput_nb(of(MYTHREAD + 1), own, 1);
}

static void run(const char *what) {
  if (strcmp(what, "table") == 0) {
    transfers(0);
  } else if (strcmp(what, "longer") == 0) {
    transfers(FIRST_TABLE);
  } else if (strcmp(what, "most") == 0) {
    for (int i = 0; i <= UPC_NB_MOST; i++) (void)upc_memget_nb(&(char){0}, of(MYTHREAD), 1);
  } else if (strcmp(what, "copy") == 0) { /* between two others */
    refuses = true;
    (void)upc_memcpy_nb(of(MYTHREAD + 1), of(MYTHREAD + 2), BYTES);
  } else if (strcmp(what, "set") == 0) {
    refuses = true;
    upc_memset_nbi(of(MYTHREAD + 1), 1, BYTES);
  } else if (strcmp(what, "domains") == 0) {
    for (int i = 0; i <= UPC_ATOMIC_DOMAINS_MAX; i++)
      (void)upc_all_atomicdomain_alloc(UPC_INT, UPC_ADD, 0);
  } else if (strcmp(what, "twice") == 0) {
    upc_init();
  } else if (strcmp(what, "after") == 0) {
    upc_finalize();
    upc_fence();
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "before") == 0) upc_fence();
  upc_init();
  run(what);
  upc_barrier();
  upc_global_exit(0); /* nothing was exhausted */
}
