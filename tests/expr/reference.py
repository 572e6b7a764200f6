"""Values that Python gives to expressions, for the tests of the expression language.

Usage: reference.py FILE. Each line of FILE is "2" or "3" (the dialect), a tab, an expression;
for each this prints repr of its value, or "error". What the language refuses on purpose (more
than 64 bits, complex numbers, large lists) is an error here too; all else is Python's own doing.
"""
import ast
import math
import operator
import sys

NAMES = {"dataset": 1024, "n": 7, "m": -3, "zero": 0, "x": 2.5, "y": -0.75, "t": True,
         "s": "abc", "l": [1, 2.5, "x", [3, -4]], "e": []}
LARGEST = 1000  # items or bytes of a value; the tests set the same bound


def one_list_or_several(function):
    def checked(*values):
        if len(values) == 1 and not isinstance(values[0], list):
            raise TypeError
        return function(*values)
    return checked


def sum_of_numbers(values, start=0):
    if not isinstance(values, list) or isinstance(start, (str, list)):
        raise TypeError
    return sum(values, start)


def round_to(value, *digits):
    if digits and not isinstance(digits[0], int):
        raise TypeError
    if digits and isinstance(value, int) and digits[0] < -1000:
        return 0  # Python would compute 10 ** 1000 and more first
    return round(value, *digits)


FUNCTIONS = {"min": one_list_or_several(min), "max": one_list_or_several(max), "abs": abs,
             "int": lambda value: int(value), "float": float, "len": len, "round": round_to,
             "sum": sum_of_numbers, "ceil": math.ceil, "floor": math.floor, "log2": math.log2,
             "sqrt": math.sqrt}
BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
          ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
          ast.Pow: operator.pow}
COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
           ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.In: lambda a, b: a in b,
           ast.NotIn: lambda a, b: a not in b}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}


def size(value):
    """Items and bytes of a value, nested ones included."""
    if isinstance(value, str):
        return 0, len(value.encode())
    if not isinstance(value, list):
        return 0, 0
    inner = [size(item) for item in value]
    return len(value) + sum(i for i, _ in inner), sum(b for _, b in inner)


def checked(value):
    if isinstance(value, complex) or max(size(value)) > LARGEST:
        raise ValueError
    if isinstance(value, int) and not -2**63 <= value < 2**63:
        raise OverflowError
    return value


def binary(op, left, right, dialect):
    integers = isinstance(left, int) and isinstance(right, int)
    if op is ast.Div and dialect == "2" and integers:
        return left // right
    if op is ast.Pow and integers and right > 64 and abs(left) > 1:
        raise OverflowError
    if op is ast.Mult and not integers:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, (str, list)) and isinstance(other, int):
                if other * max(size(one)) > LARGEST:
                    raise ValueError
    if op is ast.Mod and isinstance(left, str):
        raise TypeError  # Python would format
    return BINARY[op](left, right)


def value_of(node, dialect):
    return checked(value_of_node(node, dialect))


def value_of_node(node, dialect):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return NAMES[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value_of(item, dialect) for item in node.elts]
    if isinstance(node, ast.Subscript):
        return value_of(node.value, dialect)[value_of(node.slice, dialect)]
    if isinstance(node, ast.Call):
        return FUNCTIONS[node.func.id](*[value_of(a, dialect) for a in node.args])
    if isinstance(node, ast.UnaryOp):
        smallest = isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
        if smallest and type(node.operand.value) is int:
            return -node.operand.value
        return UNARY[type(node.op)](value_of(node.operand, dialect))
    if isinstance(node, ast.BinOp):
        return binary(type(node.op), value_of(node.left, dialect), value_of(node.right, dialect),
                      dialect)
    if isinstance(node, ast.IfExp):
        return value_of(node.body if value_of(node.test, dialect) else node.orelse, dialect)
    if isinstance(node, ast.BoolOp):
        for item in node.values:
            value = value_of(item, dialect)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value
    if isinstance(node, ast.Compare):
        left = value_of(node.left, dialect)
        for op, item in zip(node.ops, node.comparators):
            right = value_of(item, dialect)
            result = COMPARE[type(op)](left, right)
            if not result:
                break
            left = right
        return result
    raise SyntaxError


def main():
    for line in open(sys.argv[1], encoding="utf-8"):
        dialect, text = line.rstrip("\n").split("\t", 1)
        try:
            print(repr(value_of(ast.parse(text, mode="eval").body, dialect)))
        except (ArithmeticError, IndexError, LookupError, SyntaxError, TypeError, ValueError):
            print("error")


sys.stdout.reconfigure(encoding="utf-8")
main()
