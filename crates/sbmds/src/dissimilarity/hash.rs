//! A short fingerprint of a file's content, to tell later whether it is the same input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The content of a file as 16 hexadecimal digits: FNV-1a, 64 bits, over its bytes.
///
/// It tells files apart that changed by accident; it does not defend against forgery.
///
/// # Errors
/// If the file cannot be read.
pub fn input_hash(path: &Path) -> io::Result<String> {
    fnv_1a(File::open(path)?)
}

/// The hash of everything that `content` delivers.
pub(super) fn fnv_1a(mut content: impl Read) -> io::Result<String> {
    // Offset basis and prime of the 64-bit FNV-1a hash (Fowler, Noll and Vo).
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut buffer = vec![0; 1 << 16];
    let mut hash = OFFSET_BASIS;
    loop {
        let n_read = content.read(&mut buffer)?;
        if n_read == 0 {
            return Ok(format!("{hash:016x}"));
        }
        for &byte in &buffer[..n_read] {
            hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::input_hash;

    #[test]
    fn hash_is_fnv_1a() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // Test vectors of the FNV authors: http://www.isthe.com/chongo/src/fnv/test_fnv.c
        for (content, expected) in [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")]
        {
            std::fs::write(file.path(), content).unwrap();
            assert_eq!(input_hash(file.path()).unwrap(), expected);
        }
    }
}
