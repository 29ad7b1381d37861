//! How BEAST asks for a likelihood: the number in `-Dmds.required.flags`, whose low bits are BEAST's own and whose
//! high bits say which pairs are coupled.

use crate::coupling::{Couplings, LandmarkChoice, LayOptions, Order};

/// Everything the number says.
#[derive(Clone, Debug, Default)]
pub struct BeastFlags {
    /// The density of a dissimilarity is truncated to positive numbers; BEAST adds it for `includeTruncation="true"`.
    pub truncated: bool,
    /// Dissimilarities are kept in single precision.
    pub single_precision: bool,
    /// Evaluations may use several threads.
    pub multicore: bool,
    /// A graphics processor was asked for.
    pub graphics: bool,
    /// The coupled pairs.
    pub couplings: Option<Couplings>,
    /// Order, landmarks and seed of the couplings.
    pub lay: LayOptions,
}

/// BEAST uses a native library at all.
const NATIVE: i64 = 1;
const SINGLE_PRECISION: i64 = 1 << 2;
const MULTICORE: i64 = 1 << 3;
const OPENCL: i64 = 1 << 4;
const TRUNCATED: i64 = 1 << 5;
/// Bits from here on say which pairs are coupled; BEAST passes them through. Those below that are not named here choose
/// among instruction sets elsewhere, and are ignored: the best one of the machine is used.
const COUPLINGS_SHIFT: u32 = 10;
const KIND: Field = Field { shift: COUPLINGS_SHIFT, bits: 3 };
const ORDER_GIVEN: i64 = 1 << 13;
const MAX_MIN: i64 = 1 << 14;
/// Must be zero, so that a later meaning is not mistaken for today's.
const RESERVED: i64 = 1 << 15;
const COUNT: Field = Field { shift: 16, bits: 20 };
const SEED: Field = Field { shift: 36, bits: 27 };

/// Some neighbouring bits that hold one number.
struct Field {
    shift: u32,
    bits: u32,
}

impl Field {
    const fn largest(&self) -> u64 {
        (1 << self.bits) - 1
    }

    fn put(&self, value: u64, what: &str) -> Result<i64, String> {
        if value > self.largest() {
            let largest = self.largest();
            return Err(format!("{what} {value} does not fit into BEAST's flags. Remedy: use {largest} or less"));
        }
        Ok((value << self.shift) as i64)
    }

    fn get(&self, number: i64) -> u64 {
        (number as u64 >> self.shift) & self.largest()
    }
}

impl BeastFlags {
    /// The number for `-Dmds.required.flags`.
    ///
    /// # Errors
    /// If the couplings are those of a file, or a number in them is too large.
    pub fn to_number(&self) -> Result<i64, String> {
        let own = [
            (self.single_precision, SINGLE_PRECISION),
            (self.multicore, MULTICORE),
            (self.graphics, OPENCL),
            (self.truncated, TRUNCATED),
        ];
        let low = own.iter().filter(|(wanted, _)| *wanted).fold(NATIVE, |number, (_, bit)| number | bit);
        Ok(low | self.couplings_number()?)
    }

    fn couplings_number(&self) -> Result<i64, String> {
        let (kind, count) = match self.couplings.as_ref().unwrap_or(&Couplings::Full) {
            Couplings::Full => return Ok(0),
            Couplings::Band(bands) => (1, *bands),
            Couplings::Landmark(landmarks) => (2, *landmarks),
            Couplings::Dispersed(bands) => (3, *bands),
            Couplings::Auto => (4, 0),
            other => {
                return Err(format!(
                    "{other} cannot be said in BEAST's flags. Remedy: use auto, full, band:B, landmark:L or dispersed:B"
                ));
            }
        };
        let mut number = KIND.put(kind, "the kind")? | COUNT.put(count as u64, "the number of bands or landmarks")?;
        number |= SEED.put(self.lay.seed, "the seed")?;
        if self.lay.order == Order::Given {
            number |= ORDER_GIVEN;
        }
        if self.lay.landmarks == LandmarkChoice::MaxMin {
            number |= MAX_MIN;
        }
        Ok(number)
    }

