/* SPDX-License-Identifier: BSD-3-Clause */
/* test_symbol.c - the names of objects with static storage: of this program, of symbols as gcc,
 * clang and C++ write them, and of a damaged file. */
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/symbol.h"

#define OWN "/proc/self/exe"

uint64_t symbol_global = 1;
static uint64_t symbol_zero[100];

static uint64_t *in_function(void) {
  static uint64_t symbol_inner = 3;
  return &symbol_inner;
}
static uint64_t *one_twin(void) {
  static uint64_t symbol_twin = 4;
  return &symbol_twin;
}
static uint64_t *other_twin(void) {
  static uint64_t symbol_twin = 5;
  return &symbol_twin;
}

static int first(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uint64_t *)base = info->dlpi_addr;
  return 1;
}

static uint64_t in_file(const void *p) {
  uint64_t base = 0;
  (void)dl_iterate_phdr(first, &base);
  return (uint64_t)(uintptr_t)p - base;
}

static void objects_have_names(void **state) {
  (void)state;
  char text[EYOTI_WORDS];
  struct eyoti_symbol s;
  assert_string_equal(eyoti_symbol_words(OWN, in_file(&symbol_global), 0, false, text),
                      "global \"symbol_global\" (8 bytes)");
  assert_string_equal(eyoti_symbol_words(OWN, in_file(symbol_zero) + 8, 0, false, text),
                      "offset 8 of static \"symbol_zero\" (800 bytes, test_symbol.c)");
  assert_string_equal(eyoti_symbol_words(OWN, in_file(symbol_zero) + 8, 0, true, text),
                      "offset 8 of static \"symbol_zero\"");
  assert_string_equal(eyoti_symbol_words(OWN, in_file(in_function()), 0, true, text),
                      "static \"symbol_inner\"");
  assert_string_equal(eyoti_symbol_words(OWN, UINT64_C(1) << 50, 40, false, text),
                      "offset 40 of the program's data");
  assert_int_equal(eyoti_symbol_find("/nowhere/at/all", 0, &s), EYOTI_SYMBOL_NONE);
}

/* Objects of one name keep what tells them apart. */
static void equal_names_are_told_apart(void **state) {
  (void)state;
  char one[EYOTI_WORDS], other[EYOTI_WORDS];
  (void)eyoti_symbol_words(OWN, in_file(one_twin()), 0, true, one);
  (void)eyoti_symbol_words(OWN, in_file(other_twin()), 0, true, other);
  assert_string_not_equal(one, other);
  assert_non_null(strstr(one, "symbol_twin"));
}

static void names_of_compilers(void **state) {
  (void)state;
  static const char *const NAMES[][2] = {
      {"flag", "flag"},
      {"flag.0", "flag"},
      {"flag.lto_priv.0", "flag"},
      {"flag.3.lto_priv.0", "flag"},
      {"main.flag", "flag"},
      {"main.flag.1", "flag"},
      {".hidden", ".hidden"},
      {"flag.", "flag."},
      {"_ZL4flag", "flag"},
      {"_ZN2ns4flagE", "ns::flag"},
      {"_ZN2ns5Class4flagE", "ns::Class::flag"},
      {"_ZN12_GLOBAL__N_14flagE", "flag"},
      {"_ZN2nsL4flagE", "ns::flag"},
      {"_ZZ4mainE4flag", "flag"},
      {"_ZZ4mainE3E1x", "E1x"},
      {"_ZZN2ns1fEiE4flag_0", "flag"},
      {"_ZZ1fvE4flag__12_", "flag"},
      {"_ZN3BoxIiE4flagE", "_ZN3BoxIiE4flagE"}, /* a template */
      {"_ZGVZ4mainE4flag", "_ZGVZ4mainE4flag"},
      {"_Z", "_Z"},
      {"_ZN", "_ZN"},
      {"_ZNE", "_ZNE"},
      {"_ZZ4mainE", "_ZZ4mainE"},
      {"_Z99flag", "_Z99flag"},
      {"_Z99999999999999999999flag", "_Z99999999999999999999flag"}};
  char name[EYOTI_SYMBOL_NAME];
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    bool differs = eyoti_symbol_source_name(NAMES[i][0], name);
    assert_string_equal(name, NAMES[i][1]);
    assert_int_equal(differs, strcmp(NAMES[i][0], NAMES[i][1]) != 0);
  }
}

static char *read_own(size_t *len) {
  FILE *f = fopen(OWN, "rb");
  assert_non_null(f);
  assert_int_equal(fseek(f, 0, SEEK_END), 0);
  *len = (size_t)ftell(f);
  rewind(f);
  char *bytes = malloc(*len);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *len, f), *len);
  fclose(f);
  return bytes;
}

/* What a file of these bytes calls symbol_zero. */
static enum eyoti_symbol_found find_in(const char *bytes, size_t len, char text[EYOTI_WORDS]) {
  char path[] = "/tmp/eyot-symbol-XXXXXX";
  struct eyoti_symbol s;
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, len), (ssize_t)len);
  close(fd);
  enum eyoti_symbol_found found = eyoti_symbol_find(path, in_file(symbol_zero) + 8, &s);
  (void)eyoti_symbol_words(path, in_file(symbol_zero) + 8, 24, false, text);
  unlink(path);
  return found;
}

static void other_files_have_no_names(void **state) {
  (void)state;
  size_t len;
  char *bytes = read_own(&len), text[EYOTI_WORDS];
  ElfW(Ehdr) *h = (ElfW(Ehdr) *)(void *)bytes;
  ElfW(Shdr) *s = (ElfW(Shdr) *)(void *)(bytes + h->e_shoff);
  assert_int_equal(find_in(bytes, len, text), EYOTI_SYMBOL_OBJECT);
  for (uint32_t i = 1; i < h->e_shnum; i++) { /* any section header may hold anything */
    ElfW(Shdr) was = s[i];
    memset(&s[i], 0x5a ^ (int)i, sizeof s[i]);
    s[i].sh_type = was.sh_type;
    (void)find_in(bytes, len, text);
    s[i] = was;
  }
  for (uint32_t i = 1; i < h->e_shnum; i++) /* stripped */
    if (s[i].sh_type == SHT_SYMTAB) s[i].sh_type = SHT_NULL;
  assert_int_equal(find_in(bytes, len, text), EYOTI_SYMBOL_STRIPPED);
  assert_string_equal(text, "offset 24 of the program's data (its names were stripped)");
  assert_int_equal(find_in(bytes, sizeof *h, text), EYOTI_SYMBOL_NONE);
  assert_int_equal(find_in(bytes, 1, text), EYOTI_SYMBOL_NONE);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_have_names), cmocka_unit_test(equal_names_are_told_apart),
      cmocka_unit_test(names_of_compilers), cmocka_unit_test(other_files_have_no_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
