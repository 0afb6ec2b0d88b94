/* SPDX-License-Identifier: BSD-3-Clause */
/* image.c - implements image.h by the section headers of an ELF file. */
#include "base/image.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/image_file.h"

/* Notes of this owner: the mark of eyot/data.h, and the words of eyot/caller.h. */
#define NOTE_OWNER "eyot"
#define NOTE_DATA 1u
#define NOTE_WORDS 2u
#define RELOC_TYPE(info) ((uint32_t)(info))
#define RELOC_SYMBOL(info) ((info) >> 32)
#if defined(__x86_64__)
#define RELOC_COPY R_X86_64_COPY
#elif defined(__aarch64__)
#define RELOC_COPY R_AARCH64_COPY
#elif defined(__riscv)
#define RELOC_COPY R_RISCV_COPY
#elif defined(__powerpc64__)
#define RELOC_COPY R_PPC64_COPY
#else
#error "which relocation copies an object of a shared library into a program?"
#endif

typedef ElfW(Rela) reloc_t;
typedef ElfW(Nhdr) note_t;
typedef eyoti_elf_section_t section_t;
typedef eyoti_elf_segment_t segment_t;
typedef eyoti_elf_symbol_t symbol_t;

static int file_open(const char *path, struct eyoti_image_file *f) {
  int why = eyoti_image_file_open(path, f);
  return why == 0
             ? EYOT_OK
             : EYOTI_FAIL(EYOT_ESYS, "cannot read the program's file %s: %s", path, strerror(why));
}

/* -- which bytes are data ---------------------------------------------------------------------- */

static bool in_relro(const struct eyoti_image_file *f, uint64_t at) {
  const segment_t *p = eyoti_image_file_segments(f);
  for (uint32_t i = 0; i < eyoti_image_file_header(f)->e_phnum; i++)
    if (p[i].p_type == PT_GNU_RELRO && at - p[i].p_vaddr < p[i].p_memsz) return true;
  return false;
}

/* Tables of the linker and the loader that look like data. */
static bool is_table(const char *name) {
  static const char *const PREFIXES[] = {".got",
                                         ".plt",
                                         ".dynamic",
                                         ".data.rel.ro",
                                         ".ctors",
                                         ".dtors",
                                         ".jcr",
                                         ".tm_clone_table",
                                         ".interp",
                                         ".eh_frame",
                                         ".gcc_except_table"};
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
    if (strncmp(name, PREFIXES[i], strlen(PREFIXES[i])) == 0) return true;
  return false;
}

static bool is_data(const struct eyoti_image_file *f, const section_t *s) {
  return (s->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_TLS)) == (SHF_ALLOC | SHF_WRITE) &&
         (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS) && s->sh_size > 0 &&
         !in_relro(f, s->sh_addr) && !is_table(eyoti_image_file_section_name(f, s));
}

