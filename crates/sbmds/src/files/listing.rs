//! The list that a set of files carries: every file with its length and checksum.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::atomic::{Sync, replace_bytes};
use super::error::SetError;

/// Name of the list in the directory of a set.
pub(super) const LISTING: &str = ".sbmds-files";
const HEADER: &str = "# The files that sbmds wrote together: CRC-32C, length, name\n";

/// One file of a set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listed {
    checksum: u32,
    length: u64,
    pub name: String,
}

/// CRC-32C and length of a file's content.
pub(crate) fn checksum_of_file(path: &Path) -> io::Result<(u32, u64)> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let (mut checksum, mut length) = (0, 0);
    loop {
        let n_read = file.read(&mut buffer)?;
        if n_read == 0 {
            return Ok((checksum, length));
        }
        checksum = crc32c::crc32c_append(checksum, &buffer[..n_read]);
        length += n_read as u64;
    }
}

/// Writes the list of the files called `names` in `directory`.
pub(super) fn write(directory: &Path, names: &[String]) -> Result<(), SetError> {
    let mut text = HEADER.to_owned();
    for name in names {
        let path = directory.join(name);
        let (checksum, length) = checksum_of_file(&path).map_err(SetError::io("read", &path))?;
        text += &format!("{checksum:08x} {length} {name}\n");
    }
    let path = directory.join(LISTING);
    replace_bytes(&path, Sync::Later, text.as_bytes()).map_err(SetError::io("write", &path))
}

/// The list in `directory`; `None` if there is none.
pub(super) fn read(directory: &Path) -> Result<Option<Vec<Listed>>, SetError> {
    let path = directory.join(LISTING);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(SetError::changed(&path, "it is no text")),
        other => other.map_err(SetError::io("read", &path)),
    }?;
    let lines =
        text.strip_prefix(HEADER).map(str::lines).ok_or_else(|| SetError::changed(&path, "no list of files"))?;
    let listed: Option<Vec<Listed>> = lines.map(parse).collect();
    listed.map(Some).ok_or_else(|| SetError::changed(&path, "no list of files"))
}

fn parse(line: &str) -> Option<Listed> {
    let mut words = line.splitn(3, ' ');
    let checksum = u32::from_str_radix(words.next()?, 16).ok()?;
    let length = words.next()?.parse().ok()?;
    Some(Listed { checksum, length, name: words.next()?.to_owned() })
}

/// Refuses a set whose files are not those that were written together; one without a list, by an older version, passes.
///
/// # Errors
/// The first file that is missing or has another content, or what the system refuses to read.
pub fn verify(directory: &Path) -> Result<(), SetError> {
    for listed in read(directory)?.unwrap_or_default() {
        let path = directory.join(&listed.name);
        let found = match checksum_of_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SetError::changed(&path, "it is missing")),
            other => other.map_err(SetError::io("read", &path)),
        }?;
        if found != (listed.checksum, listed.length) {
            return Err(SetError::changed(&path, "its checksum is another"));
        }
    }
    Ok(())
}
