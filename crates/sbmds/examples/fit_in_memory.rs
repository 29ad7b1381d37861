//! From distances in memory to a map with error bars, in memory: road distances of seven cities, in kilometres.

use sbmds::{Dissimilarities, Fit};

const CITIES: [&str; 7] = ["Athens", "Barcelona", "Brussels", "Calais", "Cherbourg", "Cologne", "Copenhagen"];

/// Pairs (0, 1), (0, 2), ... (5, 6), from R's `eurodist`.
const KILOMETRES: [f64; 21] = [
    3313.0, 2963.0, 3175.0, 3339.0, 2762.0, 3276.0, // Athens
    1318.0, 1326.0, 1294.0, 1498.0, 2218.0, // Barcelona
    204.0, 583.0, 206.0, 966.0, // Brussels
    460.0, 409.0, 1136.0, // Calais
    785.0, 1545.0, // Cherbourg
    760.0,  // Cologne
];

/// A fit, and what is to hold of it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Dissimilarities::from_condensed(&CITIES, &KILOMETRES)?;
    let fit = Fit::of(&data).dims(2).chains(2).draws(500).seed(1).run()?;
    println!("{}", fit.verdict());
    let moments = fit.moments()?;
    for (object, city) in CITIES.iter().enumerate() {
        let [x, y] = [0, 1].map(|dim| fit.map().mean.get(object, dim));
        println!("{city:<11} {x:>7.0} {y:>7.0}  95% ellipse {:.0} km long", 2.0 * moments.ellipse(object).major);
    }
    let mut distances = fit.distances("Athens", "Copenhagen")?;
    distances.sort_by(f64::total_cmp);
    let [low, middle, high] = [0.025, 0.5, 0.975].map(|p| distances[(p * distances.len() as f64) as usize]);
    println!("Athens to Copenhagen on the map: {middle:.0} km, 95% interval {low:.0} to {high:.0}");
    assert_eq!(distances.len(), 1_000);
    assert!(low < 3_276.0 && 3_276.0 < high, "the measured distance is a likely one");
    Ok(())
}
