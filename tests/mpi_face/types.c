/* SPDX-License-Identifier: BSD-3-Clause */
/* types.c - datatypes with gaps of the MPI interface: maps, bounds, packing, and messages, whose
 * data is that of the map, byte by byte. For any number of ranks. */
#include <stddef.h>

#include "mpi_face/maps.h"

enum { TYPES = 60, COUNT = 3, ORIGIN = 16384, AREA = 65536 };

static int next(void) {
  return (me + 1) % n_ranks;
}
static int previous(void) {
  return (me + n_ranks - 1) % n_ranks;
}
static unsigned char pattern(int rank, long i) {
  return (unsigned char)(rank * 31 + i * 7 + (i >> 8));
}

/* -- maps -------------------------------------------------------------------------------------- */

static void check_bounds(MPI_Datatype type, const struct map *m) {
  int size;
  MPI_Aint lb, extent, true_lb, true_extent;
  long low = m->at[0], high = m->at[0];
  for (int i = 0; i < m->n; i++) {
    if (m->at[i] < low) low = m->at[i];
    if (m->at[i] > high) high = m->at[i];
  }
  MUST(MPI_Type_size(type, &size));
  MUST(MPI_Type_get_extent(type, &lb, &extent));
  MUST(MPI_Type_get_true_extent(type, &true_lb, &true_extent));
  CHECK(size == m->n);
  CHECK(lb == m->lb && extent == m->ub - m->lb);
  CHECK(true_lb == low && true_extent == high + 1 - low);
}

/* Whether the area has the sender's bytes where `count` elements lie, and else its own. */
static int arrived(const unsigned char *area, const struct map *m, int count, int from, int bytes) {
  static unsigned char expected[AREA];
  for (long i = 0; i < AREA; i++) expected[i] = 0xee;
  for (int c = 0, k = 0; c < count; c++)
    for (int i = 0; i < m->n && k < bytes; i++, k++) {
      long place = ORIGIN + c * (m->ub - m->lb) + m->at[i];
      expected[place] = pattern(from, place);
    }
  return memcmp(area, expected, AREA) == 0;
}

static unsigned char out[AREA], in[AREA], packed[COUNT * BYTES_MAX];

