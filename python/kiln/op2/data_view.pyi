from kiln.op2.data import Dat

class DatView(Dat):
    def __init__(self, dat: Dat, index: int | tuple[int, ...]) -> None: ...
