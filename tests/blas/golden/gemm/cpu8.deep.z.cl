#define PRECISION z
#define ON_CPU 1
#define FIRST 0
#define SECOND 0
#define RESULT 0
#define GROUPED_FIRST 0
#define GROUPED_SECOND 0
#define BIAS 0
#define BIAS_KIND 0
#define SCALE 0
#define SCALE_KIND 0
#define ACTIVATION 0
#define RESIDUAL 0
#define RESIDUAL_KIND 0
#define GATED 0
#define INTEGER 0
#define SPECIAL 0
#define VECTOR_EPILOGUE 1
#define VNNI 0
<prelude>
<gate>
<stored>
<matrix_element>
#define LANES 4
#define ROWS 4
#define COLUMNS 1
<factor>
<cpu_vectors>
<real_panels>
#define PACK pack_first
#define WIDTH 4
#define KIND FIRST
#define GROUPED GROUPED_FIRST
<pack>
#define PACK pack_second
#define WIDTH 1
#define KIND SECOND
#define GROUPED GROUPED_SECOND
<pack>
<cpu_tile_loops>
<cpu_tile>
<tasks>
<deep_parts>
