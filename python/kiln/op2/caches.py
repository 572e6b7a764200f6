"""Caches that let go of what a program has dropped."""
import weakref


class Interned(weakref.WeakValueDictionary):
    """Objects of which there is one for the same parts, by the tokens of these parts.

    Holds neither the objects nor their parts: an object is there for as long as anything refers to it, and
    one that is expensive to make for as long as the part that keep() is given.
    """

    def keep(self, key, made, owner=None):
        """Enters an object. owner: a part of it, whose `_interned` keeps it from now on."""
        self[key] = made
        if owner is not None:
            owner._interned[made.__class__, key] = made
        return made


class Recent(dict):
    """What was used last, by key: at most `most` values; those that were used longest ago go."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def used(self, key):
        """The value, which is the last to go now; None where there is none."""
        value = self.pop(key, None)
        if value is not None:
            self[key] = value
        return value

    def keep(self, key, value):
        """Enters a value, for which older ones make room."""
        while len(self) >= self.most:
            del self[next(iter(self))]
        self[key] = value
        return value
