//! What a file that holds no table looks like: told from its first bytes, answered with what to do.

use super::error::Fault;

/// The fault of a file that is no text: archives, workbooks, images, binary data of other programs.
pub(super) fn binary(head: &[u8]) -> Option<Fault> {
    if head.starts_with(b"PK\x03\x04") {
        return Some(zip(head));
    }
    let fits = |signature: &[u8]| {
        head.starts_with(signature) && (!signature.is_ascii() || signature == b"%PDF-" || is_no_text(head))
    };
    let (_, what, remedy) = SIGNATURES.iter().find(|(signature, ..)| fits(signature))?;
    Some(Fault::new(format!("this is {what}"), *remedy))
}

/// Whether bytes that no text has are among the first: a name may begin as a signature does (PAR1 is a gene).
fn is_no_text(head: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    head[..head.len().min(512)].iter().any(is_control)
}

/// The fault of a text that is no table.
pub(super) fn text(head: &[u8]) -> Option<Fault> {
    let head = String::from_utf8_lossy(&head[..head.len().min(4096)]);
    let text = head.trim_start_matches('\u{feff}').trim_start();
    let (what, remedy) = if is_json(text) {
        ("JSON", "save the numbers as a table; in Python: pandas.read_json(FILE).to_csv(\"d.csv\")")
    } else if starts_with_any(text, &["<!doctype", "<html", "<table"]) {
        ("HTML, a web page", "download the data themselves, or save the table of the page as CSV")
    } else if starts_with_any(text, &["<?xml", "<svg", "<graphml", "<nexml"]) {
        ("XML", "save the numbers as a table, for example as CSV")
    } else if starts_with_any(text, &["#nexus"]) {
        ("a NEXUS file, which holds trees or sequences", "give dissimilarities here, and a tree with `tree` FILE")
    } else if text.starts_with("((") || (text.starts_with('(') && (text.contains(':') || text.contains(");"))) {
        ("a tree (Newick)", "give dissimilarities here, and the tree with `tree` FILE")
    } else if text.starts_with('>') && !text[1..].trim_start().starts_with(|first: char| first.is_ascii_digit()) {
        ("sequences (FASTA)", "compute dissimilarities of the sequences first, for example with dist.dna of R's ape")
    } else if starts_with_any(text, &["%%matrixmarket"]) {
        ("a Matrix Market file", "save it as an array; in Python: np.save(\"d.npy\", scipy.io.mmread(FILE).toarray())")
    } else {
        return None;
    };
    Some(Fault::new(format!("this is {what}, not a table of dissimilarities"), remedy))
}

/// `{"` or a bracket that opens another bracket, a word in quotes or a number.
fn is_json(text: &str) -> bool {
    let after = |open: char| text.strip_prefix(open).map(str::trim_start);
    // R numbers what it prints: [1] 0.5 0.7.
    let is_list = |rest: &str| rest.split(']').next().is_some_and(|list| list.contains(','));
    after('{').is_some_and(|rest| rest.starts_with(['"', '}']))
        || after('[').is_some_and(|rest| {
            let is_number = rest.starts_with('-') || rest.starts_with(|first: char| first.is_ascii_digit());
            rest.starts_with(['[', '{', '"']) || (is_number && is_list(rest))
        })
}

fn starts_with_any(text: &str, beginnings: &[&str]) -> bool {
    beginnings
        .iter()
        .any(|beginning| text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning)))
}

/// What a zip archive is for depends on the names of its parts.
fn zip(head: &[u8]) -> Fault {
    let holds = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    let is_array = head.get(30..).is_some_and(|rest| {
        let name = &rest[..rest.len().min(usize::from(head[26]) + 256 * usize::from(head[27]))];
        name.ends_with(b".npy")
    });
    if is_array {
        let remedy = "save one array; in Python: np.save(\"d.npy\", np.load(FILE)[NAME]), where np.load(FILE).files lists the names";
        return Fault::new("this is a NumPy .npz archive, which may hold several arrays", remedy);
    }
    if holds(b"[Content_Types].xml") || holds(b"xl/") || holds(b"opendocument.spreadsheet") {
        let remedy = "save the sheet as CSV (File, Save as, CSV)";
        return Fault::new("this is a workbook (Excel or OpenDocument)", remedy);
    }
    Fault::new("this is a zip archive", "unpack it, and give the file with the table")
}

const SAVE_AS_CSV: &str = "save the table as CSV";
const FROM_R: &str = "save the table from R: write.csv(as.matrix(d), \"d.csv\")";
const UNPACK: &str = "unpack it first, or pipe it in: xzcat FILE | sbmds fit - (bzcat, zstdcat)";
const IMAGE: &str = "give the numbers, not a picture of them";

/// How files begin, what they are then, and what to do.
const SIGNATURES: &[(&[u8], &str, &str)] = &[
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook or document of old Office (.xls)", SAVE_AS_CSV),
    (b"RDX2\n", "R data (.RData)", FROM_R),
    (b"RDX3\n", "R data (.RData)", FROM_R),
    (b"X\n\0\0\0", "R data (.rds)", FROM_R),
    (b"BZh", "packed by bzip2", UNPACK),
    (b"\xfd7zXZ\0", "packed by xz", UNPACK),
    (b"\x28\xb5\x2f\xfd", "packed by zstd", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-zip archive", "unpack it, and give the file with the table"),
    (b"\x89PNG", "an image (PNG)", IMAGE),
    (b"\xff\xd8\xff", "an image (JPEG)", IMAGE),
    (b"GIF8", "an image (GIF)", IMAGE),
    (b"II*\0", "an image (TIFF)", IMAGE),
    (b"MM\0*", "an image (TIFF)", IMAGE),
    (b"%PDF-", "a PDF document", "copy the table into a spreadsheet and save it as CSV"),
    (b"\x89HDF", "HDF5 data", "save the array; in Python: np.save(\"d.npy\", h5py.File(FILE)[NAME][:])"),
    (b"MATLAB 5.0 MAT-file", "MATLAB data (.mat)", "save the matrix as text; in MATLAB: writematrix(D, \"d.csv\")"),
    (b"PAR1", "a Parquet table", "save it as CSV; in Python: pandas.read_parquet(FILE).to_csv(\"d.csv\")"),
    (b"ARROW1", "an Arrow table", "save it as CSV; in Python: pandas.read_feather(FILE).to_csv(\"d.csv\")"),
    (b"FEA1", "a Feather table", "save it as CSV; in Python: pandas.read_feather(FILE).to_csv(\"d.csv\")"),
    (b"SQLite format 3\0", "an SQLite database", SAVE_AS_CSV),
    (b"\x80\x02", "a Python pickle", "save the array; in Python: np.save(\"d.npy\", array)"),
    (b"\x80\x03", "a Python pickle", "save the array; in Python: np.save(\"d.npy\", array)"),
    (b"\x80\x04", "a Python pickle", "save the array; in Python: np.save(\"d.npy\", array)"),
    (b"\x80\x05", "a Python pickle", "save the array; in Python: np.save(\"d.npy\", array)"),
    (super::npy::MAGIC, "a NumPy array (.npy), where a table of text is needed", SAVE_AS_CSV),
];
