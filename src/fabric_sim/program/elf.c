/* SPDX-License-Identifier: BSD-3-Clause */
/* elf.c - reads a program's ELF file. See elf.h. The file may be damaged, so every offset is
 * checked before use. */
#include "fabric_sim/program/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

#define BUILD_IT "build it with eyotcc (or eyot_add_program in CMake)"
#define ST_TYPE(info) ((info)&0xfu)
#define ST_BIND(info) ((info) >> 4)

/* The header of the object that contains this code, for comparison: a program for this machine has
 * the same. Defined by the linker. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct file {
  const char *path;
  const unsigned char *bytes;
  uint64_t len;
};

/* A table of the file: `n` entries of a fixed size, and the strings that they refer to. */
struct table {
  const unsigned char *entries;
  uint64_t n;
  const char *strings;
  uint64_t strings_len; /* the last byte is 0 */
};

static int damaged(const struct file *f, const char *what) {
  return EYOTI_FAIL(EYOT_EINVAL, "%s is damaged or incomplete: %s; %s again", f->path, what,
                    BUILD_IT);
}

static bool inside(const struct file *f, uint64_t off, uint64_t n, uint64_t size) {
  uint64_t bytes;
  return !__builtin_mul_overflow(n, size, &bytes) && off <= f->len && bytes <= f->len - off;
}

static bool aligned(uint64_t off) {
  return off % sizeof(void *) == 0;
}

static const ElfW(Ehdr) * header(const struct file *f) {
  return (const ElfW(Ehdr) *)(const void *)f->bytes;
}

static int elf_check_header(const struct file *f) {
  if (f->len >= 2 && memcmp(f->bytes, "#!", 2) == 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s is a script; the simulator runs the program itself inside its own "
                      "process: give the program to eyotrun, or let "
                      "the script call eyotrun",
                      f->path);
  if (f->len < SELFMAG || memcmp(f->bytes, ELFMAG, SELFMAG) != 0)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is not a program (no ELF file); %s", f->path, BUILD_IT);
  if (f->len < sizeof(ElfW(Ehdr))) return damaged(f, "it ends inside its header");
  const ElfW(Ehdr) *h = header(f), *own = &__ehdr_start;
  if (h->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
      h->e_ident[EI_DATA] != own->e_ident[EI_DATA] || h->e_machine != own->e_machine)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s is built for another machine (ELF machine %u, class %u; this one is "
                      "machine %u, class %u)",
                      f->path, h->e_machine, h->e_ident[EI_CLASS], own->e_machine,
                      own->e_ident[EI_CLASS]);
  if (h->e_type == ET_EXEC)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s is an executable at a fixed address, which can be loaded only once; %s",
                      f->path, BUILD_IT);
  if (h->e_type != ET_DYN)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is not a linked program (ELF type %u); %s", f->path,
                      h->e_type, BUILD_IT);
  if (h->e_phentsize != sizeof(ElfW(Phdr)) || !aligned(h->e_phoff) ||
      !inside(f, h->e_phoff, h->e_phnum, sizeof(ElfW(Phdr))))
    return damaged(f, "its program headers lie outside the file");
  if (h->e_shnum == 0 || h->e_shentsize != sizeof(ElfW(Shdr)) || !aligned(h->e_shoff) ||
      !inside(f, h->e_shoff, h->e_shnum, sizeof(ElfW(Shdr))))
    return damaged(f, "its section headers are missing or lie outside the file");
  return EYOT_OK;
}

/* Finds the first section of `type`; found false if there is none. */
static int find_table(const struct file *f, uint32_t type, uint64_t entry_bytes, bool *found,
                      struct table *out) {
  const ElfW(Ehdr) *h = header(f);
  const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(const void *)(f->bytes + h->e_shoff);
  *found = false;
  for (uint32_t i = 0; i < h->e_shnum; i++) {
    const ElfW(Shdr) *s = &sections[i];
    if (s->sh_type != type) continue;
    if (!aligned(s->sh_offset) || !inside(f, s->sh_offset, s->sh_size, 1))
      return damaged(f, "a section lies outside the file");
    if (s->sh_link >= h->e_shnum) return damaged(f, "a section refers to one that does not exist");
    const ElfW(Shdr) *strings = &sections[s->sh_link];
    if (strings->sh_type != SHT_STRTAB || strings->sh_size == 0 ||
        !inside(f, strings->sh_offset, strings->sh_size, 1) ||
        f->bytes[strings->sh_offset + strings->sh_size - 1] != 0)
      return damaged(f, "a table of names is not one");
    *out = (struct table){.entries = f->bytes + s->sh_offset,
                          .n = s->sh_size / entry_bytes,
                          .strings = (const char *)f->bytes + strings->sh_offset,
                          .strings_len = strings->sh_size};
    *found = true;
    return EYOT_OK;
  }
  return EYOT_OK;
}

