//! Rotary position embeddings: how far each pair of a head's values is rotated at each position.

use std::f32::consts::PI;

use serde::Deserialize;

/// The settings for positions in a `config.json`. Newer files have them in one object, older ones in several places.
#[derive(Default, Deserialize)]
pub(super) struct RopeFile {
    rope_theta: Option<f32>,
    partial_rotary_factor: Option<f32>,
    original_max_position_embeddings: Option<usize>,
    rope_scaling: Option<Scaling>,
    rope_parameters: Option<Scaling>,
}

#[derive(Clone, Default, Deserialize)]
struct Scaling {
    rope_type: Option<String>,
    /// The name in older configs; some have both.
    r#type: Option<String>,
    rope_theta: Option<f32>,
    partial_rotary_factor: Option<f32>,
    original_max_position_embeddings: Option<usize>,
    factor: Option<f32>,
    low_freq_factor: Option<f32>,
    high_freq_factor: Option<f32>,
    attention_factor: Option<f32>,
    short_factor: Option<Vec<f32>>,
}

/// The rotations of a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rope {
    /// Radians per position, for each pair of values that is rotated.
    pub(super) frequencies: Vec<f32>,
    /// The factor by which the rotated values are multiplied.
    pub(super) magnitude: f32,
}

impl Rope {
    /// Computes the rotations for heads of `head_size` in a model of `positions`, for texts of at most `most_tokens`.
    /// The error says what is not supported.
    pub(super) fn new(file: &RopeFile, head_size: usize, positions: usize, most_tokens: usize) -> Result<Self, String> {
        let scaling = file.rope_parameters.clone().or_else(|| file.rope_scaling.clone()).unwrap_or_default();
        let theta = file.rope_theta.or(scaling.rope_theta).unwrap_or(10_000.0);
        let share = file.partial_rotary_factor.or(scaling.partial_rotary_factor).unwrap_or(1.0);
        let turned = (head_size as f32 * share) as usize;
        if turned == 0 || turned > head_size || !turned.is_multiple_of(2) {
            return Err(format!("it turns {turned} of the {head_size} values of a head"));
        }
        let exponents = (0..turned / 2).map(|pair| (2 * pair) as f32 / turned as f32);
        let mut frequencies: Vec<f32> = exponents.map(|exponent| 1.0 / theta.powf(exponent)).collect();
        let mut magnitude = 1.0;
        let original = file.original_max_position_embeddings.or(scaling.original_max_position_embeddings);
        let missing = |name: &str| format!("its rope_scaling lacks {name}");
        match scaling.rope_type.as_deref().or(scaling.r#type.as_deref()).unwrap_or("default") {
            "default" => {}
            "linear" => {
                let factor = scaling.factor.ok_or_else(|| missing("factor"))?;
                frequencies.iter_mut().for_each(|frequency| *frequency /= factor);
            }
            "llama3" => {
                let factor = scaling.factor.ok_or_else(|| missing("factor"))?;
                let low = scaling.low_freq_factor.ok_or_else(|| missing("low_freq_factor"))?;
                let high = scaling.high_freq_factor.ok_or_else(|| missing("high_freq_factor"))?;
                let original = original.ok_or_else(|| missing("original_max_position_embeddings"))? as f32;
                for frequency in &mut frequencies {
                    // Rotations that are completed often enough within the original context stay, slow ones are
                    // stretched, and those in between are interpolated.
                    let turns = original * *frequency / (2.0 * PI);
                    let kept = ((turns - low) / (high - low)).clamp(0.0, 1.0);
                    *frequency = *frequency * kept + *frequency / factor * (1.0 - kept);
                }
            }
            "longrope" | "su" => {
                let factors = scaling.short_factor.ok_or_else(|| missing("short_factor"))?;
                let original = original.ok_or_else(|| missing("original_max_position_embeddings"))?;
                if factors.len() != frequencies.len() || most_tokens > original {
                    return Err(format!(
                        "its rope_scaling has {} short factors for {} pairs, and {original} original positions",
                        factors.len(),
                        frequencies.len()
                    ));
                }
                frequencies.iter_mut().zip(&factors).for_each(|(frequency, factor)| *frequency /= factor);
                let longer = positions as f32 / original as f32;
                let usual = if longer > 1.0 { (1.0 + longer.ln() / (original as f32).ln()).sqrt() } else { 1.0 };
                magnitude = scaling.attention_factor.unwrap_or(usual);
            }
            other => {
                return Err(format!(
                    "its rope_scaling is of type `{other}`; known are default, linear, llama3, longrope"
                ));
            }
        }
        if !magnitude.is_finite() || !frequencies.iter().all(|frequency| frequency.is_finite()) {
            return Err("its rope_scaling has values that give no numbers".to_owned());
        }
        Ok(Rope { frequencies, magnitude })
    }

    /// The cosines and the sines of the first `positions`, row by row, times the magnitude.
    pub(super) fn tables(&self, positions: usize) -> (Vec<f32>, Vec<f32>) {
        let angles = (0..positions).flat_map(|at| self.frequencies.iter().map(move |frequency| at as f32 * frequency));
        angles.map(|angle| (angle.cos() * self.magnitude, angle.sin() * self.magnitude)).unzip()
    }
}
