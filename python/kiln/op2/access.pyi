class Access:
    def __new__(cls, mode: str) -> Access: ...

READ: Access
WRITE: Access
RW: Access
INC: Access
MIN: Access
MAX: Access