static const char *name_at(const struct table *t, uint64_t off) {
  return off < t->strings_len ? t->strings + off : "";
}

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_mpi_library(const char *name) {
  static const char *const PREFIXES[] = {"libmpi", "libmpl.", "libopen-rte.", "libopen-pal."};
  for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; i++)
    if (starts_with(name, PREFIXES[i])) return true;
  return false;
}

static int mpi_refused(const struct file *f, const char *how, const char *name) {
  return EYOTI_FAIL(EYOT_ENOTSUP,
                    "%s %s %s: programs that call MPI themselves cannot run in the simulator; run "
                    "it with --fabric mpi, or build it without MPI",
                    f->path, how, name);
}

static int check_dynamic(const struct file *f, struct sim_prog_facts *facts) {
  struct table t;
  bool found;
  EYOTI_TRY(find_table(f, SHT_DYNAMIC, sizeof(ElfW(Dyn)), &found, &t));
  if (!found)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is linked statically and cannot be loaded; %s", f->path,
                      BUILD_IT);
  const ElfW(Dyn) *d = (const ElfW(Dyn) *)(const void *)t.entries;
  for (uint64_t i = 0; i < t.n && d[i].d_tag != DT_NULL; i++) {
    if (d[i].d_tag == DT_FLAGS_1 && (d[i].d_un.d_val & DF_1_PIE) != 0)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%s is an ordinary executable, which cannot be loaded once for each unit; "
                        "%s: the same file then also starts directly",
                        f->path, BUILD_IT);
    if (d[i].d_tag == DT_FLAGS && (d[i].d_un.d_val & DF_STATIC_TLS) != 0) facts->static_tls = true;
    if (d[i].d_tag == DT_NEEDED && is_mpi_library(name_at(&t, d[i].d_un.d_val)))
      return mpi_refused(f, "is linked with", name_at(&t, d[i].d_un.d_val));
  }
  return EYOT_OK;
}

#define CXX_THREAD "_ZNSt6thread" /* the prefix of the names of std::thread's members */

/* A function that makes threads: they run, but may not call eyot. */
static bool makes_threads(const char *name) {
  static const char *const NAMES[] = {"pthread_create", "thrd_create", "clone", "clone3"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
    if (strcmp(name, NAMES[i]) == 0) return true;
  return starts_with(name, CXX_THREAD);
}

/* One that OpenMP's compilers call for a parallel region. */
static bool is_openmp(const char *name) {
  return starts_with(name, "GOMP_parallel") || starts_with(name, "__kmpc_fork_");
}

static bool copies_process(const char *name) {
  static const char *const NAMES[] = {"fork", "vfork", "_Fork", "daemon"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
    if (strcmp(name, NAMES[i]) == 0) return true;
  return false;
}

static bool replaces_process(const char *name) {
  static const char *const NAMES[] = {"execl",  "execle",  "execlp",  "execv",   "execve",
                                      "execvp", "execvpe", "fexecve", "execveat"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
    if (strcmp(name, NAMES[i]) == 0) return true;
  return false;
}

static int check_undefined(const struct file *f, const char *name, bool weak,
                           struct sim_prog_facts *facts) {
  if (starts_with(name, "MPI_") || starts_with(name, "PMPI_")) return mpi_refused(f, "calls", name);
  if (weak) return EYOT_OK;
  facts->threads = facts->threads || makes_threads(name);
  facts->openmp = facts->openmp || is_openmp(name);
  bool copies = copies_process(name);
  if (!copies && !replaces_process(name)) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOTSUP,
                    "%s calls %s: it would %s the process with all simulated units in it; run it "
                    "with --fabric mpi, or without it",
                    f->path, name, copies ? "copy" : "replace");
}

static int check_symbols(const struct file *f, bool copies, struct sim_prog_facts *facts) {
  struct table t;
  bool found, has_main = false;
  EYOTI_TRY(find_table(f, SHT_DYNSYM, sizeof(ElfW(Sym)), &found, &t));
  if (!found)
    return EYOTI_FAIL(EYOT_EINVAL, "%s exports nothing, so that main cannot be called; %s", f->path,
                      BUILD_IT);
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)(const void *)t.entries;
  for (uint64_t i = 1; i < t.n; i++) {
    const ElfW(Sym) *s = &symbols[i];
    const char *name = name_at(&t, s->st_name);
    if (s->st_shndx == SHN_UNDEF) {
      EYOTI_TRY(check_undefined(f, name, ST_BIND(s->st_info) == STB_WEAK, facts));
      continue;
    }
    if (strcmp(name, "main") == 0 && ST_TYPE(s->st_info) == STT_FUNC) has_main = true;
    if (strcmp(name, "eyot_current") == 0)
      return EYOTI_FAIL(
          EYOT_EINVAL,
          "%s contains a static libeyot, so that its units would never meet; link libeyot.so: %s",
          f->path, BUILD_IT);
    if (copies && ST_BIND(s->st_info) == STB_GNU_UNIQUE)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%s: the symbol %s is unique in a process, so that all units would share "
                        "it; compile with -fno-gnu-unique, as "
                        "eyotcc --cxx does, or run with "
                        "--shared-globals",
                        f->path, name);
  }
  if (!has_main)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is a shared library without main, not a program; %s",
                      f->path, BUILD_IT);
  return EYOT_OK;
}

