/* SPDX-License-Identifier: BSD-3-Clause */
/* stop.c - Fortran: the statements STOP and ERROR STOP, and EXIT, of gfortran's library.
 *
 * That library is shared by all simulated PEs and would end the process for all of them, with the
 * code of one. These take its place in the program, where eyotcc directs calls of exit to the PE
 * that makes them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void _gfortran_stop_numeric(int code, bool quiet);
_Noreturn void _gfortran_error_stop_numeric(int code, bool quiet);
_Noreturn void _gfortran_stop_string(const char *text, size_t length, bool quiet);
_Noreturn void _gfortran_error_stop_string(const char *text, size_t length, bool quiet);
_Noreturn void _gfortran_exit_i4(const int32_t *code);
_Noreturn void _gfortran_exit_i8(const int64_t *code);

/* A write for each line, so that lines of PEs do not mix. */
static void say(const char *statement, const char *text, size_t length) {
  fprintf(stderr, "%s %.*s\n", statement, (int)length, text);
}

static void say_code(const char *statement, int code) {
  char text[16];
  int n = snprintf(text, sizeof text, "%d", code);
  say(statement, text, (size_t)n);
}

void _gfortran_stop_numeric(int code, bool quiet) {
  if (!quiet) say_code("STOP", code);
  exit(code);
}

void _gfortran_error_stop_numeric(int code, bool quiet) {
  if (!quiet) say_code("ERROR STOP", code);
  exit(code);
}

void _gfortran_stop_string(const char *text, size_t length, bool quiet) {
  if (!quiet && text != NULL) say("STOP", text, length);
  exit(0);
}

void _gfortran_error_stop_string(const char *text, size_t length, bool quiet) {
  if (!quiet) say("ERROR STOP", text == NULL ? "" : text, text == NULL ? 0 : length);
  exit(1);
}

void _gfortran_exit_i4(const int32_t *code) {
  exit(code == NULL ? 0 : *code);
}

void _gfortran_exit_i8(const int64_t *code) {
  exit(code == NULL ? 0 : (int)*code);
}
