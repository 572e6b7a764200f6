#define ROWS 64
#define STAGES 8
#define STRIP 32
#define LOCAL_BYTES 196992
#define SIZE 2
#define BOX 64
#define MAP_KIND 6
#define FACTOR ushort
#define FIRST_ALONG_K 0
#define SECOND_ALONG_K 0
#define RESULT 1
#define WIDE_BYTES 16
#define INSTRUCTION "m64n64k16.f32.f16.f16"
#define FLAGS ", 1, 1, 1, 1"
#define SUM float
#define SUM_REGISTERS ".f32"
#define SUM_COUNT 32
#define SUM_OPERAND(x) "=f"(x)
#define SUMS "sum0,sum1,sum2,sum3,sum4,sum5,sum6,sum7,sum8,sum9,sum10,sum11,sum12,sum13,sum14,sum15,sum16,sum17,sum18,sum19,sum20,sum21,sum22,sum23,sum24,sum25,sum26,sum27,sum28,sum29,sum30,sum31"
#define EACH_SUM(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define SPECIAL 0
<matrix_unit>
<copy_barriers>
<matrix_unit_fetch>
<matrix_unit_results>
<matrix_unit_epilogue>
<matrix_unit_store>
<matrix_unit_product>
<matrix_unit_factors>

#define ROWS 64
#define STAGES 8
#define STRIP 32
#define LOCAL_BYTES 196992
#define SIZE 2
#define BOX 64
#define MAP_KIND 6
#define FACTOR ushort
#define FIRST_ALONG_K 0
#define SECOND_ALONG_K 0
#define RESULT 1
#define WIDE_BYTES 16
#define INSTRUCTION "m64n64k16.f32.f16.f16"
#define FLAGS ", 1, 1, 1, 1"
#define SUM float
#define SUM_REGISTERS ".f32"
#define SUM_COUNT 32
#define SUM_OPERAND(x) "=f"(x)
#define SUMS "sum0,sum1,sum2,sum3,sum4,sum5,sum6,sum7,sum8,sum9,sum10,sum11,sum12,sum13,sum14,sum15,sum16,sum17,sum18,sum19,sum20,sum21,sum22,sum23,sum24,sum25,sum26,sum27,sum28,sum29,sum30,sum31"
#define EACH_SUM(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define SPECIAL 1
#define PRECISION s
#define ON_CPU 0
#define VECTOR_EPILOGUE 0
#define BIAS 1
#define BIAS_KIND 1
#define SCALE 0
#define SCALE_KIND 0
#define ACTIVATION 2
#define RESIDUAL 0
#define RESIDUAL_KIND 0
<prelude>
<stored>
<epilogue>
<matrix_unit>
<copy_barriers>
<matrix_unit_fetch>
<matrix_unit_results>
<matrix_unit_epilogue>
<matrix_unit_store>
<matrix_unit_product>
<matrix_unit_factors>

