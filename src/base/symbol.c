/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol.c - implements symbol.h: searches the tables of symbols of an ELF file. */
#include "base/symbol.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/image_file.h"

struct symbol_table {
  const struct eyoti_image_file *f;
  const eyoti_elf_symbol_t *symbol;
  uint64_t n, names;
};

static bool is_object(const eyoti_elf_symbol_t *y) {
  return ELF64_ST_TYPE(y->st_info) == STT_OBJECT && y->st_shndx != SHN_UNDEF;
}

static const char *name_of(const struct symbol_table *t, uint64_t i) {
  return eyoti_image_file_text(t->f, t->names, t->symbol[i].st_name);
}

/* Whether another object has the same name in the source. */
static bool is_ambiguous(const struct symbol_table *t, uint64_t found, const char *name) {
  char other[EYOTI_SYMBOL_NAME];
  for (uint64_t i = 0; i < t->n; i++) {
    if (i == found || !is_object(&t->symbol[i])) continue;
    (void)eyoti_symbol_source_name(name_of(t, i), other);
    if (strcmp(other, name) == 0) return true;
  }
  return false;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* A table has the local symbols of each source file after the symbol of the file. */
static void describe(const struct symbol_table *t, uint64_t found, uint64_t at,
                     struct eyoti_symbol *s) {
  const eyoti_elf_symbol_t *y = &t->symbol[found];
  *s = (struct eyoti_symbol){.in = at - y->st_value,
                             .len_bytes = y->st_size,
                             .local = ELF64_ST_BIND(y->st_info) == STB_LOCAL};
  if (eyoti_symbol_source_name(name_of(t, found), s->name) && is_ambiguous(t, found, s->name))
    snprintf(s->name, sizeof s->name, "%s", name_of(t, found));
  for (uint64_t i = found; s->local && i-- > 0;) {
    if (ELF64_ST_TYPE(t->symbol[i].st_info) != STT_FILE) continue;
    const char *file = base_name(name_of(t, i));
    if (file[0] != '<') snprintf(s->file, sizeof s->file, "%s", file); /* <artificial> */
    break;
  }
}

static bool find_in(const struct symbol_table *t, uint64_t at, struct eyoti_symbol *s) {
  for (uint64_t i = 0; i < t->n; i++)
    if (is_object(&t->symbol[i]) && at - t->symbol[i].st_value < t->symbol[i].st_size &&
        name_of(t, i)[0] != '\0') {
      describe(t, i, at, s);
      return true;
    }
  return false;
}

/* The table of the linker has all symbols, that of the loader those that other files may use. */
static enum eyoti_symbol_found find(const struct eyoti_image_file *f, uint64_t at,
                                    struct eyoti_symbol *s) {
  static const uint32_t TYPES[] = {SHT_SYMTAB, SHT_DYNSYM};
  enum eyoti_symbol_found none = EYOTI_SYMBOL_STRIPPED;
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t i = 0; i < eyoti_image_file_header(f)->e_shnum; i++) {
      const eyoti_elf_section_t *e = &eyoti_image_file_sections(f)[i];
      struct symbol_table t = {.f = f, .names = e->sh_link};
      if (e->sh_type != TYPES[k]) continue;
      t.symbol = eyoti_image_file_entries(f, e, sizeof *t.symbol, &t.n);
      if (t.symbol == NULL) continue;
      if (k == 0) none = EYOTI_SYMBOL_NONE;
      if (find_in(&t, at, s)) return EYOTI_SYMBOL_OBJECT;
    }
  return none;
}

enum eyoti_symbol_found eyoti_symbol_find(const char *path, uint64_t at, struct eyoti_symbol *s) {
  struct eyoti_image_file f;
  enum eyoti_symbol_found found = EYOTI_SYMBOL_NONE;
  if (eyoti_image_file_open(path, &f) != 0) return found;
  if (eyoti_image_file_is_whole(&f)) found = find(&f, at, s);
  eyoti_image_file_close(&f);
  return found;
}

const char *eyoti_symbol_words(const char *path, uint64_t at, uint64_t off, bool brief,
                               char text[EYOTI_WORDS]) {
  struct eyoti_symbol s;
  char where[32] = "", about[EYOTI_SYMBOL_FILE + 32] = "";
  enum eyoti_symbol_found found = eyoti_symbol_find(path, at, &s);
  if (found != EYOTI_SYMBOL_OBJECT) {
    snprintf(text, EYOTI_WORDS, "offset %" PRIu64 " of the program's data%s", off,
             found == EYOTI_SYMBOL_STRIPPED && !brief ? " (its names were stripped)" : "");
    return text;
  }
  if (s.in > 0) snprintf(where, sizeof where, "offset %" PRIu64 " of ", s.in);
  if (!brief)
    snprintf(about, sizeof about, " (%" PRIu64 " byte%s%s%s)", s.len_bytes,
             s.len_bytes == 1 ? "" : "s", s.file[0] != '\0' ? ", " : "", s.file);
  snprintf(text, EYOTI_WORDS, "%s%s \"%s\"%s", where, s.local ? "static" : "global", s.name, about);
  return text;
}
