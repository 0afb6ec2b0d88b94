/* SPDX-License-Identifier: BSD-3-Clause */
/* image.c - implements image.h by the section headers of an ELF file. The file may be damaged, so
 * every offset is checked before use. */
#include "base/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/hash.h"

/* The mark of eyot/data.h: a note of this owner and type. */
#define MARK_OWNER "eyot"
#define MARK_TYPE 1u
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

typedef ElfW(Ehdr) header_t;
typedef ElfW(Phdr) segment_t;
typedef ElfW(Shdr) section_t;
typedef ElfW(Sym) symbol_t;
typedef ElfW(Rela) reloc_t;
typedef ElfW(Nhdr) note_t;

struct image_file {
  const char *path;
  const unsigned char *bytes;
  uint64_t len;
};

static bool inside(const struct image_file *f, uint64_t off, uint64_t n, uint64_t size) {
  uint64_t bytes;
  return off % sizeof(uint32_t) == 0 && !__builtin_mul_overflow(n, size, &bytes) && off <= f->len &&
         bytes <= f->len - off;
}

static int file_open(const char *path, struct image_file *f) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) != 0) {
    int why = errno;
    if (fd >= 0) (void)close(fd);
    return EYOTI_FAIL(EYOT_ESYS, "cannot read the program's file %s: %s", path, strerror(why));
  }
  void *bytes =
      st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  int why = errno;
  (void)close(fd);
  if (bytes == MAP_FAILED)
    return EYOTI_FAIL(EYOT_ESYS, "cannot read the program's file %s: %s", path, strerror(why));
  *f = (struct image_file){.path = path, .bytes = bytes, .len = (uint64_t)st.st_size};
  return EYOT_OK;
}

static void file_close(const struct image_file *f) {
  (void)munmap((void *)(uintptr_t)f->bytes, f->len);
}

static const header_t *header(const struct image_file *f) {
  return (const header_t *)(const void *)f->bytes;
}
static const segment_t *segments(const struct image_file *f) {
  return (const segment_t *)(const void *)(f->bytes + header(f)->e_phoff);
}
static const section_t *sections(const struct image_file *f) {
  return (const section_t *)(const void *)(f->bytes + header(f)->e_shoff);
}

static bool file_is_whole(const struct image_file *f) {
  const header_t *h = header(f);
  return f->len >= sizeof *h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
         h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_phentsize == sizeof(segment_t) &&
         inside(f, h->e_phoff, h->e_phnum, sizeof(segment_t)) && h->e_shnum > 0 &&
         h->e_shentsize == sizeof(section_t) &&
         inside(f, h->e_shoff, h->e_shnum, sizeof(section_t)) && h->e_shstrndx < h->e_shnum;
}

/* The text at `off` of a table of names, or "". */
static const char *text_at(const struct image_file *f, uint64_t table, uint64_t off) {
  if (table >= header(f)->e_shnum) return "";
  const section_t *s = &sections(f)[table];
  if (!inside(f, s->sh_offset & ~UINT64_C(3), s->sh_size, 1) || s->sh_size == 0 ||
      off >= s->sh_size || s->sh_offset + s->sh_size > f->len ||
      f->bytes[s->sh_offset + s->sh_size - 1] != 0)
    return "";
  return (const char *)f->bytes + s->sh_offset + off;
}

static const char *section_name(const struct image_file *f, const section_t *s) {
  return text_at(f, header(f)->e_shstrndx, s->sh_name);
}

/* The entries of a section, or NULL. */
static const void *section_entries(const struct image_file *f, const section_t *s,
                                   uint64_t entry_bytes, uint64_t *n) {
  *n = s->sh_size / entry_bytes;
  return s->sh_offset % sizeof(uint64_t) == 0 && inside(f, s->sh_offset, *n, entry_bytes)
             ? f->bytes + s->sh_offset
             : NULL;
}

/* -- which bytes are data ---------------------------------------------------------------------- */

