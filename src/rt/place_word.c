/* SPDX-License-Identifier: BSD-3-Clause */
/* place_word.c - implements the words of place.h: 24 bits that name a file of code, and 40 bits of
 * offset in it.
 *
 * A file is named by a hash of its build id, or, without one, of the sizes of its parts. Two
 * processes of a job may run different programs: a word of a file that is not loaded here has no
 * line. */
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/wording.h"
#include "rt/place.h"
#include "rt/proc_state.h"
#include "rt/rt.h"

#define OFF_BITS 40u
#define OFF_MASK ((UINT64_C(1) << OFF_BITS) - 1)
#define ID_BITS 24u
#define ID_HOSTED ((UINT64_C(1) << ID_BITS) - 1) /* the program of which each unit has a copy */

static const char *loaded_at(uintptr_t address) {
  return (const char *)address; /* NOLINT(performance-no-int-to-ptr): the loader gives integers */
}

static uint64_t note_align(uint64_t bytes) {
  return (bytes + 3) & ~UINT64_C(3);
}

/* Mixes in the build id of a part with notes; false: it has none. */
static bool mix_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * part, uint64_t *hash) {
  const char *p = loaded_at(info->dlpi_addr + part->p_vaddr);
  uint64_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= part->p_memsz) {
    ElfW(Nhdr) n;
    memcpy(&n, p + at, sizeof n);
    uint64_t name = at + sizeof n, bytes = name + note_align(n.n_namesz);
    at = bytes + note_align(n.n_descsz);
    if (at > part->p_memsz || n.n_type != NT_GNU_BUILD_ID || n.n_namesz != sizeof "GNU" ||
        memcmp(p + name, "GNU", sizeof "GNU") != 0)
      continue;
    for (uint64_t i = 0; i < n.n_descsz; i++)
      *hash = eyoti_hash_mix(*hash, (unsigned char)p[bytes + i]);
    return true;
  }
  return false;
}

static uint64_t file_id(const struct dl_phdr_info *info) {
  uint64_t sizes = 0, build = 0;
  bool has_build = false;
  for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    if (h->p_type == PT_LOAD)
      sizes = eyoti_hash_mix(eyoti_hash_mix(sizes, h->p_vaddr), h->p_filesz);
    if (h->p_type == PT_NOTE && !has_build) has_build = mix_build_id(info, h, &build);
  }
  return (has_build ? build : sizes) % (ID_HOSTED - 1) + 1;
}

struct file_search {
  uintptr_t address; /* in it */
  uint64_t id;       /* or with that id, if not 0 */
  struct eyoti_file file;
};

static int search_file(struct dl_phdr_info *info, size_t size, void *arg) {
  struct file_search *s = arg;
  struct eyoti_file f = {.low = UINTPTR_MAX, .base = info->dlpi_addr};
  uintptr_t high = 0;
  (void)size;
  for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    if (h->p_type != PT_LOAD || (h->p_flags & PF_X) == 0) continue;
    uintptr_t low = info->dlpi_addr + h->p_vaddr;
    if (low < f.low) f.low = low;
    if (low + h->p_memsz > high) high = low + h->p_memsz;
  }
  if (high == 0) return 0;
  f.bytes = high - f.low;
  if (s->id == 0 && s->address - f.low >= f.bytes) return 0;
  f.id = file_id(info);
  if (s->id != 0 && f.id != s->id) return 0;
  s->file = f;
  return 1;
}

/* The file with that address, kept for the next call. */
static const struct eyoti_file *file_at(struct eyoti_proc *p, uintptr_t address) {
  for (uint32_t i = 0; i < EYOTI_FILES_KEPT; i++)
    if (address - p->file[i].low < p->file[i].bytes) return &p->file[i];
  struct file_search s = {.address = address};
  if (dl_iterate_phdr(search_file, &s) == 0) return NULL;
  struct eyoti_file *kept = &p->file[p->file[0].bytes == 0 ? 0 : EYOTI_FILES_KEPT - 1];
  *kept = s.file;
  return kept;
}

uint64_t eyoti_place_word(const struct eyot_rt *rt, const void *address) {
  struct eyoti_proc *p = rt->proc;
  uint64_t off, id = ID_HOSTED;
  if (address == NULL || p == NULL) return 0;
  if (p->code == NULL ||
      !p->code(p->context, rt->fab->me, (const char *)address - 1, &p->hosted, &off)) {
    const struct eyoti_file *f = file_at(p, (uintptr_t)address - 1);
    if (f == NULL) return 0;
    id = f->id;
    off = (uintptr_t)address - 1 - f->base;
  }
  return off <= OFF_MASK ? id << OFF_BITS | off : 0;
}

const void *eyoti_place_of_word(uint64_t word) {
  struct file_search s = {.id = word >> OFF_BITS};
  uint64_t off = word & OFF_MASK;
  if (s.id == 0 || s.id == ID_HOSTED || dl_iterate_phdr(search_file, &s) == 0) return NULL;
  uintptr_t at = s.file.base + off;
  return at - s.file.low < s.file.bytes ? loaded_at(at + 1) : NULL;
}

const char *eyoti_place_word_text(const struct eyot_rt *rt, uint32_t unit, uint64_t word,
                                  char text[EYOTI_CODE_LINE]) {
  struct eyoti_place p = {0};
  if (word >> OFF_BITS == ID_HOSTED && rt->proc != NULL && rt->proc->hosted != NULL)
    p = (struct eyoti_place){.file = rt->proc->hosted, .off = word & OFF_MASK};
  else
    p = eyoti_place_of(rt, eyoti_place_of_word(word));
  if (p.file != NULL) return eyoti_place_text(rt, p, text);
  eyoti_snprintf(text, EYOTI_CODE_LINE, "offset %#" PRIx64 " of the program of unit %u",
                 word & OFF_MASK, unit);
  return text;
}
