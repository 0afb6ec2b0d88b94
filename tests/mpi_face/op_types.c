/* SPDX-License-Identifier: BSD-3-Clause */
/* op_types.c - which predefined operator takes which predefined datatype: each pair of the table of
 * MPI 4.1, section 6.9.2, and that all others are refused, also of copies of the datatypes. */
#include "mpi_face/check.h"

/* Groups of operators, as bits. */
enum { ADD = 1, COMPARE = 2, BIT = 4, LOGIC = 8, LOCATE = 16 };
#define C_INTEGER (ADD | COMPARE | BIT | LOGIC)
#define OTHER_INTEGER (ADD | COMPARE | BIT)

struct row {
  MPI_Datatype type;
  int groups;
};

static void check_row(MPI_Datatype type, int groups) {
  const struct {
    MPI_Op op;
    int group;
  } ops[] = {{MPI_SUM, ADD},   {MPI_PROD, ADD},   {MPI_MIN, COMPARE},   {MPI_MAX, COMPARE},
             {MPI_BAND, BIT},  {MPI_BOR, BIT},    {MPI_BXOR, BIT},      {MPI_LAND, LOGIC},
             {MPI_LOR, LOGIC}, {MPI_LXOR, LOGIC}, {MPI_MINLOC, LOCATE}, {MPI_MAXLOC, LOCATE}};
  static long double in[4], out[4];
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
    int want = groups & ops[i].group ? MPI_SUCCESS : MPI_ERR_OP;
    int local = MPI_Reduce_local(in, out, 1, type, ops[i].op);
    int all = MPI_Allreduce(in, out, 1, type, ops[i].op, MPI_COMM_SELF);
    if (local == want && all == want) continue;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(type, name, &length);
    failures++;
    fprintf(stderr, "%s, operator %d: %d and %d, expected %d\n", name, (int)i, local, all, want);
  }
}

static const struct row ROWS[] = {
    {MPI_CHAR, 0},
    {MPI_CHARACTER, 0},
    {MPI_WCHAR, 0},
    {MPI_PACKED, 0},
    {MPI_BYTE, BIT},
    {MPI_C_BOOL, LOGIC},
    {MPI_CXX_BOOL, LOGIC},
    {MPI_LOGICAL, LOGIC},
    {MPI_SIGNED_CHAR, C_INTEGER},
    {MPI_UNSIGNED_CHAR, C_INTEGER},
    {MPI_SHORT, C_INTEGER},
    {MPI_UNSIGNED_SHORT, C_INTEGER},
    {MPI_INT, C_INTEGER},
    {MPI_UNSIGNED, C_INTEGER},
    {MPI_LONG, C_INTEGER},
    {MPI_UNSIGNED_LONG, C_INTEGER},
    {MPI_LONG_LONG_INT, C_INTEGER},
    {MPI_UNSIGNED_LONG_LONG, C_INTEGER},
    {MPI_INT8_T, C_INTEGER},
    {MPI_UINT8_T, C_INTEGER},
    {MPI_INT16_T, C_INTEGER},
    {MPI_UINT16_T, C_INTEGER},
    {MPI_INT32_T, C_INTEGER},
    {MPI_UINT32_T, C_INTEGER},
    {MPI_INT64_T, C_INTEGER},
    {MPI_UINT64_T, C_INTEGER},
    {MPI_INTEGER, OTHER_INTEGER},
    {MPI_INTEGER1, OTHER_INTEGER},
    {MPI_INTEGER2, OTHER_INTEGER},
    {MPI_INTEGER4, OTHER_INTEGER},
    {MPI_INTEGER8, OTHER_INTEGER},
    {MPI_AINT, OTHER_INTEGER},
    {MPI_COUNT, OTHER_INTEGER},
    {MPI_OFFSET, OTHER_INTEGER},
    {MPI_FLOAT, ADD | COMPARE},
    {MPI_DOUBLE, ADD | COMPARE},
    {MPI_LONG_DOUBLE, ADD | COMPARE},
    {MPI_REAL, ADD | COMPARE},
    {MPI_REAL4, ADD | COMPARE},
    {MPI_REAL8, ADD | COMPARE},
    {MPI_DOUBLE_PRECISION, ADD | COMPARE},
    {MPI_C_FLOAT_COMPLEX, ADD},
    {MPI_C_DOUBLE_COMPLEX, ADD},
    {MPI_C_LONG_DOUBLE_COMPLEX, ADD},
    {MPI_CXX_FLOAT_COMPLEX, ADD},
    {MPI_CXX_DOUBLE_COMPLEX, ADD},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, ADD},
    {MPI_COMPLEX, ADD},
    {MPI_COMPLEX8, ADD},
    {MPI_COMPLEX16, ADD},
    {MPI_DOUBLE_COMPLEX, ADD},
    {MPI_2INT, LOCATE},
    {MPI_FLOAT_INT, LOCATE},
    {MPI_DOUBLE_INT, LOCATE},
    {MPI_LONG_INT, LOCATE},
    {MPI_SHORT_INT, LOCATE},
    {MPI_LONG_DOUBLE_INT, LOCATE},
    {MPI_2INTEGER, LOCATE},
};

int main(void) {
  begin();
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MUST(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
    MPI_Datatype copy;
    check_row(ROWS[i].type, ROWS[i].groups);
    MUST(MPI_Type_dup(ROWS[i].type, &copy));
    check_row(copy, ROWS[i].groups);
    MUST(MPI_Type_free(&copy));
  }
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  return finish();
}
