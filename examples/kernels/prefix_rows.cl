// Running totals: short numbers in, int totals out, since a sum of shorts outgrows a short.
//
// Within a row each total needs the one before, so a row is one work-item's job, and rows are what
// can be dealt out.

kernel void prefix_rows(global const short *numbers, global int *totals, int columns) {
  const size_t row = get_global_id(0);
  int total = 0;
  for (int x = 0; x < columns; ++x) {
    total += numbers[row * columns + x];
    totals[row * columns + x] = total;
  }
}
