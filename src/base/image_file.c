/* SPDX-License-Identifier: BSD-3-Clause */
/* image_file.c - implements image_file.h. */
#include "base/image_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int eyoti_image_file_open(const char *path, struct eyoti_image_file *f) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) != 0) {
    int why = errno;
    if (fd >= 0) (void)close(fd);
    return why;
  }
  errno = EINVAL;
  void *bytes =
      st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  int why = errno;
  (void)close(fd);
  if (bytes == MAP_FAILED) return why;
  *f = (struct eyoti_image_file){.path = path, .bytes = bytes, .len = (uint64_t)st.st_size};
  return 0;
}

void eyoti_image_file_close(const struct eyoti_image_file *f) {
  (void)munmap((void *)(uintptr_t)f->bytes, f->len);
}

bool eyoti_image_file_has(const struct eyoti_image_file *f, uint64_t off, uint64_t n,
                          uint64_t size) {
  uint64_t bytes;
  return off % sizeof(uint32_t) == 0 && !__builtin_mul_overflow(n, size, &bytes) && off <= f->len &&
         bytes <= f->len - off;
}

bool eyoti_image_file_is_whole(const struct eyoti_image_file *f) {
  const eyoti_elf_header_t *h = eyoti_image_file_header(f);
  return f->len >= sizeof *h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
         h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_phentsize == sizeof(eyoti_elf_segment_t) &&
         eyoti_image_file_has(f, h->e_phoff, h->e_phnum, sizeof(eyoti_elf_segment_t)) &&
         h->e_shnum > 0 && h->e_shentsize == sizeof(eyoti_elf_section_t) &&
         eyoti_image_file_has(f, h->e_shoff, h->e_shnum, sizeof(eyoti_elf_section_t)) &&
         h->e_shstrndx < h->e_shnum;
}

const char *eyoti_image_file_text(const struct eyoti_image_file *f, uint64_t table, uint64_t off) {
  if (table >= eyoti_image_file_header(f)->e_shnum) return "";
  const eyoti_elf_section_t *s = &eyoti_image_file_sections(f)[table];
  if (!eyoti_image_file_has(f, s->sh_offset & ~UINT64_C(3), s->sh_size, 1) || s->sh_size == 0 ||
      off >= s->sh_size || s->sh_offset + s->sh_size > f->len ||
      f->bytes[s->sh_offset + s->sh_size - 1] != 0)
    return "";
  return (const char *)f->bytes + s->sh_offset + off;
}

const char *eyoti_image_file_section_name(const struct eyoti_image_file *f,
                                          const eyoti_elf_section_t *s) {
  return eyoti_image_file_text(f, eyoti_image_file_header(f)->e_shstrndx, s->sh_name);
}

const void *eyoti_image_file_entries(const struct eyoti_image_file *f, const eyoti_elf_section_t *s,
                                     uint64_t entry_bytes, uint64_t *n) {
  *n = s->sh_size / entry_bytes;
  return s->sh_offset % sizeof(uint64_t) == 0 &&
                 eyoti_image_file_has(f, s->sh_offset, *n, entry_bytes)
             ? f->bytes + s->sh_offset
             : NULL;
}
