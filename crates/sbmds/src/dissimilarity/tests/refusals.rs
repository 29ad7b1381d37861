//! What cannot be read is answered by what it looks like: every message, whole.

use super::super::{InputError, Metric, ReadOptions, read_source};
use super::writers::gzip;
use super::{Dissimilarities, read_auto};
use crate::dissimilarity::text::Source;

#[track_caller]
fn check(content: impl AsRef<[u8]>, expected: &str) {
    let message = read_auto("d.csv", content.as_ref()).map(|_| "no error").unwrap_err().to_string();
    assert_eq!(message, expected, "\n{}", String::from_utf8_lossy(content.as_ref()));
}

#[test]
fn tables_of_features_get_the_command() {
    let about = "d.csv: this is no matrix of dissimilarities; it looks like a table of features";
    for (content, shape, remedy) in [
        (
            "\"\",\"Achimill\",\"Agrostol\",\"Airaprae\",\"Alopgeni\"\n\"1\",1,0,0,4\n\"2\",3,0,0,2\n\"3\",0,4,0,7\n",
            "(3 rows, 4 numeric columns)",
            "say how rows are compared: sbmds fit d.csv --features --metric braycurtis",
        ),
        (
            "name,x,y,z,w\na,1.5,2,3,4\nb,2,2,2,2\nc,0.5,1,1,1\n",
            "(3 rows, 4 numeric columns)",
            "say how rows are compared: sbmds fit d.csv --features --metric euclidean",
        ),
        (
            "name,p,q,r\na,1,0,1\nb,0,0,1\nc,1,1,0\nd,1,1,1\n",
            "(4 rows, 3 numeric columns)",
            "say how rows are compared: sbmds fit d.csv --features --metric jaccard",
        ),
        (
            "city,lat,lon\nBerlin,52.5,13.4\nLondon,51.5,-0.1\nRome,41.9,12.5\nParis,48.9,2.4\n",
            "(4 rows, 2 numeric columns)",
            "say how rows are compared: sbmds fit d.csv --features --metric haversine",
        ),
        (
            "0.5,1.5,2.5,1\n0.5,2.5,1.5,2\n1.5,1,0.5,3\n4.5,1,0.5,3\n1,1,1,1\n2,2,2,2\n",
            "(6 rows, 4 numeric columns)",
            "say how rows are compared: sbmds fit d.csv --features --metric euclidean --no-names",
        ),
        (
            "Sepal.Length,Sepal.Width,Petal.Length,Petal.Width,Species\n5.1,3.5,1.4,0.2,setosa\n4.9,3,1.4,0.2,setosa\n6,2,4,1,virginica\n",
            "(3 rows, 4 numeric columns)",
            "leave out the columns that hold words (Species), then: sbmds fit d.csv --features --metric euclidean --no-names",
        ),
        (
            "\"a\" \"b\" \"c\" \"d\"\n\"x\" 1.5 2 3 4\n\"y\" 2 2 2 2\n",
            "(2 rows, 4 numeric columns)",
            "say how rows are compared: sbmds fit d.csv --features --metric euclidean",
        ),
        (
            "a,1.5\nb,2.5\nc,3.5\n",
            "(3 rows, 1 numeric column)",
            "say how rows are compared: sbmds fit d.csv --features --metric euclidean",
        ),
    ] {
        check(content, &format!("{about} {shape}. Remedy: {remedy}."));
    }
}

#[test]
fn paths_are_quoted_for_the_shell() {
    let content = b"name,x,y,z,w\na,1.5,2,3,4\nb,2,2,2,2\nc,0.5,1,1,1\n";
    let message = read_auto("it's here/d 1.csv", content).map(|_| "no error").unwrap_err().to_string();
    assert!(message.ends_with("sbmds fit 'it'\\''s here/d 1.csv' --features --metric euclidean."), "{message}");
}

#[test]
fn titre_tables_are_named() {
    let remedy = "add `titers`: titres of viruses against sera are read as they are, with limits";
    for (content, cells) in [
        (",s1,s2,s3\nv1,640,<10,*\nv2,80,1280,40\nv3,*,>1280,20\nv4,40,40,80\n", "<10, *, >1280"),
        ("virus\tserum\tyear\ttiter\nv1\ts1\t1978\t<40\nv2\ts1\t1979\t160\n", "<40"),
    ] {
        let problem = format!("this looks like a table of titres (cells such as {cells}), not of dissimilarities");
        check(content, &format!("d.csv: {problem}. Remedy: {remedy}."));
    }
}

