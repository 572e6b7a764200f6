<fp64>
#define T double
#define ROW_DIM 2
#define COLUMN_DIM 3
#define X_SOA 1
#define Y_SOA 1
#define ON_CPU 1
<matrix_prelude>
#define GROUP 1
#define LANES 1
#define SUMS 2
<find>
<matrix>
