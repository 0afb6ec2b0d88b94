/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr_start.c - starts a translated program: the heaps' form for pointers in a word, shared data,
 * and the translator's functions UPCRI_ALLOC_... and UPCRI_INIT_..., one of each for each file. No
 * name says which there are, so they are read from the loader's table of the program's functions:
 * eyotcc links programs so that it has all of them. */
#include "interfaces/upc/upcr_start.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <upcr/program.h>

#include "interfaces/upc/upc.h"

#define LEAST_BITS 1u

/* The linker's names for the program's first byte and its table of tables. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

/* The loader's tables of the program's symbols. */
struct symbols {
  const ElfW(Sym) * symbol;
  const char *names;
  const uint32_t *hash; /* DT_GNU_HASH */
};

/* Some loaders write addresses into the table, others leave offsets. */
static const void *address_of(ElfW(Addr) value) {
  uintptr_t base = (uintptr_t)&__ehdr_start;
  return (const void *)(value < base ? base + value : value);
}

static struct symbols symbols_of_program(void) {
  struct symbols t = {0};
  for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) t.symbol = address_of(d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB) t.names = address_of(d->d_un.d_ptr);
    if (d->d_tag == DT_GNU_HASH) t.hash = address_of(d->d_un.d_ptr);
  }
  if (t.symbol == NULL || t.names == NULL || t.hash == NULL)
    upci_fail(EYOT_ESTATE,
              "the program has no table of functions (DT_GNU_HASH), by which the shared data of a "
              "translated program is found: link it by eyotcc or eyot-upcc");
  return t;
}

/* Calls a function of that kind. */
static void call_if(const struct symbols *t, uint32_t i, const char *prefix) {
  const ElfW(Sym) *y = &t->symbol[i];
  if (y->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(y->st_info) != STT_FUNC ||
      strncmp(t->names + y->st_name, prefix, strlen(prefix)) != 0)
    return;
  uintptr_t address = (uintptr_t)&__ehdr_start + y->st_value;
  void (*function)(void);
  memcpy(&function, &address, sizeof function);
  function();
}

/* Calls all of them, in the order of the table, which is the same on all threads. The table: its
 * numbers of buckets, of the first symbol, and of words of a filter, one word more; the filter; a
 * symbol for each bucket; a word for each symbol, whose lowest bit ends a bucket. */
static void call_all(const struct symbols *t, const char *prefix) {
  uint32_t buckets = t->hash[0], first = t->hash[1], filter = t->hash[2];
  const uint32_t *bucket = t->hash + 4 + filter * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t *chain = bucket + buckets;
  for (uint32_t b = 0; b < buckets; b++) {
    if (bucket[b] < first) continue; /* empty */
    uint32_t i = bucket[b] - 1;
    do call_if(t, ++i, prefix);
    while ((chain[i - first] & 1) == 0);
  }
}

static void space_begin(void) {
  upcri_space.first = upci.heap;
  upcri_space.thread_bits = LEAST_BITS;
  while (upci_run.threads > 1u << upcri_space.thread_bits) upcri_space.thread_bits++;
  upci.place_bits = UPCRI_BYTE_BITS + upcri_space.thread_bits;
  uint64_t end = UPCI_LOCAL_FIRST + upci.heap_bytes;
  if (end > UPCRI_BYTE_MASK + 1)
    upci_fail(EYOT_EINVAL,
              "UPC_SHARED_HEAP_SIZE is %llu bytes, expected at most %llu: a translated program's "
              "pointers reach 16 GiB of each thread, for both heaps",
              (unsigned long long)upci.heap_bytes,
              (unsigned long long)(UPCRI_BYTE_MASK + 1) / 2 - UPCI_GLOBAL_FIRST);
}

/* The section is absent in programs for any number of threads. */
extern const int __start_upcri_threads[] __attribute__((weak));
extern const int __stop_upcri_threads[] __attribute__((weak));

static void check_threads(void) {
  for (const int *n = __start_upcri_threads; n != __stop_upcri_threads; n++)
    if ((uint32_t)*n != upci_run.threads)
      upci_fail(EYOT_EINVAL,
                "the program is translated for %d threads, and runs with %u: run it with %d, or "
                "translate it without a constant number",
                *n, upci_run.threads, *n);
}

upc_shared_t upcri_startup_take(size_t blockbytes, size_t numblocks, int mult_by_threads) {
  UPCI_ENTER("shared variables");
  size_t blocks = numblocks;
  if (mult_by_threads && __builtin_mul_overflow(numblocks, (size_t)upci_run.threads, &blocks))
    upci_fail(EYOT_ENOMEM, "%zu blocks on each thread are too many", numblocks);
  return upci_all_take(blocks, blockbytes);
}

void upci_translated_begin(void) {
  EYOT_CALLER("upc_init");
  check_threads();
  space_begin();
  struct symbols t = symbols_of_program();
  call_all(&t, "UPCRI_ALLOC_");
  upci_barrier_all();
  call_all(&t, "UPCRI_INIT_");
  upci_barrier_all();
}

void upcr_exit(int code) {
  exit(code);
}

void upcri_do_exit(int code) {
  exit(code);
}

void upcr_global_exit(int code) {
  UPCI_ENTER("upc_global_exit");
  eyot_exit_all(code);
}