static void check_packing(MPI_Datatype type, const struct map *m) {
  int size, position = 0, k = 0;
  MUST(MPI_Pack_size(COUNT, type, MPI_COMM_WORLD, &size));
  CHECK(size >= COUNT * m->n);
  MUST(MPI_Pack(out + ORIGIN, COUNT, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
  CHECK(position == COUNT * m->n);
  int same = 1;
  for (int c = 0; c < COUNT; c++)
    for (int i = 0; i < m->n; i++, k++)
      same = same && packed[k] == out[ORIGIN + c * (m->ub - m->lb) + m->at[i]];
  CHECK(same);
  memset(in, 0xee, AREA);
  position = 0;
  MUST(MPI_Unpack(packed, sizeof packed, &position, in + ORIGIN, COUNT, type, MPI_COMM_WORLD));
  CHECK(position == COUNT * m->n && arrived(in, m, COUNT, me, COUNT * m->n));
}

/* The data of one datatype may be received as that of another with the same values. */
static void check_messages(MPI_Datatype type, const struct map *m) {
  MPI_Request requests[2];
  MPI_Status status;
  int count;
  memset(in, 0xee, AREA);
  MUST(MPI_Irecv(in + ORIGIN, COUNT, type, previous(), 1, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Isend(out + ORIGIN, COUNT, type, next(), 1, MPI_COMM_WORLD, &requests[1]));
  MUST(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  MUST(MPI_Wait(&requests[0], &status));
  MUST(MPI_Get_count(&status, type, &count));
  CHECK(count == COUNT);
  CHECK(arrived(in, m, COUNT, previous(), COUNT * m->n));

  int position = 0, two = 2 * m->n; /* fewer elements than there is space for */
  MUST(MPI_Pack(out + ORIGIN, 2, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
  memset(in, 0xee, AREA);
  MUST(MPI_Sendrecv(packed, position, MPI_PACKED, next(), 2, in + ORIGIN, COUNT, type, previous(),
                    2, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, type, &count));
  CHECK(count == 2 && arrived(in, m, COUNT, previous(), two));
}

static void random_types(void) {
  for (long i = 0; i < AREA; i++) out[i] = pattern(me, i);
  for (int i = 0; i < TYPES; i++) {
    static struct map m;
    MPI_Datatype type = make_random(1 + i % 3, &m), handle = type;
    check_bounds(type, &m);
    check_packing(type, &m);
    check_messages(type, &m);
    MUST(MPI_Type_free(&handle));
    CHECK(handle == MPI_DATATYPE_NULL);
  }
}

/* -- messages ---------------------------------------------------------------------------------- */

enum { ROWS = 4, COLUMNS = 5 };
static void fill(int matrix[ROWS][COLUMNS], int start) {
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLUMNS; k++) matrix[i][k] = start < 0 ? -1 : start + 10 * i + k;
}

/* A column goes to the next rank as a row of ints, in all ways of sending; the datatype may be
 * freed while a request has it. */
static void columns(void) {
  int matrix[ROWS][COLUMNS], row[ROWS], other[ROWS][COLUMNS];
  MPI_Datatype column;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  fill(matrix, 100 * me);
  fill(other, -1);
  MUST(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column));
  MUST(MPI_Type_commit(&column));
  MUST(MPI_Send_init(&matrix[0][1], 1, column, next(), 3, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Recv_init(&other[0][2], 1, column, previous(), 3, MPI_COMM_WORLD, &requests[1]));
  MUST(MPI_Sendrecv(&matrix[0][3], 1, column, next(), 4, row, ROWS, MPI_INT, previous(), 4,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < ROWS; i++) CHECK(row[i] == 100 * previous() + 10 * i + 3);
  MUST(MPI_Sendrecv_replace(&matrix[0][4], 1, column, next(), 5, previous(), 5, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
  for (int i = 0; i < ROWS; i++) CHECK(matrix[i][4] == 100 * previous() + 10 * i + 4);
  MUST(MPI_Type_free(&column));
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < ROWS; i++) matrix[i][1] = 1000 * round + 100 * me + i;
    MUST(MPI_Startall(2, requests));
    MUST(MPI_Waitall(2, requests, statuses));
    for (int i = 0; i < ROWS; i++) CHECK(other[i][2] == 1000 * round + 100 * previous() + i);
    CHECK(other[0][1] == -1 && other[0][3] == -1 && other[ROWS - 1][3] == -1);
  }
  MUST(MPI_Request_free(&requests[0]));
  MUST(MPI_Request_free(&requests[1]));
}

/* Probes, and receives of what they have found. */
static void probes(void) {
  int matrix[ROWS][COLUMNS], count;
  MPI_Datatype column;
  MPI_Message message;
  MPI_Request sent, received;
  MPI_Status status;
  fill(matrix, 100 * me);
  MUST(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column));
  MUST(MPI_Type_commit(&column));
  for (int way = 0; way < 2; way++) {
    MUST(MPI_Issend(&matrix[0][0], 1, column, next(), 6, MPI_COMM_WORLD, &sent));
    MUST(MPI_Mprobe(previous(), 6, MPI_COMM_WORLD, &message, &status));
    MUST(MPI_Get_count(&status, column, &count));
    CHECK(count == 1);
    MUST(MPI_Get_elements(&status, column, &count));
    CHECK(count == ROWS);
    if (way == 0)
      MUST(MPI_Mrecv(&matrix[0][1], 1, column, &message, &status));
    else
      MUST(MPI_Imrecv(&matrix[0][1], 1, column, &message, &received));
    if (way == 1) MUST(MPI_Wait(&received, &status));
    for (int i = 0; i < ROWS; i++) CHECK(matrix[i][1] == 100 * previous() + 10 * i);
    CHECK(matrix[0][2] == 100 * me + 2);
    MUST(MPI_Wait(&sent, MPI_STATUS_IGNORE));
  }
  MUST(MPI_Type_free(&column));
}

/* A message that is too long: the data of the first bytes, and no gap. */
static void truncation(void) {
  int three[3] = {1, 2, 3}, sparse[6] = {-1, -1, -1, -1, -1, -1}, class = MPI_SUCCESS;
  MPI_Datatype pair;
  MPI_Status status;
  MUST(MPI_Type_vector(2, 1, 2, MPI_INT, &pair));
  MUST(MPI_Type_commit(&pair));
  MPI_Request request;
  MUST(MPI_Irecv(sparse, 1, pair, 0, 7, MPI_COMM_SELF, &request));
  MUST(MPI_Send(three, 1, MPI_INT, 0, 7, MPI_COMM_SELF)); /* shorter */
  class = MPI_Wait(&request, &status);
  CHECK(class == MPI_SUCCESS && sparse[0] == 1 && sparse[1] == -1 && sparse[2] == -1);
  int count;
  MUST(MPI_Get_count(&status, pair, &count));
  CHECK(count == MPI_UNDEFINED);
  MUST(MPI_Get_elements(&status, pair, &count));
  CHECK(count == 1);
  MUST(MPI_Type_free(&pair));
}

/* -- structs and addresses --------------------------------------------------------------------- */

struct record {
  char mark;
  double value[2];
  int id;
};

static MPI_Datatype record_type(int absolute, const struct record *r) {
  int lengths[3] = {1, 2, 1};
  MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, made;
  MPI_Aint places[3] = {offsetof(struct record, mark), offsetof(struct record, value),
                        offsetof(struct record, id)};
  if (absolute) {
    MUST(MPI_Get_address(&r->mark, &places[0]));
    MUST(MPI_Get_address(&r->value, &places[1]));
    MUST(MPI_Get_address(&r->id, &places[2]));
    CHECK(MPI_Aint_diff(places[2], places[0]) == offsetof(struct record, id));
    CHECK(MPI_Aint_add(places[0], offsetof(struct record, id)) == places[2]);
  }
  MUST(MPI_Type_create_struct(3, lengths, places, types, &made));
  MUST(MPI_Type_commit(&made));
  return made;
}

static void records(void) {
  struct record sent[2] = {{'a', {1.5, me}, 7}, {'b', {2.5, -me}, 8}}, got[2], one;
  MPI_Datatype type = record_type(0, NULL), absolute = record_type(1, &one);
  MPI_Aint lb, extent;
  MPI_Status status;
  int count;
  MUST(MPI_Type_get_extent(type, &lb, &extent));
  CHECK(lb == 0 && extent == sizeof(struct record));
  MUST(
      MPI_Sendrecv(sent, 2, type, next(), 8, got, 2, type, previous(), 8, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_elements(&status, type, &count));
  CHECK(count == 8);
  CHECK(got[0].mark == 'a' && got[0].value[1] == previous() && got[0].id == 7);
  CHECK(got[1].mark == 'b' && got[1].value[1] == -previous() && got[1].id == 8);
  MUST(MPI_Sendrecv(&sent[1], 1, type, next(), 9, MPI_BOTTOM, 1, absolute, previous(), 9,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(one.mark == 'b' && one.value[0] == 2.5 && one.value[1] == -previous() && one.id == 8);
  /* A part of a record: its char and one double. */
  int position = 0;
  MUST(MPI_Pack(&sent[0].mark, 1, MPI_CHAR, packed, sizeof packed, &position, MPI_COMM_SELF));
  MUST(MPI_Pack(sent[0].value, 1, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_SELF));
  MUST(
      MPI_Sendrecv(packed, position, MPI_PACKED, 0, 0, got, 2, type, 0, 0, MPI_COMM_SELF, &status));
  MUST(MPI_Get_count(&status, type, &count));
  CHECK(count == MPI_UNDEFINED);
  MUST(MPI_Get_elements(&status, type, &count));
  CHECK(count == 2);
  MUST(MPI_Type_free(&type));
  MUST(MPI_Type_free(&absolute));
}

/* -- constructors ------------------------------------------------------------------------------ */

static void contents(void) {
  int ints[16], n_ints, n_addresses, n_types, combiner;
  MPI_Aint addresses[4];
  MPI_Datatype types[4], vector, shifted;
  MUST(MPI_Type_vector(3, 2, 4, MPI_INT, &vector));
  MUST(MPI_Type_create_resized(vector, -4, 64, &shifted));
  MUST(MPI_Type_free(&vector));
  MUST(MPI_Type_get_envelope(MPI_INT, &n_ints, &n_addresses, &n_types, &combiner));
  CHECK(combiner == MPI_COMBINER_NAMED && n_ints == 0 && n_addresses == 0 && n_types == 0);
  MUST(MPI_Type_get_envelope(shifted, &n_ints, &n_addresses, &n_types, &combiner));
  CHECK(combiner == MPI_COMBINER_RESIZED && n_ints == 0 && n_addresses == 2 && n_types == 1);
  MUST(MPI_Type_get_contents(shifted, 0, 2, 1, ints, addresses, types));
  CHECK(addresses[0] == -4 && addresses[1] == 64);
  vector = types[0]; /* as good as the one that was freed */
  MUST(MPI_Type_get_envelope(vector, &n_ints, &n_addresses, &n_types, &combiner));
  CHECK(combiner == MPI_COMBINER_VECTOR && n_ints == 3 && n_addresses == 0 && n_types == 1);
  MUST(MPI_Type_get_contents(vector, 3, 0, 1, ints, addresses, types));
  CHECK(ints[0] == 3 && ints[1] == 2 && ints[2] == 4 && types[0] == MPI_INT);
  MUST(MPI_Type_free(&vector));
  MUST(MPI_Type_free(&shifted));
  int starts[2] = {1, 0}, sizes[2] = {4, 5}, parts[2] = {2, 3};
  MUST(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &vector));
  MUST(MPI_Type_get_envelope(vector, &n_ints, &n_addresses, &n_types, &combiner));
  CHECK(combiner == MPI_COMBINER_SUBARRAY && n_ints == 8 && n_types == 1);
  MUST(MPI_Type_get_contents(vector, 8, 0, 1, ints, addresses, types));
  CHECK(ints[0] == 2 && ints[1] == 4 && ints[2] == 5 && ints[3] == 2 && ints[4] == 3);
  CHECK(ints[5] == 1 && ints[6] == 0 && ints[7] == MPI_ORDER_C);
  MUST(MPI_Type_free(&vector));
}

/* Datatypes of nothing, and one that is longer than an int says. */
static void extremes(void) {
  MPI_Datatype type, large;
  MPI_Aint lb, extent;
  MPI_Count bytes;
  MPI_Status status;
  int size;
  MUST(MPI_Type_indexed(0, NULL, NULL, MPI_INT, &type));
  MUST(MPI_Type_commit(&type));
  MUST(MPI_Type_get_extent(type, &lb, &extent));
  MUST(MPI_Type_size(type, &size));
  CHECK(size == 0 && lb == 0 && extent == 0);
  MUST(MPI_Sendrecv(out, 5, type, next(), 9, in, 7, type, previous(), 9, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, type, &size));
  CHECK(size == 0);
  MUST(MPI_Type_free(&type));
  MUST(MPI_Type_vector(1 << 20, 1024, 2048, MPI_DOUBLE, &type));
  MUST(MPI_Type_contiguous(2, type, &large));
  MUST(MPI_Type_size(large, &size));
  CHECK(size == MPI_UNDEFINED);
  MUST(MPI_Type_size_x(large, &bytes));
  CHECK(bytes == (MPI_Count)2 << 33);
  MUST(MPI_Type_get_extent(type, &lb, &extent));
  CHECK(extent == (((MPI_Aint)1 << 20) - 1) * 2048 * 8 + 1024 * 8);
  MUST(MPI_Type_free(&type));
  MUST(MPI_Type_free(&large));
}

int main(void) {
  begin();
  random_types();
  columns();
  probes();
  truncation();
  records();
  contents();
  extremes();
  return finish();
}
