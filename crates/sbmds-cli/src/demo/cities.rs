//! Data a person recognises: the world's time-zone cities and the great-circle distances between them.

/// Mean radius of the Earth in thousands of kilometres (IUGG: R1 = 6371.0088 km).
const EARTH_RADIUS: f64 = 6.371_008_8;

/// City, latitude north, longitude east, in degrees to two decimals.
///
/// From `zone.tab` of the tz database (public domain); zones named after a territory carry the name of the city at
/// those coordinates.
#[rustfmt::skip]
const CITIES: [(&str, f64, f64); 100] = [
    ("Auckland", -36.87, 174.77),
    ("Suva", -18.13, 178.42),
    ("Honolulu", 21.31, -157.86),
    ("Anchorage", 61.22, -149.90),
    ("Vancouver", 49.27, -123.12),
    ("Los Angeles", 34.05, -118.24),
    ("Phoenix", 33.45, -112.07),
    ("Denver", 39.74, -104.98),
    ("Chicago", 41.85, -87.65),
    ("Mexico City", 19.40, -99.15),
    ("New York", 40.71, -74.01),
    ("Toronto", 43.65, -79.38),
    ("Halifax", 44.65, -63.60),
    ("St John's", 47.57, -52.72),
    ("Havana", 23.13, -82.37),
    ("Panama City", 8.97, -79.53),
    ("Bogota", 4.60, -74.08),
    ("Caracas", 10.50, -66.93),
    ("Lima", -12.05, -77.05),
    ("La Paz", -16.50, -68.15),
    ("Santiago", -33.45, -70.67),
    ("Buenos Aires", -34.60, -58.45),
    ("Montevideo", -34.91, -56.21),
    ("Sao Paulo", -23.53, -46.62),
    ("Manaus", -3.13, -60.02),
    ("Recife", -8.05, -34.90),
    ("Punta Arenas", -53.15, -70.92),
    ("Nuuk", 64.18, -51.73),
    ("Reykjavik", 64.15, -21.85),
    ("Stanley", -51.70, -57.85),
    ("Dublin", 53.33, -6.25),
    ("London", 51.51, -0.13),
    ("Lisbon", 38.72, -9.13),
    ("Madrid", 40.40, -3.68),
    ("Paris", 48.87, 2.33),
    ("Berlin", 52.50, 13.37),
    ("Oslo", 59.92, 10.75),
    ("Stockholm", 59.33, 18.05),
    ("Helsinki", 60.17, 24.97),
    ("Rome", 41.90, 12.48),
    ("Vienna", 48.22, 16.33),
    ("Warsaw", 52.25, 21.00),
    ("Athens", 37.97, 23.72),
    ("Istanbul", 41.02, 28.97),
    ("Kyiv", 50.43, 30.52),
    ("Moscow", 55.76, 37.62),
    ("Algiers", 36.78, 3.05),
    ("Casablanca", 33.65, -7.58),
    ("Dakar", 14.67, -17.43),
    ("Lagos", 6.45, 3.40),
    ("Tripoli", 32.90, 13.18),
    ("Cairo", 30.05, 31.25),
    ("Khartoum", 15.60, 32.53),
    ("Addis Ababa", 9.03, 38.70),
    ("Nairobi", -1.28, 36.82),
    ("Kinshasa", -4.30, 15.30),
    ("Luanda", -8.80, 13.23),
    ("Johannesburg", -26.25, 28.00),
    ("Harare", -17.83, 31.05),
    ("Antananarivo", -18.92, 47.52),
    ("Port Louis", -20.17, 57.50),
    ("Riyadh", 24.63, 46.72),
    ("Baghdad", 33.35, 44.42),
    ("Tehran", 35.67, 51.43),
    ("Dubai", 25.30, 55.30),
    ("Kabul", 34.52, 69.20),
    ("Karachi", 24.87, 67.05),
    ("Tashkent", 41.33, 69.30),
    ("Almaty", 43.25, 76.95),
    ("Yekaterinburg", 56.85, 60.60),
    ("Novosibirsk", 55.03, 82.92),
    ("Irkutsk", 52.27, 104.33),
    ("Yakutsk", 62.00, 129.67),
    ("Vladivostok", 43.17, 131.93),
    ("Petropavlovsk", 53.02, 158.65),
    ("Ulaanbaatar", 47.92, 106.88),
    ("Kolkata", 22.53, 88.37),
    ("Kathmandu", 27.72, 85.32),
    ("Colombo", 6.93, 79.85),
    ("Dhaka", 23.72, 90.42),
    ("Yangon", 16.78, 96.17),
    ("Bangkok", 13.75, 100.52),
    ("Ho Chi Minh City", 10.75, 106.67),
    ("Singapore", 1.28, 103.85),
    ("Jakarta", -6.17, 106.80),
    ("Manila", 14.59, 120.97),
    ("Hong Kong", 22.28, 114.15),
    ("Taipei", 25.05, 121.50),
    ("Shanghai", 31.23, 121.47),
    ("Seoul", 37.55, 126.97),
    ("Tokyo", 35.65, 139.74),
    ("Hagatna", 13.47, 144.75),
    ("Port Moresby", -9.50, 147.17),
    ("Papeete", -17.53, -149.57),
    ("Darwin", -12.47, 130.83),
    ("Perth", -31.95, 115.85),
    ("Adelaide", -34.92, 138.58),
    ("Brisbane", -27.47, 153.03),
    ("Sydney", -33.87, 151.22),
    ("Hobart", -42.88, 147.32),
];