static bool in_relro(const struct image_file *f, uint64_t at) {
  const segment_t *p = segments(f);
  for (uint32_t i = 0; i < header(f)->e_phnum; i++)
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

static bool is_data(const struct image_file *f, const section_t *s) {
  return (s->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_TLS)) == (SHF_ALLOC | SHF_WRITE) &&
         (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS) && s->sh_size > 0 &&
         !in_relro(f, s->sh_addr) && !is_table(section_name(f, s));
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
static bool data_without_copies(const struct image_file *f, struct eyoti_image *image) {
  for (uint32_t i = 0; i < header(f)->e_shnum; i++) {
    const section_t *s = &sections(f)[i];
    uint64_t n, n_symbols;
    if (s->sh_type != SHT_RELA || s->sh_link >= header(f)->e_shnum) continue;
    const reloc_t *r = section_entries(f, s, sizeof *r, &n);
    const symbol_t *symbols =
        section_entries(f, &sections(f)[s->sh_link], sizeof *symbols, &n_symbols);
    for (uint64_t k = 0; r != NULL && symbols != NULL && k < n; k++) {
      if (RELOC_TYPE(r[k].r_info) != RELOC_COPY || RELOC_SYMBOL(r[k].r_info) >= n_symbols) continue;
      uint64_t size = symbols[RELOC_SYMBOL(r[k].r_info)].st_size;
      if (!data_without(image, r[k].r_offset, r[k].r_offset + size)) return false;
    }
  }
  return true;
}

/* Linkers make one such segment, and one more for large models of code. */
static void find_pages(const struct image_file *f, struct eyoti_image *image) {
  const segment_t *p = segments(f); /* in the order of addresses */
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  for (uint32_t i = 0; i < header(f)->e_phnum && image->n_pages < EYOTI_IMAGE_PAGES; i++) {
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

/* -- the mark ---------------------------------------------------------------------------------- */

static bool has_mark(const void *notes, uint64_t len) {
  const char *at = notes;
  while (len >= sizeof(note_t)) {
    note_t n;
    memcpy(&n, at, sizeof n);
    uint64_t owner = (n.n_namesz + UINT64_C(3)) & ~UINT64_C(3),
             bytes = sizeof n + owner + ((n.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
    if (bytes > len) return false;
    if (n.n_type == MARK_TYPE && n.n_namesz == sizeof MARK_OWNER &&
        memcmp(at + sizeof n, MARK_OWNER, sizeof MARK_OWNER) == 0)
      return true;
    at += bytes;
    len -= bytes;
  }
  return false;
}

static int look_for_mark(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  for (uint32_t i = 0; i < info->dlpi_phnum && !*(bool *)found; i++) {
    const segment_t *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_NOTE)
      *(bool *)found = has_mark((const char *)info->dlpi_addr + p->p_vaddr, p->p_memsz);
  }
  return *(bool *)found;
}

bool eyoti_image_asked(void) {
  bool found = false;
  (void)dl_iterate_phdr(look_for_mark, &found);
  return found;
}

static void read_notes(const struct image_file *f, struct eyoti_image *image) {
  for (uint32_t i = 0; i < header(f)->e_shnum; i++) {
    const section_t *s = &sections(f)[i];
    if (s->sh_type == SHT_NOTE && inside(f, s->sh_offset, s->sh_size, 1) &&
        has_mark(f->bytes + s->sh_offset, s->sh_size))
      image->asks = true;
  }
}

/* -- a file ------------------------------------------------------------------------------------ */

/* Other programs differ in the address or size of some section, or in the build id. */
static uint64_t identity(const struct image_file *f) {
  uint64_t id = eyoti_hash_mix(0, header(f)->e_entry);
  for (uint32_t i = 0; i < header(f)->e_shnum; i++) {
    const section_t *s = &sections(f)[i];
    if ((s->sh_flags & SHF_ALLOC) == 0) continue;
    id = eyoti_hash_mix(eyoti_hash_mix(id, s->sh_addr), s->sh_size);
    if (s->sh_type != SHT_NOTE || !inside(f, s->sh_offset, s->sh_size, 1)) continue;
    for (uint64_t k = 0; k < s->sh_size; k++) id = eyoti_hash_mix(id, f->bytes[s->sh_offset + k]);
  }
  return id;
}

static int read_image(const struct image_file *f, struct eyoti_image *image) {
  if (!file_is_whole(f))
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "%s has no section headers, by which the data of a program is found: do not "
                      "strip them, and start the program itself, not through a loader or a script",
                      f->path);
  bool enough = true;
  for (uint32_t i = 0; i < header(f)->e_shnum && enough; i++) {
    const section_t *s = &sections(f)[i];
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
  struct image_file f;
  EYOTI_TRY(file_open(path, &f));
  struct eyoti_image *image = calloc(1, sizeof *image);
  int rc = image != NULL && (image->path = strdup(path)) != NULL
               ? read_image(&f, image)
               : EYOTI_FAIL(EYOT_ENOMEM, "no memory for a description of %s", path);
  file_close(&f);
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

/* -- names ------------------------------------------------------------------------------------- */

static bool symbol_words(const struct image_file *f, const section_t *s, uint64_t at,
                         char text[EYOTI_IMAGE_WORDS]) {
  uint64_t n;
  const symbol_t *symbols = section_entries(f, s, sizeof *symbols, &n);
  for (uint64_t i = 0; symbols != NULL && i < n; i++) {
    const symbol_t *y = &symbols[i];
    if (ELF64_ST_TYPE(y->st_info) != STT_OBJECT || y->st_shndx == SHN_UNDEF ||
        at - y->st_value >= y->st_size)
      continue;
    const char *name = text_at(f, s->sh_link, y->st_name);
    if (at == y->st_value)
      snprintf(text, EYOTI_IMAGE_WORDS, "%s", name);
    else
      snprintf(text, EYOTI_IMAGE_WORDS, "offset %" PRIu64 " of %s", at - y->st_value, name);
    return true;
  }
  return false;
}

const char *eyoti_image_words(const struct eyoti_image *image, uint64_t at,
                              char text[EYOTI_IMAGE_WORDS]) {
  struct image_file f;
  text[0] = '\0';
  if (access(image->path, R_OK) != 0 || file_open(image->path, &f) != EYOT_OK) return text;
  bool found = false;
  for (uint32_t i = 0; file_is_whole(&f) && i < header(&f)->e_shnum && !found; i++) {
    const section_t *s = &sections(&f)[i];
    if (s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM) found = symbol_words(&f, s, at, text);
  }
  for (uint32_t i = 0; file_is_whole(&f) && i < header(&f)->e_shnum && !found; i++) {
    const section_t *s = &sections(&f)[i];
    if ((s->sh_flags & SHF_ALLOC) == 0 || at - s->sh_addr >= s->sh_size) continue;
    snprintf(text, EYOTI_IMAGE_WORDS, "section %s", section_name(&f, s));
    found = true;
  }
  file_close(&f);
  return text;
}
