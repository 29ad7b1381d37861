//! Where the bytes of an input come from: a file, standard input or another pipe, gzip or plain.

use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use super::in_memory::SharedBytes;

/// What gzip files begin with.
const GZIP: &[u8] = b"\x1f\x8b";

/// A file that can be opened again, or bytes that a pipe or a caller delivered.
#[derive(Clone)]
pub(super) enum Origin {
    File(PathBuf),
    Bytes(SharedBytes),
}

/// Bytes of somebody, to be read as a file is.
struct Delivered(SharedBytes);

impl AsRef<[u8]> for Delivered {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl Origin {
    /// Looks at `path`; a pipe is read to its end, because it can be read only once. `-` is standard input.
    pub fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            let input = io::stdin();
            if input.is_terminal() {
                return Err(io::Error::other(
                    "standard input is a terminal; pipe a file into it, as in: cat FILE | sbmds",
                ));
            }
            return Self::delivered(input.lock());
        }
        let opened = File::open(path)?;
        let metadata = opened.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // What a shell puts behind /dev/stdin and /dev/fd/63 is another file next time.
        if metadata.is_file() && !path.starts_with("/dev") && !path.starts_with("/proc") {
            return Ok(Self::File(path.to_owned()));
        }
        Self::delivered(opened)
    }

    fn delivered(mut pipe: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes)?;
        Ok(Self::Bytes(Arc::new(bytes)))
    }

    /// The bytes as they are stored, from the beginning.
    pub fn stored(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::File(path) => Box::new(File::open(path)?),
            Self::Bytes(bytes) => Box::new(Cursor::new(Delivered(Arc::clone(bytes)))),
        })
    }

    /// Whether the content is packed by gzip.
    pub fn is_gzip(&self) -> io::Result<bool> {
        let mut start = Vec::new();
        self.stored()?.take(GZIP.len() as u64).read_to_end(&mut start)?;
        Ok(start == GZIP)
    }

    /// The content from the beginning, unpacked if it is packed.
    pub fn content(&self) -> io::Result<Box<dyn Read>> {
        let stored = self.stored()?;
        Ok(if self.is_gzip()? { Box::new(MultiGzDecoder::new(stored)) } else { stored })
    }

    /// Number of stored bytes.
    pub fn n_stored(&self) -> io::Result<u64> {
        Ok(match self {
            Self::File(path) => std::fs::metadata(path)?.len(),
            Self::Bytes(bytes) => (**bytes).as_ref().len() as u64,
        })
    }
}