/// Names and (latitude, longitude) in degrees of 100 cities that give their name or time to a time zone.
pub fn demo_cities() -> (Vec<String>, Vec<[f64; 2]>) {
    CITIES.iter().map(|&(name, latitude, longitude)| (name.to_owned(), [latitude, longitude])).unzip()
}

/// Great-circle distance in thousands of kilometres between two (latitude, longitude) pairs in degrees.
///
/// The haversine formula: exact for close points, where the law of cosines cancels.
pub fn great_circle(a: [f64; 2], b: [f64; 2]) -> f64 {
    let [latitude_a, latitude_b] = [a[0].to_radians(), b[0].to_radians()];
    let half_sine_squared = |angle: f64| (0.5 * angle).sin().powi(2);
    let haversine = half_sine_squared(latitude_b - latitude_a)
        + latitude_a.cos() * latitude_b.cos() * half_sine_squared((b[1] - a[1]).to_radians());
    2.0 * EARTH_RADIUS * haversine.clamp(0.0, 1.0).sqrt().asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(from: &str, to: &str) -> f64 {
        let (names, points) = demo_cities();
        let point = |city: &str| points[names.iter().position(|name| name == city).unwrap()];
        great_circle(point(from), point(to))
    }

    #[test]
    fn distances_are_those_of_the_atlas() {
        // Published city-to-city great circles, rounded to 10 km; centres of cities differ by some tens of km.
        for (from, to, thousand_km) in [
            ("London", "New York", 5.57),
            ("London", "Paris", 0.34),
            ("Tokyo", "Sydney", 7.82),
            ("Johannesburg", "Sao Paulo", 7.43),
            ("Auckland", "Madrid", 19.6),
        ] {
            assert!((between(from, to) - thousand_km).abs() < 0.05, "{from} - {to}: {}", between(from, to));
            assert_eq!(between(from, to), between(to, from));
        }
    }

    #[test]
    fn the_quarter_and_half_circle_are_exact() {
        let quarter = EARTH_RADIUS * std::f64::consts::FRAC_PI_2;
        assert!((great_circle([90.0, 0.0], [0.0, 77.0]) - quarter).abs() < 1e-12);
        assert!((great_circle([10.0, 20.0], [-10.0, -160.0]) - 2.0 * quarter).abs() < 1e-6);
        assert_eq!(great_circle([10.0, 20.0], [10.0, 20.0]), 0.0);
    }

    #[test]
    fn every_city_has_its_own_name_and_a_point_on_earth() {
        let (mut names, points) = demo_cities();
        assert!(points.iter().all(|[latitude, longitude]| latitude.abs() < 90.0 && longitude.abs() <= 180.0));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), points.len());
    }
}