#[test]
fn edge_lists_that_lack_or_have_too_much() {
    let remedy = "add a third column with the dissimilarity of each pair; for hop counts give the matrix of shortest paths; in \
                  Python: np.savetxt(\"hops.csv\", networkx.floyd_warshall_numpy(graph), delimiter=\",\")";
    for (content, n_pairs) in [("0 1\n0 2\n1 2\n2 3\n", 4), ("from,to\na,b\nb,c\n", 2), ("a\tb\nb\tc\nc\td\n", 3)] {
        let problem = format!("this looks like an edge list without values ({n_pairs} pairs of names)");
        check(content, &format!("d.csv: {problem}. Remedy: {remedy}."));
    }
    check(
        "name,club\n0,Mr. Hi\n1,Mr. Hi\n2,Officer\n",
        "d.csv: this looks like a table of labels, not of dissimilarities. Remedy: give dissimilarities, and this file with \
         `labels`.",
    );
    check(
        "virus,serum,year,distance\na,x,2001,1\na,y,2002,2\nb,x,2003,3\n",
        "d.csv: this looks like an edge list with 4 columns: virus, serum, year, distance. Remedy: say which column holds the \
         dissimilarity, with `value` COLUMN (one of year, distance); the first two hold the names.",
    );
    check(
        "source target kind weight\n1 2 road 5\n1 3 road 6\n2 3 sea 7\n",
        "d.csv: this looks like an edge list with 4 columns: source, target, kind, weight. Remedy: say which column holds the \
         dissimilarity, with `value` COLUMN (weight); the first two hold the names.",
    );
    check(
        "a b x 1\nb c x 2\na c x 3\n",
        "d.csv: this looks like an edge list with 4 columns: 1, 2, 3, 4. Remedy: say which column holds the dissimilarity, with \
         `value` COLUMN (4); the first two hold the names.",
    );
    check(
        "site,x,y\na,1,2\nb,3,4\nc,5,6\n",
        "d.csv: this is no matrix of dissimilarities; it looks like a table of features (3 rows, 2 numeric columns). Remedy: say \
         how rows are compared: sbmds fit d.csv --features --metric euclidean.",
    );
}

#[test]
fn the_column_of_values_must_be_there() {
    let content = b"from,to,year,distance\na,b,2001,1\na,c,2002,2\nb,c,2003,3\n";
    let with = |content: &[u8], value: &str, features| -> Result<Dissimilarities, InputError> {
        let options = ReadOptions { value: Some(value.into()), features, ..Default::default() };
        read_source("d.csv".as_ref(), Source::from_bytes("d.csv", content), &options)
    };
    let message = |value, features| with(content, value, features).map(|_| "no error").unwrap_err().to_string();
    let remedy = "give the name or the number (from 3) of one of the columns: from, to, year, distance";
    assert_eq!(
        message("length", None),
        format!("d.csv, line 1: `value` length: there is no such column. Remedy: {remedy}.")
    );
    assert_eq!(
        message("to", None),
        format!("d.csv, line 1: `value` to: the first two columns hold the names. Remedy: {remedy}.")
    );
    assert_eq!(message("5", None), format!("d.csv, line 1: `value` 5: there is no such column. Remedy: {remedy}."));
    assert_eq!(
        message("year", Some(Metric::Euclidean)),
        "d.csv: `value` names the column of an edge list, which this is not. Remedy: leave `value` out."
    );
    let ragged = b"from,to,year,distance\na,b,2001,1\na,c,2\n";
    assert_eq!(
        with(ragged, "distance", None).map(|_| "no error").unwrap_err().to_string(),
        "d.csv, line 3: the line has 3 cells, the first line has 4. Remedy: write one pair per line: name,name,value."
    );
}

