//! The bytes of a chunk: numbers in little-endian order or texts with their lengths, and a CRC-32C of them.
//!
//! These are the codecs `bytes`, `vlen-utf8` and `crc32c` of Zarr v3.

/// What an array can hold.
pub(in crate::draws) trait Element: Sized {
    /// The chunk without its checksum.
    fn encode(values: &[Self]) -> Vec<u8>;

    /// The values of a chunk without its checksum.
    fn decode(bytes: &[u8]) -> Result<Vec<Self>, String>;
}

impl Element for f64 {
    fn encode(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn decode(bytes: &[u8]) -> Result<Vec<Self>, String> {
        Ok(eights(bytes)?.iter().map(|&eight| Self::from_le_bytes(eight)).collect())
    }
}

impl Element for i64 {
    fn encode(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn decode(bytes: &[u8]) -> Result<Vec<Self>, String> {
        Ok(eights(bytes)?.iter().map(|&eight| Self::from_le_bytes(eight)).collect())
    }
}

impl Element for bool {
    fn encode(values: &[Self]) -> Vec<u8> {
        values.iter().map(|&value| u8::from(value)).collect()
    }

    fn decode(bytes: &[u8]) -> Result<Vec<Self>, String> {
        let truth = |&byte: &u8| match byte {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(format!("{byte} is neither true nor false")),
        };
        bytes.iter().map(truth).collect()
    }
}

/// Their number, then each with its length in bytes before it.
impl Element for String {
    fn encode(values: &[Self]) -> Vec<u8> {
        let length = |n: usize| u32::try_from(n).expect("fewer than 2^32 bytes of names").to_le_bytes();
        let mut bytes = length(values.len()).to_vec();
        for value in values {
            bytes.extend(length(value.len()));
            bytes.extend(value.as_bytes());
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Vec<Self>, String> {
        let (n_texts, mut rest) = length(bytes)?;
        // Every text takes four bytes for its length, so that a wrong number cannot ask for much memory.
        let mut texts = Vec::with_capacity(n_texts.min(rest.len() / 4));
        for _ in 0..n_texts {
            let (n_bytes, after) = length(rest)?;
            let (text, after) = after.split_at_checked(n_bytes).ok_or("it ends within a text")?;
            texts.push(str::from_utf8(text).map_err(|error| error.to_string())?.to_owned());
            rest = after;
        }
        if rest.is_empty() { Ok(texts) } else { Err(format!("{} bytes follow the last text", rest.len())) }
    }
}

fn eights(bytes: &[u8]) -> Result<&[[u8; 8]], String> {
    match bytes.as_chunks() {
        (eights, []) => Ok(eights),
        _ => Err(format!("{} bytes are no whole numbers", bytes.len())),
    }
}

fn length(bytes: &[u8]) -> Result<(usize, &[u8]), String> {
    let (length, rest) = bytes.split_first_chunk().ok_or("it ends within a length")?;
    Ok((u32::from_le_bytes(*length) as usize, rest))
}

/// A chunk as it is in its file.
pub(super) fn encode<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = T::encode(values);
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    bytes
}

/// The values of a chunk of `size` values.
pub(super) fn decode<T: Element>(bytes: &[u8], size: usize) -> Result<Vec<T>, String> {
    let (content, checksum) = bytes.split_last_chunk().ok_or("it is shorter than a checksum")?;
    if crc32c::crc32c(content) != u32::from_le_bytes(*checksum) {
        return Err("its checksum is wrong".into());
    }
    let values = T::decode(content)?;
    if values.len() == size { Ok(values) } else { Err(format!("it has {} entries instead of {size}", values.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_back_and_damage_is_seen() {
        fn check<T: Element + PartialEq + std::fmt::Debug>(values: &[T]) {
            let bytes = encode(values);
            assert_eq!(decode::<T>(&bytes, values.len()).unwrap(), values);
            assert!(decode::<T>(&bytes, values.len() + 1).is_err());
            for place in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[place] ^= 0x10;
                assert!(decode::<T>(&damaged, values.len()).is_err(), "byte {place}");
                assert!(decode::<T>(&bytes[..place], values.len()).is_err(), "cut at {place}");
            }
        }
        check(&[1.5, -0.0, f64::MAX]);
        check(&[3_i64, i64::MIN]);
        check(&[true, false, true]);
        check(&["Łódź".to_owned(), String::new(), "b".to_owned()]);
    }

    #[test]
    fn bytes_are_those_that_other_readers_expect() {
        // The chunk `c.0` of `progress/n_draws` that zarrs 0.23 wrote for 30 draws.
        assert_eq!(encode(&[30_i64]), [0x1e, 0, 0, 0, 0, 0, 0, 0, 0xc7, 0xc7, 0x00, 0xf9]);
        let names = encode(&["ab".to_owned(), "c".to_owned()]);
        assert_eq!(names[..15], [2, 0, 0, 0, 2, 0, 0, 0, b'a', b'b', 1, 0, 0, 0, b'c']);
    }

    /// Without a checksum to protect them, as somebody else's program may write them.
    #[test]
    fn hostile_texts_are_refused() {
        for bytes in
            [&[][..], &[255; 4], &[1, 0, 0, 0, 9, 0, 0, 0, b'a'], &[1, 0, 0, 0, 1, 0, 0, 0, 0xff], &[0, 0, 0, 0, 7]]
        {
            assert!(String::decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