/* Computes memory and mappings of a copy: one mapping per loadable segment, one more for zeroed
 * pages after the file's bytes, and one where RELRO splits a segment. */
static void measure(const struct file *f, struct sim_prog_facts *facts) {
  const ElfW(Ehdr) *h = header(f);
  const ElfW(Phdr) *p = (const ElfW(Phdr) *)(const void *)(f->bytes + h->e_phoff);
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  for (uint32_t i = 0; i < h->e_phnum; i++) {
    if (p[i].p_type == PT_GNU_RELRO) facts->maps++;
    if (p[i].p_type != PT_LOAD) continue;
    facts->maps++;
    if (p[i].p_vaddr + p[i].p_memsz > facts->image_bytes)
      facts->image_bytes = p[i].p_vaddr + p[i].p_memsz;
    if ((p[i].p_flags & PF_W) == 0) continue;
    uint64_t in_page = p[i].p_vaddr % page;
    uint64_t file_pages = (in_page + p[i].p_filesz + page - 1) / page,
             mem_pages = (in_page + p[i].p_memsz + page - 1) / page;
    if (mem_pages > file_pages) facts->maps++;
    facts->private_bytes += mem_pages * page;
  }
}

/* Maps the file, and calls `fn` with it. */
static int with_file(const char *path, int (*fn)(const struct file *f, void *arg), void *arg) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return EYOTI_FAIL(EYOT_EINVAL, "cannot open the program %s: %s", path, strerror(errno));
  struct stat st;
  int rc;
  if (fstat(fd, &st) != 0) {
    rc = EYOTI_FAIL(EYOT_ESYS, "cannot examine the program %s: %s", path, strerror(errno));
    goto close_file;
  }
  if (!S_ISREG(st.st_mode) || st.st_size == 0) {
    rc = EYOTI_FAIL(EYOT_EINVAL, "%s is %s, not a program", path,
                    S_ISDIR(st.st_mode)   ? "a directory"
                    : S_ISREG(st.st_mode) ? "empty"
                                          : "no regular file");
    goto close_file;
  }
  void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) {
    rc = EYOTI_FAIL(EYOT_ENOMEM, "cannot map the program %s: %s", path, strerror(errno));
    goto close_file;
  }
  const struct file f = {.path = path, .bytes = bytes, .len = (uint64_t)st.st_size};
  rc = fn(&f, arg);
  munmap(bytes, (size_t)st.st_size);

close_file:
  close(fd);
  return rc;
}

struct inspection {
  bool copies;
  struct sim_prog_facts *out;
};

static int inspect(const struct file *f, void *arg) {
  const struct inspection *i = arg;
  struct sim_prog_facts facts = {.file_bytes = f->len};
  EYOTI_TRY(elf_check_header(f));
  EYOTI_TRY(check_dynamic(f, &facts));
  EYOTI_TRY(check_symbols(f, i->copies, &facts));
  measure(f, &facts);
  *i->out = facts;
  return EYOT_OK;
}

int sim_prog_inspect(const char *path, bool copies, struct sim_prog_facts *out) {
  struct inspection i = {copies, out};
  return with_file(path, inspect, &i);
}

struct each_needed {
  void (*fn)(const char *name, const char *folders, void *arg);
  void *arg;
};

/* DT_RUNPATH comes before DT_RPATH. */
static int call_each(const struct file *f, void *arg) {
  const struct each_needed *e = arg;
  struct table t;
  bool found;
  const char *folders = "";
  EYOTI_TRY(elf_check_header(f));
  EYOTI_TRY(find_table(f, SHT_DYNAMIC, sizeof(ElfW(Dyn)), &found, &t));
  const ElfW(Dyn) *d = found ? (const ElfW(Dyn) *)(const void *)t.entries : NULL;
  uint64_t n = 0;
  for (; d != NULL && n < t.n && d[n].d_tag != DT_NULL; n++)
    if (d[n].d_tag == DT_RUNPATH || (d[n].d_tag == DT_RPATH && *folders == '\0'))
      folders = name_at(&t, d[n].d_un.d_val);
  for (uint64_t i = 0; i < n; i++)
    if (d[i].d_tag == DT_NEEDED) e->fn(name_at(&t, d[i].d_un.d_val), folders, e->arg);
  return EYOT_OK;
}

void sim_prog_each_needed(const char *path,
                          void (*fn)(const char *name, const char *folders, void *arg), void *arg) {
  struct each_needed e = {fn, arg};
  (void)with_file(path, call_each, &e);
}
