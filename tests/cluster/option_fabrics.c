/* SPDX-License-Identifier: BSD-3-Clause */
/* option_fabrics.c - goes over the whole table of options (base/options.def): eyotrun and eyotcheck
 * refuse each option that the fabric of the run does not have, and a variable in the environment
 * gets one warning: option_fabrics EYOTRUN EYOTCHECK HELLO. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/conf.h"

#define COMMAND_BYTES 2048
#define OUTPUT_BYTES 8192

static int bad;

/* Runs the command; returns its exit code, and what it prints. */
static int run(const char *command, char *output) {
  FILE *f = popen(command, "r");
  if (f == NULL) return -1;
  size_t n = fread(output, 1, OUTPUT_BYTES - 1, f);
  output[n] = '\0';
  int status = pclose(f);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The command must end with `code` and print `text`. */
static void expect(const char *command, int code, const char *text) {
  char output[OUTPUT_BYTES];
  int got = run(command, output);
  if (got == code && strstr(output, text) != NULL) return;
  printf("%s\n  exit code %d, expected %d and '%s'; it printed: %s\n", command, got, code, text,
         output);
  bad++;
}

/* A value that the option accepts and that changes nothing that matters here. */
static const char *value_of(const struct eyoti_conf_entry *e) {
  return *e->def != '\0' ? e->def : "none";
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  char command[3 * COMMAND_BYTES], text[256], names[2][COMMAND_BYTES] = {"", ""};
  uint32_t sim = 0, mpi = 0;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    const struct eyoti_conf_entry *e = eyoti_conf_entry((enum eyoti_conf)k);
    if (e->fabric == EYOTI_CONF_FOR_ALL) continue;
    bool is_sim = e->fabric == EYOTI_CONF_FOR_SIM;
    snprintf(command, sizeof command, "%s --fabric %s --%s='%s' %s 2>&1", argv[1],
             is_sim ? "mpi" : "sim", e->flag, value_of(e), argv[3]);
    snprintf(text, sizeof text, "--%s is for --fabric %s", e->flag, is_sim ? "sim" : "mpi");
    expect(command, 2, text);
    if (!is_sim) {
      snprintf(command, sizeof command, "%s --runs 1 --%s='%s' %s 2>&1", argv[2], e->flag,
               value_of(e), argv[3]);
      expect(command, 2, text);
    }
    char *list = names[is_sim];
    size_t n = strlen(list);
    snprintf(list + n, sizeof names[0] - n, "%s='%s' ", e->env, value_of(e));
    if (is_sim)
      sim++;
    else
      mpi++;
  }
  snprintf(command, sizeof command, "%s %s --fabric mpi -n 1 %s 2>&1", names[1], argv[1], argv[3]);
  snprintf(text, sizeof text, "%u variables in the environment (EYOT_PLATFORM, ", sim);
  expect(command, 0, text);
  snprintf(command, sizeof command, "%s %s --fabric sim -n 1 %s 2>&1", names[0], argv[1], argv[3]);
  snprintf(text, sizeof text, "%u variables in the environment (EYOT_MPI, ", mpi);
  expect(command, 0, text);
  snprintf(command, sizeof command, "%s --fabric mpi --runs 1 %s 2>&1", argv[2], argv[3]);
  expect(command, 2, "eyotcheck explores schedules, which only the simulator has");
  snprintf(command, sizeof command, "%s --fabric sim --mpiexec-args x %s 2>&1", argv[1], argv[3]);
  expect(command, 2, "--mpiexec-args is for --fabric mpi");
  snprintf(command, sizeof command, "%s --fabric mpi --seeds 3 %s 2>&1", argv[1], argv[3]);
  expect(command, 2, "this option is for --fabric sim");
  printf("%u options of sim, %u of mpi, %d failures\n", sim, mpi, bad);
  return bad != 0 || sim < 10 || mpi < 5;
}
