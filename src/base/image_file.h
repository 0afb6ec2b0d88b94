/* SPDX-License-Identifier: BSD-3-Clause */
/* image_file.h - the tables of a program's ELF file, for image.c and symbol.c. The file may be
 * damaged, so every offset is checked before use. */
#ifndef EYOT_BASE_IMAGE_FILE_H
#define EYOT_BASE_IMAGE_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

typedef ElfW(Ehdr) eyoti_elf_header_t;
typedef ElfW(Phdr) eyoti_elf_segment_t;
typedef ElfW(Shdr) eyoti_elf_section_t;
typedef ElfW(Sym) eyoti_elf_symbol_t;

struct eyoti_image_file {
  const char *path;
  const unsigned char *bytes; /* mapped */
  uint64_t len;
};

/* Maps a file; its error number, or 0. Silent. */
int eyoti_image_file_open(const char *path, struct eyoti_image_file *f);
void eyoti_image_file_close(const struct eyoti_image_file *f);
/* Whether it has the tables below; without them nothing else may be asked. */
bool eyoti_image_file_is_whole(const struct eyoti_image_file *f);

static inline const eyoti_elf_header_t *eyoti_image_file_header(const struct eyoti_image_file *f) {
  return (const eyoti_elf_header_t *)(const void *)f->bytes;
}
static inline const eyoti_elf_segment_t *eyoti_image_file_segments(
    const struct eyoti_image_file *f) {
  return (const eyoti_elf_segment_t *)(const void *)(f->bytes +
                                                     eyoti_image_file_header(f)->e_phoff);
}
static inline const eyoti_elf_section_t *eyoti_image_file_sections(
    const struct eyoti_image_file *f) {
  return (const eyoti_elf_section_t *)(const void *)(f->bytes +
                                                     eyoti_image_file_header(f)->e_shoff);
}

/* Whether n entries of `size` bytes at `off` are in the file. */
bool eyoti_image_file_has(const struct eyoti_image_file *f, uint64_t off, uint64_t n,
                          uint64_t size);
/* The text at `off` of a table of names, or "". */
const char *eyoti_image_file_text(const struct eyoti_image_file *f, uint64_t table, uint64_t off);
const char *eyoti_image_file_section_name(const struct eyoti_image_file *f,
                                          const eyoti_elf_section_t *s);
/* The entries of a section, or NULL. */
const void *eyoti_image_file_entries(const struct eyoti_image_file *f, const eyoti_elf_section_t *s,
                                     uint64_t entry_bytes, uint64_t *n);
#endif
