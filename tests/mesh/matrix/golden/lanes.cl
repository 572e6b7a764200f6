<fp64>
#define T float
#define ROW_DIM 1
#define COLUMN_DIM 1
#define X_SOA 0
#define Y_SOA 0
#define ON_CPU 0
<matrix_prelude>
#define GROUP 128
#define LANES 4
#define SUMS 2
<find>
<matrix>
