"""Computes how far a light can be seen."""

import math


def horizon(height: float) -> float:
    """Distance to the horizon in nautical miles, for a height in metres."""
    return 2.08 * math.sqrt(height)


class Beacon:
    """A light at a height above the sea."""

    def __init__(self, height: float) -> None:
        self.height = height

    def seen_from(self, deck: float) -> float:
        """How far a sailor on a deck of this height sees the light."""
        return horizon(self.height) + horizon(deck)
