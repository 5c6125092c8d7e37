//! Computes how far a light can be seen.

/// Distance to the horizon in nautical miles, for a height in metres.
pub fn horizon(height: f64) -> f64 {
    2.08 * height.sqrt()
}