static int by_from(const void *a, const void *b) {
  const struct eyoti_image_range *x = a, *y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* Appends a range; *n_cap counts the entries that there is memory for. */
static bool range_add(struct eyoti_image_range **r, uint32_t *n, uint64_t from, uint64_t to) {
  if (from >= to) return true;
  if ((*n & (*n - 1)) == 0) { /* 0 or a power of two: full */
    struct eyoti_image_range *more = realloc(*r, (*n == 0 ? 1 : 2 * *n) * sizeof *more);
    if (more == NULL) return false;
    *r = more;
  }
  (*r)[(*n)++] = (struct eyoti_image_range){from, to};
  return true;
}

/* Removes [from, to) from the data. */
static bool data_without(struct eyoti_image *image, uint64_t from, uint64_t to) {
  for (uint32_t i = 0; i < image->n_data; i++) {
    struct eyoti_image_range *r = &image->data[i], was = *r;
    if (to <= was.from || from >= was.to) continue;
    r->to = from > was.from ? from : was.from;
    if (to < was.to && !range_add(&image->data, &image->n_data, to, was.to)) return false;
  }
  return true;
}

/* Leaves out the objects of shared libraries that the linker has placed in the program: code in the
 * libraries uses them too. */
static bool data_without_copies(const struct eyoti_image_file *f, struct eyoti_image *image) {
  for (uint32_t i = 0; i < eyoti_image_file_header(f)->e_shnum; i++) {
    const section_t *s = &eyoti_image_file_sections(f)[i];
    uint64_t n, n_symbols;
    if (s->sh_type != SHT_RELA || s->sh_link >= eyoti_image_file_header(f)->e_shnum) continue;
    const reloc_t *r = eyoti_image_file_entries(f, s, sizeof *r, &n);
    const symbol_t *symbols = eyoti_image_file_entries(f, &eyoti_image_file_sections(f)[s->sh_link],
                                                       sizeof *symbols, &n_symbols);
    for (uint64_t k = 0; r != NULL && symbols != NULL && k < n; k++) {
      if (RELOC_TYPE(r[k].r_info) != RELOC_COPY || RELOC_SYMBOL(r[k].r_info) >= n_symbols) continue;
      uint64_t size = symbols[RELOC_SYMBOL(r[k].r_info)].st_size;
      if (!data_without(image, r[k].r_offset, r[k].r_offset + size)) return false;
    }
  }
  return true;
}

/* Linkers make one such segment, and one more for large models of code. */
static void find_pages(const struct eyoti_image_file *f, struct eyoti_image *image) {
  const segment_t *p = eyoti_image_file_segments(f); /* in the order of addresses */
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  for (uint32_t i = 0;
       i < eyoti_image_file_header(f)->e_phnum && image->n_pages < EYOTI_IMAGE_PAGES; i++) {
    if (p[i].p_type != PT_LOAD || (p[i].p_flags & PF_W) == 0) continue;
    uint64_t from = p[i].p_vaddr, to = p[i].p_vaddr + p[i].p_memsz,
             zero = p[i].p_vaddr + p[i].p_filesz;
    while (from < to && in_relro(f, from)) from += page - from % page;
    from -= from % page;
    to = (to + page - 1) / page * page;
    bool any = false;
    for (uint32_t k = 0; k < image->n_data && !any; k++)
      any = image->data[k].from >= from && image->data[k].from < to;
    if (any) image->pages[image->n_pages++] = (struct eyoti_image_pages){from, to, zero};
  }
}

/* Sorts, removes the empty ones, and joins those that only padding separates. */
static void ranges_tidy(struct eyoti_image_range *r, uint32_t *n, uint64_t padding) {
  uint32_t kept = 0;
  qsort(r, *n, sizeof *r, by_from);
  for (uint32_t i = 0; i < *n; i++) {
    if (r[i].from == r[i].to) continue;
    if (kept > 0 && r[i].from <= r[kept - 1].to + padding)
      r[kept - 1].to = r[i].to > r[kept - 1].to ? r[i].to : r[kept - 1].to;
    else
      r[kept++] = r[i];
  }
  *n = kept;
}

#define PADDING 32u /* between .data and .bss; a table or a copied object is not as short */

/* -- notes ------------------------------------------------------------------------------------- */

/* The contents of the first note of eyot's of a type, and their length; NULL: there is none. */
static const char *find_note(const void *notes, uint64_t len, uint32_t type, uint64_t *bytes_in) {
  const char *at = notes;
  while (len >= sizeof(note_t)) {
    note_t n;
    memcpy(&n, at, sizeof n);
    uint64_t owner = (n.n_namesz + UINT64_C(3)) & ~UINT64_C(3),
             bytes = sizeof n + owner + ((n.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
    if (bytes > len) return NULL;
    *bytes_in = n.n_descsz;
    if (n.n_type == type && n.n_namesz == sizeof NOTE_OWNER &&
        memcmp(at + sizeof n, NOTE_OWNER, sizeof NOTE_OWNER) == 0)
      return at + sizeof n + owner;
    at += bytes;
    len -= bytes;
  }
  return NULL;
}

/* The words of a note; NULL: they do not end in it, or there are none. */
static const char *find_words(const void *notes, uint64_t len) {
  uint64_t bytes;
  const char *words = find_note(notes, len, NOTE_WORDS, &bytes);
  return words != NULL && bytes > 0 && words[bytes - 1] == '\0' ? words : NULL;
}

struct note_search {
  bool asked;
  const char *words;
};

static int look_for_notes(struct dl_phdr_info *info, size_t size, void *arg) {
  struct note_search *s = arg;
  uint64_t bytes;
  (void)size;
  for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
    const segment_t *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_NOTE) continue;
    const char *notes = (const char *)info->dlpi_addr + p->p_vaddr;
    s->asked = s->asked || find_note(notes, p->p_memsz, NOTE_DATA, &bytes) != NULL;
    if (s->words == NULL) s->words = find_words(notes, p->p_memsz);
  }
  return s->asked && s->words != NULL;
}

bool eyoti_image_asked(void) {
  struct note_search s = {0};
  (void)dl_iterate_phdr(look_for_notes, &s);
  return s.asked;
}

const char *eyoti_image_loaded_words(void) {
  struct note_search s = {0};
  (void)dl_iterate_phdr(look_for_notes, &s);
  return s.words;
}

char *eyoti_image_file_words(const char *path) {
  struct eyoti_image_file f;
  char *copy = NULL;
  if (eyoti_image_file_open(path, &f) != 0) return NULL;
  for (uint32_t i = 0; eyoti_image_file_is_whole(&f) && i < eyoti_image_file_header(&f)->e_shnum;
       i++) {
    const section_t *s = &eyoti_image_file_sections(&f)[i];
    if (s->sh_type != SHT_NOTE || !eyoti_image_file_has(&f, s->sh_offset, s->sh_size, 1)) continue;
    const char *words = find_words(f.bytes + s->sh_offset, s->sh_size);
    if (words == NULL) continue;
    copy = strdup(words);
    break;
  }
  eyoti_image_file_close(&f);
  return copy;
}

static void read_notes(const struct eyoti_image_file *f, struct eyoti_image *image) {
  for (uint32_t i = 0; i < eyoti_image_file_header(f)->e_shnum; i++) {
    const section_t *s = &eyoti_image_file_sections(f)[i];
    uint64_t bytes;
    if (s->sh_type == SHT_NOTE && eyoti_image_file_has(f, s->sh_offset, s->sh_size, 1) &&
        find_note(f->bytes + s->sh_offset, s->sh_size, NOTE_DATA, &bytes) != NULL)
      image->asks = true;
  }
}

/* -- a file ------------------------------------------------------------------------------------ */

/* Other programs differ in the address or size of some section, or in the build id. */
static uint64_t identity(const struct eyoti_image_file *f) {
  uint64_t id = eyoti_hash_mix(0, eyoti_image_file_header(f)->e_entry);
  for (uint32_t i = 0; i < eyoti_image_file_header(f)->e_shnum; i++) {
    const section_t *s = &eyoti_image_file_sections(f)[i];
    if ((s->sh_flags & SHF_ALLOC) == 0) continue;
    id = eyoti_hash_mix(eyoti_hash_mix(id, s->sh_addr), s->sh_size);
    if (s->sh_type != SHT_NOTE || !eyoti_image_file_has(f, s->sh_offset, s->sh_size, 1)) continue;
    for (uint64_t k = 0; k < s->sh_size; k++) id = eyoti_hash_mix(id, f->bytes[s->sh_offset + k]);
  }
  return id;
}

static int read_image(const struct eyoti_image_file *f, struct eyoti_image *image) {
  if (!eyoti_image_file_is_whole(f))
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "%s has no section headers, by which the data of a program is found: do not "
                      "strip them, and start the program itself, not through a loader or a script",
                      f->path);
  bool enough = true;
  for (uint32_t i = 0; i < eyoti_image_file_header(f)->e_shnum && enough; i++) {
    const section_t *s = &eyoti_image_file_sections(f)[i];
    if (is_data(f, s))
      enough = range_add(&image->data, &image->n_data, s->sh_addr, s->sh_addr + s->sh_size);
  }
  if (image->n_data > 0) ranges_tidy(image->data, &image->n_data, PADDING);
  enough = enough && data_without_copies(f, image);
  if (image->n_data > 0) ranges_tidy(image->data, &image->n_data, 0);
  if (!enough) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the ranges of data in %s", f->path);
  find_pages(f, image);
  if (image->n_pages == 0)
    return EYOTI_FAIL(EYOT_ENOTSUP, "%s has no writable objects with static storage", f->path);
  image->lo = image->pages[0].from;
  image->hi = image->pages[image->n_pages - 1].to;
  image->id = identity(f);
  read_notes(f, image);
  return EYOT_OK;
}

