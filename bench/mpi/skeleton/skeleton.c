/* Airfoil's time steps without its numbers: the messages that a partition makes, between delays as
   long as its computing. Run by SimGrid's simulator of MPI programs: simulate says how.

     skeleton TRAFFIC STEPS CELL_NS SHARE
       TRAFFIC  of `bench-mpi traffic`: parts and pairs; a line for each part's cells; for each pair
                who sends, who receives, and how many cells
       CELL_NS  nanoseconds of a cell in a step
       SHARE    of a step that res_calc takes, during which messages are on their way

   Rank 0 prints the microseconds of a step, those of computing alone, and their difference. The
   simulated processors do 10^9 operations a second. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  bytes_of_cell = 40, /* q and adt */
  first_steps = 5     /* until all ranks are as far apart as they stay */
};

struct line {
  int rank, cells;
};

static void stop(const char* why) {
  fprintf(stderr, "skeleton: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count != 5) stop("expected TRAFFIC STEPS CELL_NS SHARE");
  const int steps = atoi(words[2]);
  const double cell_ns = atof(words[3]), share = atof(words[4]);

  FILE* file = fopen(words[1], "r");
  int parts = 0, pairs = 0, largest = 0, own = 0, sends = 0, receives = 0;
  if (file == NULL || fscanf(file, "%d %d", &parts, &pairs) != 2) stop("no traffic to read");
  if (parts != ranks) stop("expected as many ranks as parts");
  for (int part = 0, cells = 0; part < parts && fscanf(file, "%d", &cells) == 1; ++part) {
    if (part == rank) own = cells;
    if (cells > largest) largest = cells;
  }
  struct line* out = malloc(sizeof(struct line) * (size_t)(parts + 1));
  struct line* in = malloc(sizeof(struct line) * (size_t)(parts + 1));
  int most = 1;
  for (int pair = 0, from = 0, to = 0, cells = 0;
       pair < pairs && fscanf(file, "%d %d %d", &from, &to, &cells) == 3; ++pair) {
    if (from == rank) out[sends++] = (struct line){to, cells};
    if (to == rank) in[receives++] = (struct line){from, cells};
    if (cells > most) most = cells;
  }
  fclose(file);

  char* memory = malloc((size_t)most * bytes_of_cell);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)(sends + receives + 1));
  const double half = own * cell_ns / 2; /* operations of a stage */
  double ends[2] = {0, 0}; /* of the first steps, of all; the simulator has one clock for all */
  for (int stage = 0; stage < 2 * (first_steps + steps); ++stage) {
    if (stage == 2 * first_steps) ends[0] = MPI_Wtime();
    smpi_execute_flops(half * (1 - share) / 2); /* save_soln, adt_calc */
    for (int at = 0; at < receives; ++at)
      MPI_Irecv(memory, in[at].cells * bytes_of_cell, MPI_BYTE, in[at].rank, 0, MPI_COMM_WORLD,
                &requests[at]);
    for (int at = 0; at < sends; ++at)
      MPI_Isend(memory, out[at].cells * bytes_of_cell, MPI_BYTE, out[at].rank, 0, MPI_COMM_WORLD,
                &requests[receives + at]);
    smpi_execute_flops(half * share); /* res_calc */
    MPI_Waitall(sends + receives, requests, MPI_STATUSES_IGNORE);
    smpi_execute_flops(half * (1 - share) / 2); /* bres_calc, update */
  }
  ends[1] = MPI_Wtime();
  double last[2] = {0, 0};
  MPI_Reduce(ends, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const double slowest = (last[1] - last[0]) / steps;
  if (rank == 0)
    printf(
        "%d ranks: %.2f us a step, %.2f us of them computing by the largest part, %.2f us more\n",
        ranks, 1e6 * slowest, 1e-3 * largest * cell_ns, 1e6 * slowest - 1e-3 * largest * cell_ns);
  MPI_Finalize();
  return 0;
}
