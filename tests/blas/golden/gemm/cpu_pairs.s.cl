#define PRECISION s
#define ON_CPU 1
#define FIRST 5
#define SECOND 5
#define RESULT 6
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
#define INTEGER 1
#define SPECIAL 1
#define VECTOR_EPILOGUE 1
#define VNNI 0
<prelude>
<gate>
<stored>
<matrix_element>
#define LANES 8
#define ROWS 16
#define COLUMNS 2
<factor>
<cpu_vectors>
<byte_quads>
#define FLIP (int)0x80808080
#define PACK pack_first
#define WIDTH 16
#define KIND FIRST
#define GROUPED GROUPED_FIRST
<pack_bytes>
#define FLIP 0
#define PACK pack_second
#define WIDTH 2
#define KIND SECOND
#define GROUPED GROUPED_SECOND
<pack_bytes>
<cpu_tile_loops>
<epilogue>
<cpu_finish>
<byte_tile>
<tasks>
<product_tasks>
<cpu_finish_only>