#[test]
fn matrices_without_names_that_cannot_be_used() {
    check(
        "0,1,2,3\n1,0,1,2\n2,1,0,1\n",
        "d.csv: this looks like a square matrix without names, but has 4 columns and 3 rows. Remedy: give as many rows as \
         columns.",
    );
    check(
        "1,0.5,0.25,0.5\n0.5,1,0.5,0.5\n0.25,0.5,1,0.5\n0.5,0.5,0.5,1\n",
        "d.csv, line 1, column 1 (0 to 0): 1 stands on the diagonal; the dissimilarity of an object to itself is 0. Remedy: set \
         the diagonal to 0 or leave it empty, and check that the table holds dissimilarities, not similarities.",
    );
    check(
        "0,1,2,3\n1,0,1,2\n2,1,0,1\n3,9,1,0\n",
        "d.csv, line 4, column 2 (3 to 1): 9 here, but 2 in the other direction; dissimilarities must be symmetric. Remedy: \
         correct one of the two, leave one of them empty, or average them.",
    );
    check(
        "a,b,c,d\n0,1,2,3\n1,0,-1,2\n2,-1,0,1\n3,2,1,0\n",
        "d.csv, line 3, column 3 (b to c): -1 is negative; dissimilarities must be zero or more. Remedy: correct the value, or \
         turn similarities into dissimilarities first.",
    );
    check(
        "1\n2\n3\n4\n5\n",
        "d.csv: this is one list of 5 numbers, but N objects have N (N - 1) / 2 pairs, and no N gives 5. Remedy: give all pairs \
         in the order of SciPy's pdist, or a square matrix.",
    );
    check(
        "1\n2 1\n3 2 1\n",
        "d.csv: the first column counts 1, 2, 3, ...; it may hold names or dissimilarities. Remedy: write the number of objects \
         alone on the first line if it holds names, or end every row with the 0 of the diagonal if it does not.",
    );
    check(
        "  a b c\nb 1\nc 2 3\nd  4 5 6\n",
        "d.csv, line 4: \"4\" does not stand below a column. Remedy: print the object again with R: print(d), and keep its \
         blanks, or use write.csv(as.matrix(d), FILE).",
    );
    check(
        ",7,8,9\n7,,1,2\n8,1,,3\n9,2,3,\n",
        "d.csv: the first line and the first column may hold names or dissimilarities; the empty diagonal does not tell. Remedy: \
         write 0 on the diagonal, and a word into the first cell if names follow it.",
    );
    check(
        "a 1\nb 0.5 1\nc 0.25 0.5 1\n",
        "d.csv, line 1, column 2 (a to a): 1 stands on the diagonal; the dissimilarity of an object to itself is 0. Remedy: set \
         the diagonal to 0 or leave it empty, and check that the table holds dissimilarities, not similarities.",
    );
    check(
        "a,b,c\na\nc,1\nb,2,3\n",
        "d.csv, line 3, column 1: the row of c stands where the header names b. Remedy: give rows and columns in the same order.",
    );
}

#[test]
fn texts_that_are_no_tables_are_named() {
    let no_table =
        |what: &str, remedy: &str| format!("d.csv: this is {what}, not a table of dissimilarities. Remedy: {remedy}.");
    let json = "save the numbers as a table; in Python: pandas.read_json(FILE).to_csv(\"d.csv\")";
    for content in ["{\"a\": [0, 1]}\n", "[[0, 1, 2],\n [1, 0, 3]]", " [\n{\"x\": 1}]", "[0,1]"] {
        check(content, &no_table("JSON", json));
    }
    for content in ["<!DOCTYPE html>\n<html>", "<html><body>"] {
        let remedy = "download the data themselves, or save the table of the page as CSV";
        check(content, &no_table("HTML, a web page", remedy));
    }
    check("<?xml version=\"1.0\"?>\n<graphml/>", &no_table("XML", "save the numbers as a table, for example as CSV"));
    check(
        "#NEXUS\n\nBegin taxa;\n",
        &no_table(
            "a NEXUS file, which holds trees or sequences",
            "give dissimilarities here, and a tree with `tree` FILE",
        ),
    );
    check(
        "((a:1,b:1):1,c:2);\n",
        &no_table("a tree (Newick)", "give dissimilarities here, and the tree with `tree` FILE"),
    );
    check(
        ">seq1\nACGT\n>seq2\nACGA\n",
        &no_table(
            "sequences (FASTA)",
            "compute dissimilarities of the sequences first, for example with dist.dna of R's ape",
        ),
    );
    check(
        "%%MatrixMarket matrix array real general\n3 3\n",
        &no_table(
            "a Matrix Market file",
            "save it as an array; in Python: np.save(\"d.npy\", scipy.io.mmread(FILE).toarray())",
        ),
    );
}

