"""Tides."""
import math


@cache
def height(hour: float) -> float:
    """Metres at an hour."""
    return 2 * math.sin(hour)


class Harbour:
    depth = 7  # 深さ

    def open(self):
        if self.depth > 3:
            return True
