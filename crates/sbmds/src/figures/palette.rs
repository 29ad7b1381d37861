//! Colours that colour-blind people tell apart, and that survive print.

use plotters::style::RGBColor;

/// Text and axes.
pub(super) const BLACK: RGBColor = RGBColor(26, 26, 26);
/// What stays behind: reference lines, objects without a label.
pub(super) const GREY: RGBColor = RGBColor(140, 140, 140);

/// Okabe and Ito (2008), in an order that keeps the first few far apart on white, their yellow darkened to be seen on it; then four
/// dark ones of Tol (2021) for those who have more than eight things to tell apart.
pub(super) const COLOURS: [RGBColor; 12] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(160, 145, 0),
    RGBColor(136, 34, 85),
    RGBColor(51, 34, 136),
    RGBColor(17, 119, 51),
    RGBColor(102, 37, 6),
];

/// The colour of the k-th of several; after the last comes the first again.
pub(super) fn colour(k: usize) -> RGBColor {
    COLOURS[k % COLOURS.len()]
}

/// Stops of viridis (van der Walt and Smith 2015), dark to light, without its lightest yellow: that is lost on white.
const RAMP: [(f64, f64, f64); 6] = [
    (68.0, 1.0, 84.0),
    (65.0, 68.0, 135.0),
    (42.0, 120.0, 142.0),
    (34.0, 168.0, 132.0),
    (122.0, 209.0, 81.0),
    (189.0, 223.0, 38.0),
];

/// The colour of a number that lies `share` of the way from the smallest to the largest.
pub(super) fn ramp(share: f64) -> RGBColor {
    let position = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let below = (position.floor() as usize).min(RAMP.len() - 2);
    let weight = position - below as f64;
    let (low, high) = (RAMP[below], RAMP[below + 1]);
    let mix = |low: f64, high: f64| (low + weight * (high - low)).round() as u8;
    RGBColor(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG 2 has it.
    fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    #[test]
    fn every_colour_is_seen_on_white_and_differs_from_the_others() {
        for (k, &one) in COLOURS.iter().enumerate() {
            // The lightest of Okabe and Ito's that remain have 2.2; their yellow has 1.3.
            assert!(1.05 / (luminance(one) + 0.05) > 2.1, "colour {k} is lost on white");
            assert!(COLOURS[..k].iter().all(|&other| other != one) && one != GREY);
        }
    }
}