#[test]
fn binary_files_are_named() {
    let from_r = "save the table from R: write.csv(as.matrix(d), \"d.csv\")";
    let image = "give the numbers, not a picture of them";
    let unpack = "unpack it first, or pipe it in: xzcat FILE | sbmds fit - (bzcat, zstdcat)";
    let zip = |name: &str| {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend([0; 22]);
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(name.as_bytes());
        bytes.extend(b"\x93NUMPY and so on");
        bytes
    };
    let cases: Vec<(Vec<u8>, &str, &str)> = vec![
        (
            zip("arr_0.npy"),
            "a NumPy .npz archive, which may hold several arrays",
            "save one array; in Python: np.save(\"d.npy\", np.load(FILE)[NAME]), where np.load(FILE).files lists the names",
        ),
        (
            zip("[Content_Types].xml"),
            "a workbook (Excel or OpenDocument)",
            "save the sheet as CSV (File, Save as, CSV)",
        ),
        (zip("data.csv"), "a zip archive", "unpack it, and give the file with the table"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0".to_vec(),
            "a workbook or document of old Office (.xls)",
            "save the table as CSV",
        ),
        (gzip(b"RDX3\nX\n\0\0\0"), "R data (.RData)", from_r),
        (gzip(b"X\n\0\0\0\x03"), "R data (.rds)", from_r),
        (b"BZh91AY&SY\x01".to_vec(), "packed by bzip2", unpack),
        (b"\xfd7zXZ\0\0".to_vec(), "packed by xz", unpack),
        (b"\x28\xb5\x2f\xfd\0".to_vec(), "packed by zstd", unpack),
        (b"\x89PNG\r\n".to_vec(), "an image (PNG)", image),
        (b"\xff\xd8\xff\xe0".to_vec(), "an image (JPEG)", image),
        (b"%PDF-1.7\n".to_vec(), "a PDF document", "copy the table into a spreadsheet and save it as CSV"),
        (
            b"\x89HDF\r\n".to_vec(),
            "HDF5 data",
            "save the array; in Python: np.save(\"d.npy\", h5py.File(FILE)[NAME][:])",
        ),
        (b"\x80\x04\x95".to_vec(), "a Python pickle", "save the array; in Python: np.save(\"d.npy\", array)"),
    ];
    for (content, what, remedy) in cases {
        check(content, &format!("d.csv: this is {what}. Remedy: {remedy}."));
    }
    let archive = read_auto("d.npy", &zip("arr_0.npy")).map(|_| "no error").unwrap_err().to_string();
    assert!(archive.starts_with("d.npy: this is a NumPy .npz archive"), "{archive}");
}

#[test]
fn features_outside_the_domain_of_a_metric() {
    let with = |content: &str, metric| {
        let read = super::read_as("d.csv", content.as_bytes(), super::Format::Auto, Some(metric));
        read.map(|_| "no error").unwrap_err().to_string()
    };
    assert_eq!(
        with("a,1,2\nb,3,-1\nc,1,1\n", Metric::BrayCurtis),
        "d.csv, line 2, column 3 (b): -1 is negative; metric braycurtis compares amounts, which are zero or more. Remedy: correct \
         the value, or choose metric manhattan or euclidean."
    );
    assert_eq!(
        with("a,1,2\nb,0,0\nc,1,1\n", Metric::BrayCurtis),
        "d.csv, line 2 (b): all features are zero; metric braycurtis cannot compare two such objects. Remedy: leave the object \
         out or choose metric manhattan."
    );
    assert_eq!(
        with("a,1,0\nb,0,3\nc,1,1\n", Metric::Jaccard),
        "d.csv, line 2, column 3 (b): 3 is neither 0 nor 1; metric jaccard compares presence and absence. Remedy: write 1 for \
         every amount above 0, or choose metric braycurtis, which compares amounts."
    );
    assert_eq!(
        with("a,1,0,2\nb,0,3,1\nc,1,1,1\n", Metric::Haversine),
        "d.csv: metric haversine compares 2 columns, latitude and longitude; there are 3. Remedy: give the latitude and then the \
         longitude of every object, in degrees."
    );
    assert_eq!(
        with("a,10,20\nb,139.7,35.7\nc,1,1\n", Metric::Haversine),
        "d.csv, line 2, column 2 (b): 139.7 is no latitude; it must lie between -90 and 90 degrees. Remedy: give latitude first, \
         then longitude, both in degrees."
    );
    assert_eq!(
        with("a,10,20\nb,35.7,400\nc,1,1\n", Metric::Haversine),
        "d.csv, line 2, column 3 (b): 400 is no longitude; it must lie between -180 and 360 degrees. Remedy: give latitude first, \
         then longitude, both in degrees."
    );
}
