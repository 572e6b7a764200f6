#define PRECISION s
#define ON_CPU 0
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
#define VECTOR_EPILOGUE 0
<prelude>
<gate>
<stored>
<matrix_element>
#define ROWS 128
#define COLUMNS 128
#define STEP 32
#define STAGES 4
#define PAD 0
#define THREADS 256
#define ASYNC 1
#define LOCAL_BYTES 131136
<square_lines>
#define PACK pack_first
#define WIDTH 128
#define KIND FIRST
#define GROUPED GROUPED_FIRST
<pack_gpu>
#define PACK pack_second
#define WIDTH 128
#define KIND SECOND
#define GROUPED GROUPED_SECOND
<pack_gpu>
<pack_both>
<product_gpu>
<product_simt>
<copy_barriers>
<product_producer>
<product_walk>