int eyoti_image_open(const char *path, struct eyoti_image **out) {
  struct eyoti_image_file f;
  EYOTI_TRY(file_open(path, &f));
  struct eyoti_image *image = calloc(1, sizeof *image);
  int rc = image != NULL && (image->path = strdup(path)) != NULL
               ? read_image(&f, image)
               : EYOTI_FAIL(EYOT_ENOMEM, "no memory for a description of %s", path);
  eyoti_image_file_close(&f);
  if (rc == EYOT_OK)
    *out = image;
  else
    eyoti_image_close(image);
  return rc;
}

void eyoti_image_close(struct eyoti_image *image) {
  if (image == NULL) return;
  free(image->path);
  free(image->data);
  free(image);
}

const char *eyoti_image_section(const struct eyoti_image *image, uint64_t at,
                                char text[EYOTI_IMAGE_SECTION]) {
  struct eyoti_image_file f;
  text[0] = '\0';
  if (eyoti_image_file_open(image->path, &f) != 0) return text;
  for (uint32_t i = 0; eyoti_image_file_is_whole(&f) && i < eyoti_image_file_header(&f)->e_shnum;
       i++) {
    const section_t *s = &eyoti_image_file_sections(&f)[i];
    if ((s->sh_flags & SHF_ALLOC) == 0 || at - s->sh_addr >= s->sh_size) continue;
    snprintf(text, EYOTI_IMAGE_SECTION, "%s", eyoti_image_file_section_name(&f, s));
    break;
  }
  eyoti_image_file_close(&f);
  return text;
}