    /// What a number from BEAST says.
    ///
    /// # Errors
    /// If its high bits name no couplings.
    pub fn from_number(number: i64) -> Result<Self, String> {
        let has = |bit: i64| number & bit != 0;
        Ok(Self {
            truncated: has(TRUNCATED),
            single_precision: has(SINGLE_PRECISION),
            multicore: has(MULTICORE),
            graphics: has(OPENCL),
            couplings: couplings_of(number)?,
            lay: LayOptions {
                order: if has(ORDER_GIVEN) { Order::Given } else { Order::Shuffle },
                landmarks: if has(MAX_MIN) { LandmarkChoice::MaxMin } else { LandmarkChoice::First },
                seed: SEED.get(number),
                ..LayOptions::default()
            },
        })
    }
}

/// The couplings in the high bits, none if there are no such bits.
fn couplings_of(number: i64) -> Result<Option<Couplings>, String> {
    if number >= 0 && number >> COUPLINGS_SHIFT == 0 {
        return Ok(None);
    }
    let count = COUNT.get(number) as usize;
    match (KIND.get(number), count) {
        _ if number < 0 || number & RESERVED != 0 => {}
        (1, 1..) => return Ok(Some(Couplings::Band(count))),
        (2, 1..) => return Ok(Some(Couplings::Landmark(count))),
        (3, 1..) => return Ok(Some(Couplings::Dispersed(count))),
        (4, 0) => return Ok(Some(Couplings::Auto)),
        _ => {}
    }
    Err(format!(
        "the flags {number} name no couplings. Remedy: use 1 for all pairs, or the number that \
         `sbmds beast-flags --couplings ...` prints"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(couplings: &str, seed: u64) -> BeastFlags {
        let lay = LayOptions { seed, ..LayOptions::default() };
        BeastFlags { couplings: Some(couplings.parse().unwrap()), lay, ..BeastFlags::default() }
    }

    #[test]
    fn numbers_say_what_was_asked_for() {
        for couplings in ["auto", "band:3", "landmark:1048575", "dispersed:50"] {
            for seed in [0, 1, 134_217_727] {
                for (order, landmarks) in
                    [(Order::Given, LandmarkChoice::First), (Order::Shuffle, LandmarkChoice::MaxMin)]
                {
                    let lay = LayOptions { order, landmarks, seed, ..LayOptions::default() };
                    let asked = BeastFlags { lay, truncated: true, multicore: true, ..flags(couplings, seed) };
                    let number = asked.to_number().unwrap();
                    assert!(number > 0);
                    let said = BeastFlags::from_number(number).unwrap();
                    assert_eq!(format!("{asked:?}"), format!("{said:?}"));
                }
            }
        }
    }

    /// The layout of the bits is a contract: numbers stand in people's scripts.
    #[test]
    fn numbers_stay_what_they_are() {
        assert_eq!(flags("full", 7).to_number().unwrap(), 1);
        assert_eq!(BeastFlags { single_precision: true, graphics: true, ..flags("full", 1) }.to_number().unwrap(), 21);
        assert_eq!(flags("dispersed:50", 1).to_number().unwrap(), 1 + (3 << 10) + (50 << 16) + (1 << 36));
        assert_eq!(flags("band:10", 2).to_number().unwrap(), 1 + (1 << 10) + (10 << 16) + (2 << 36));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let problem = |couplings: &str, seed| flags(couplings, seed).to_number().unwrap_err();
        assert_eq!(
            problem("band:1048576", 1),
            "the number of bands or landmarks 1048576 does not fit into BEAST's flags. Remedy: use 1048575 or less"
        );
        assert_eq!(
            problem("band:1", 1 << 27),
            "the seed 134217728 does not fit into BEAST's flags. Remedy: use 134217727 or less"
        );
        assert!(problem("graph:a.csv", 1).starts_with("graph:a.csv cannot be said"));
        for number in [-1, 1 << 10, 1 << 40, 5 << 10, (3 << 10) | (5 << 16) | (1 << 15), 1 + (4 << 10) + (1 << 16)] {
            assert!(BeastFlags::from_number(number).unwrap_err().contains("name no couplings"), "{number}");
        }
    }

    /// MassiveMDS's bits for SSE, AVX and AVX-512 choose nothing here.
    #[test]
    fn instruction_sets_of_others_are_ignored() {
        let said = BeastFlags::from_number(1 | 128 | 256 | 512 | 2 | 64).unwrap();
        assert_eq!(said.to_number().unwrap(), 1);
        assert!(said.couplings.is_none());
    }
}
