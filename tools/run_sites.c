/* SPDX-License-Identifier: BSD-3-Clause */
/* run_sites.c - see run_sites.h. Return addresses become lines by the files that the process has
 * mapped, and addr2line. */
#include "run_sites.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turns an offset in an ELF file into the address that the file gives it. */
static bool address_of(const char *file, uint64_t offset, uint64_t *address) {
  FILE *f = fopen(file, "re");
  Elf64_Ehdr head;
  bool found = false;
  if (f == NULL) return false;
  if (fread(&head, sizeof head, 1, f) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
      head.e_phentsize == sizeof(Elf64_Phdr) && fseek(f, (long)head.e_phoff, SEEK_SET) == 0) {
    Elf64_Phdr p;
    for (uint32_t i = 0; i < head.e_phnum && !found && fread(&p, sizeof p, 1, f) == 1; i++) {
      found = p.p_type == PT_LOAD && offset >= p.p_offset && offset - p.p_offset < p.p_filesz;
      if (found) *address = offset - p.p_offset + p.p_vaddr;
    }
  }
  fclose(f);
  return found;
}

/* Finds the file that holds the site, and the site's address in it. */
static void find_file(struct run_site *s) {
  char path[64], text[RUN_SITE_FILE + 128], file[RUN_SITE_FILE];
  uint64_t from, to, offset, at = s->address - 1; /* within the call that returns there */
  if (s->address == 0) return;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)s->pid);
  FILE *maps = fopen(path, "re");
  if (maps == NULL) return;
  while (fgets(text, sizeof text, maps) != NULL) {
    file[0] = '\0';
    if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %511[^\n]", &from, &to,
               &offset, file) < 3 ||
        at < from || at >= to)
      continue;
    if (file[0] == '/' && address_of(file, at - from + offset, &s->off))
      snprintf(s->file, sizeof s->file, "%s", file);
    break;
  }
  fclose(maps);
}

/* Asks for the lines of all sites of one file at once. */
void run_sites_find(struct run_site *s, uint32_t n) {
  uint64_t *at = calloc(n, sizeof *at);
  char(*text)[EYOTI_CODE_LINE] = calloc(n, sizeof *text);
  uint32_t *of = calloc(n, sizeof *of);
  for (uint32_t i = 0; i < n; i++) find_file(&s[i]);
  for (uint32_t i = 0; at != NULL && text != NULL && of != NULL && i < n; i++) {
    uint32_t k = 0;
    if (s[i].file[0] == '\0' || s[i].place[0] != '\0') continue;
    for (uint32_t j = i; j < n; j++)
      if (strcmp(s[j].file, s[i].file) == 0) {
        of[k] = j;
        at[k++] = s[j].off;
      }
    bool asked = eyoti_code_lines(s[i].file, at, k, text);
    const char *slash = strrchr(s[i].file, '/');
    for (uint32_t j = 0; j < k; j++)
      if (asked && text[j][0] != '\0')
        memcpy(s[of[j]].place, text[j], sizeof text[j]);
      else
        snprintf(s[of[j]].place, sizeof s[of[j]].place, "%.64s+%#" PRIx64, slash + 1, s[of[j]].off);
  }
  free(at);
  free(text);
  free(of);
}
