//! Every error of a text file by its whole message: file, line, column, objects, problem and remedy.

use super::super::InputError;
use super::{Format, Metric, names, read_as, read_auto, read_graph_as, read_positions_as};

/// A content, and the message it must cause: position, problem, remedy.
type Case = (&'static str, &'static str, &'static str, &'static str);

fn check<T>(cases: &[Case], read: impl Fn(&[u8]) -> Result<T, InputError>) {
    for (content, position, problem, remedy) in cases {
        let error = read(content.as_bytes()).map(|_| ()).expect_err(content);
        assert_eq!(error.to_string(), format!("{position}: {problem}. Remedy: {remedy}."), "\n{content}");
    }
}

#[test]
fn positions_can_be_asked_for() {
    let error = read_auto("d.csv", b",a,b,c\na,0,1,2\nb,1,0,-0.5\nc,2,3,0\n").map(|_| ()).unwrap_err();
    assert_eq!((error.file(), error.line(), error.column()), ("d.csv", Some(3), Some(4)));
    assert_eq!(error.objects(), ["b", "c"]);
    assert!(error.problem().starts_with("-0.5 is negative") && error.remedy().starts_with("correct the value"));
}

#[test]
fn text_that_is_not_utf8_is_placed_by_line_and_byte() {
    for (content, position) in [
        (&b",a,b,c\na,0,1,2\nb\xe9,1,0,3\n"[..], "d.csv, line 3: the text is not UTF-8 (byte 16 of the file"),
        (b"\xef\xbb\xbf,\xe9,b,c\na,0,1,2\n", "d.csv, line 1: the text is not UTF-8 (byte 4 of the file"),
        (b"\xff\xfe,\0a\0", "d.csv, line 1: the text is not UTF-8 (byte 0 of the file"),
    ] {
        let message = read_auto("d.csv", content).map(|_| ()).unwrap_err().to_string();
        assert!(message.starts_with(position), "{message}");
        assert!(message.contains("Remedy: save the file as UTF-8, for example with: iconv"), "{message}");
    }
}

#[test]
fn matrices_name_row_and_column() {
    let cases: &[Case] = &[
        ("", "d.csv", "the file is empty", "give a file with data"),
        (" \n\n", "d.csv", "the file is empty", "give a file with data"),
        (
            ",a,b\na,0,1\nb,1,0\n",
            "d.csv, line 1",
            "the number of objects is 2; a map needs at least 3",
            "give more objects, and check the format of the file",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,0,-0.5\nc,2,3,0\n",
            "d.csv, line 3, column 4 (b to c)",
            "-0.5 is negative; dissimilarities must be zero or more",
            "correct the value, or turn similarities into dissimilarities first",
        ),
        (
            ",a,b,c\na,0,inf,2\nb,1,0,3\nc,2,3,0\n",
            "d.csv, line 2, column 3 (a to b)",
            "inf is infinite; dissimilarities must be finite",
            "leave the cell empty (NaN in a .npy) if the pair was not measured",
        ),
        (
            ",a,b,c\na,0,1e999,2\nb,1,0,3\nc,2,3,0\n",
            "d.csv, line 2, column 3 (a to b)",
            "inf is infinite; dissimilarities must be finite",
            "leave the cell empty (NaN in a .npy) if the pair was not measured",
        ),
        (
            ";a;b;c\na;0;817;3,313\nb;817;0;900\nc;3,313;900;0\n",
            "d.csv, line 2, column 4 (a to c)",
            "\"3,313\" has a thousands separator",
            "write numbers without it: 3313, not 3,313",
        ),
        (
            ",a,b,c\na,0,1,\"3,313\"\nb,1,0,3\nc,\"3,313\",3,0\n",
            "d.csv, line 2, column 4 (a to c)",
            "\"3,313\" has a thousands separator",
            "write numbers without it: 3313, not 3,313",
        ),
        (
            ",a,b,c\na,0,\"0,5\",2\nb,\"0,5\",0,3\nc,2,3,0\n",
            "d.csv, line 2, column 3 (a to b)",
            "\"0,5\" has a decimal comma",
            "write numbers with a decimal point, or separate the cells by semicolons",
        ),
        (
            ",a,b,c\na,0,12%,2\nb,12%,0,3\nc,2,3,0\n",
            "d.csv, line 2, column 3 (a to b)",
            "\"12%\" has a percent sign",
            "write numbers without it in every cell",
        ),
        (
            ",a,b,c\na,0,<10,2\nb,<10,0,3\nc,2,3,0\n",
            "d.csv, line 2, column 3 (a to b)",
            "\"<10\" is a limit, not a number",
            "give limits in an edge list (name,name,value), or titres with `titers`",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,7,3\nc,2,3,0\n",
            "d.csv, line 3, column 3 (b to b)",
            "7 stands on the diagonal; the dissimilarity of an object to itself is 0",
            "set the diagonal to 0 or leave it empty, and check that the table holds dissimilarities, not similarities",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3.5,0\n",
            "d.csv, line 4, column 3 (c to b)",
            "3.5 here, but 3 in the other direction; dissimilarities must be symmetric",
            "correct one of the two, leave one of them empty, or average them",
        ),
        (
            ",a,b,a\na,0,1,2\nb,1,0,3\nc,2,3,0\n",
            "d.csv, line 1, column 4",
            "the name a is given twice, to objects 1 and 3",
            "give every object a name of its own",
        ),
        (
            ",a,b,\na,0,1,2\nb,1,0,3\nc,2,3,0\n",
            "d.csv, line 1, column 4",
            "a name is empty",
            "name every object, and end no line with a separator",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,0\nc,2,3,0\n",
            "d.csv, line 3 (b)",
            "the row has 2 values, the header names 3 objects",
            "give every row one value (or an empty cell) per object",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,0,3,4\nc,2,3,0\n",
            "d.csv, line 3 (b)",
            "the row has 4 values, the header names 3 objects",
            "give every row one value (or an empty cell) per object",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,0,3\nx,2,3,0\n",
            "d.csv, line 4, column 1",
            "the row name x is not in the header",
            "give the same names in the header and in the first column; a table of features needs `features`",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,0,3\n,2,3,0\n",
            "d.csv, line 4, column 1",
            "a name is empty",
            "name every object, and end no line with a separator",
        ),
        (
            ",a,b,c\na,0,1,2\nb,1,0,3\na,0,1,2\n",
            "d.csv, line 4, column 1",
            "the row of a was already on line 2",
            "give every object one row and a name of its own",
        ),
        (
            ",a,b,c,d\na,0,1,2,3\nb,1,0,3,4\n",
            "d.csv",
            "the header names objects that have no row: c, d",
            "give the same names in the header and in the first column",
        ),
        (
            ",a,b,c\na,0,,\nb,NA,0,\nc,-,?,0\n",
            "d.csv",
            "every pair is missing",
            "give a file with at least some dissimilarities",
        ),
        (
            ",a,b,c\na,0,\"1,2\nb,1,0,3\nc,2,3,0\n",
            "d.csv, line 2, column 3 (a to b)",
            "a quoted cell does not end with a quote",
            "close the quote on the same line, and double a quote that is part of a name",
        ),
        (
            ",a,b,c\nx,1\n",
            "d.csv, line 2, column 1",
            "the row name x is not in the header",
            "give the same names in the header and in the first column; a table of features needs `features`",
        ),
    ];
    check(cases, |content| read_as("d.csv", content, Format::Auto, None));
}

#[test]
fn phylip_names_row_and_column() {
    let cases: &[Case] = &[
        (
            "x\na 0 1 2\n",
            "d.csv, line 1",
            "\"x\" is not a number of objects",
            "start a PHYLIP file with the number of objects alone on the first line",
        ),
        (
            "2\na 0 1\nb 1 0\n",
            "d.csv, line 1",
            "the number of objects is 2; a map needs at least 3",
            "give more objects, and check the format of the file",
        ),
        (
            "4\na 0 1 2 3\nb 1 0 3 4\nc 2 3 0 5\n",
            "d.csv",
            "the first line promises 4 objects, but the file has only 3",
            "correct the number on the first line or complete the file",
        ),
        (
            "3\na 0 1 2\nb 1 0 3\nc 2 3 0\nd 2 3 0\n",
            "d.csv, line 5",
            "the first line promises 3 objects, but the file has more",
            "correct the number on the first line or complete the file",
        ),
        (
            "3\na 0 1 2\nb 1 0\nc 2 3 0\n",
            "d.csv, line 3 (b)",
            "the row has 2 values where this square matrix needs 3",
            "complete the row, and write names without blanks or in exactly ten characters",
        ),
        (
            "3\na 0 1 2\nb 1 0 3 4\nc 2 3 0\n",
            "d.csv, line 3, column 5 (b)",
            "the row has 4 values where this square matrix needs 3",
            "complete the row, and write names without blanks or in exactly ten characters",
        ),
        (
            "3\na 0 1 2\nb 1 0 3\nc 2 3\n",
            "d.csv, line 4 (c)",
            "the row has 2 values where this square matrix needs 3",
            "complete the row, and write names without blanks or in exactly ten characters",
        ),
        (
            "3\na\nb -1\nc 2 3\n",
            "d.csv, line 3, column 2 (b to a)",
            "-1 is negative; dissimilarities must be zero or more",
            "correct the value, or turn similarities into dissimilarities first",
        ),
        (
            "3\na 0 1 2\nb 1 0 x\nc 2 3 0\n",
            "d.csv, line 3, column 4 (b to object 3)",
            "\"x\" is not a number",
            "write numbers with a decimal point, and leave the cell empty (or NA) when there is no value",
        ),
        (
            "3\na 0 1 2\nb 1 0 3\nc 2 9 0\n",
            "d.csv, line 4, column 3 (c to b)",
            "9 here, but 3 in the other direction; dissimilarities must be symmetric",
            "correct one of the two, leave one of them empty, or average them",
        ),
        (
            "3\na 0 inf 2\nb 1 0 3\nc 2 9 0\n",
            "d.csv, line 2, column 3 (a to object 2)",
            "inf is infinite; dissimilarities must be finite",
            "leave the cell empty (NaN in a .npy) if the pair was not measured",
        ),
        (
            "3\na 0\nb 1 5\nc 2 3 0\n",
            "d.csv, line 3, column 3 (b to b)",
            "5 stands on the diagonal; the dissimilarity of an object to itself is 0",
            "set the diagonal to 0 or leave it empty, and check that the table holds dissimilarities, not similarities",
        ),
        (
            "3\na 0 1 2\nb 1 0 3\na 2 3 0\n",
            "d.csv, line 4, column 1",
            "the name a is given twice, to objects 1 and 3",
            "give every object a name of its own",
        ),
        ("3\na\nb -\nc - -\n", "d.csv", "every pair is missing", "give a file with at least some dissimilarities"),
        (
            "900\na\nb 1\n",
            "d.csv",
            "the file is too short (10 bytes) for the 404550 pairs of 900 objects",
            "check that the file is complete and the number of objects right",
        ),
    ];
    check(cases, |content| read_as("d.csv", content, Format::Phylip, None));
}

#[test]
fn edge_lists_name_both_ends() {
    let cases: &[Case] = &[
        (
            "a,b,1\nb,c\n",
            "d.csv, line 2",
            "the line has 2 cells, an edge list has 3",
            "write one pair per line: name,name,value",
        ),
        (
            "a,b,1\n,c,2\n",
            "d.csv, line 2, column 1",
            "a name is empty",
            "name every object, and end no line with a separator",
        ),
        (
            "a,b,1\nb,c,-2\n",
            "d.csv, line 2, column 3 (b to c)",
            "-2 is negative; dissimilarities must be zero or more",
            "correct the value, or turn similarities into dissimilarities first",
        ),
        (
            "a,b,1\nb,c,x\n",
            "d.csv, line 2, column 3 (b to c)",
            "\"x\" is not a number",
            "write numbers with a decimal point, and leave the cell empty (or NA) when there is no value",
        ),
        (
            "a,b,1\nb,c,inf\n",
            "d.csv, line 2, column 3 (b to c)",
            "inf is infinite; dissimilarities must be finite",
            "leave the cell empty (NaN in a .npy) if the pair was not measured",
        ),
        (
            "a,b,1\na,c,2\nb,b,3\n",
            "d.csv, line 3, column 3 (b to b)",
            "3 stands on the diagonal; the dissimilarity of an object to itself is 0",
            "set the diagonal to 0 or leave it empty, and check that the table holds dissimilarities, not similarities",
        ),
        (
            "a,b,1\nb,a,1\n",
            "d.csv",
            "the number of objects is 2; a map needs at least 3",
            "give more objects, and check the format of the file",
        ),
        ("a,b,NA\na,c,\n", "d.csv", "every pair is missing", "give a file with at least some dissimilarities"),
    ];
    check(cases, |content| read_as("d.csv", content, Format::Edges, None));
}

#[test]
fn feature_tables_name_the_object() {
    let cases: &[Case] = &[
        (
            "a,1,2\nb,3,4\n",
            "d.csv",
            "the number of objects is 2; a map needs at least 3",
            "give more objects, and check the format of the file",
        ),
        (
            "a,1,2\nb,3,\nc,5,6\n",
            "d.csv, line 2, column 3 (b)",
            "there is no value; features must be complete",
            "fill the gap or leave the object out",
        ),
        (
            "a,1,2\nb,3,x\nc,5,6\n",
            "d.csv, line 2, column 3 (b)",
            "\"x\" is not a number",
            "write numbers with a decimal point, and leave the cell empty (or NA) when there is no value",
        ),
        (
            "a,1,2\nb,3,inf\nc,5,6\n",
            "d.csv, line 2, column 3 (b)",
            "inf is too large for a feature; distances would overflow",
            "correct the value or rescale the feature",
        ),
        (
            "a,1,2\nb,3\nc,5,6\n",
            "d.csv, line 2 (b)",
            "the row has 1 numbers, the first row has 2",
            "give every row a name and equally many numbers",
        ),
        (
            "a,1,2\nb,0,0\nc,5,6\n",
            "d.csv, line 2 (b)",
            "all features are zero; such an object has no direction for metric cosine",
            "leave the object out or choose metric euclidean",
        ),
        (
            "a,1,2\na,3,4\nc,5,6\n",
            "d.csv, line 2, column 1",
            "the name a is given twice, to objects 1 and 2",
            "give every object a name of its own",
        ),
        (
            "a,1,2\n,3,4\nc,5,6\n",
            "d.csv, line 2, column 1",
            "a name is empty",
            "name every object, and end no line with a separator",
        ),
        ("a\nb\nc\n", "d.csv", "the objects have no features", "give at least one number per object"),
    ];
    check(cases, |content| read_as("d.csv", content, Format::Auto, Some(Metric::Cosine)));
}

#[test]
fn correlation_needs_variation() {
    let cases: &[Case] = &[(
        "a,1,2\nb,3,3\nc,5,6\n",
        "d.csv, line 2 (b)",
        "all features are equal; such an object has no correlation with others",
        "leave the object out or choose metric euclidean",
    )];
    check(cases, |content| read_as("d.csv", content, Format::Auto, Some(Metric::Correlation)));
}

#[test]
fn features_are_no_edge_list() {
    let cases: &[Case] = &[(
        "a,1,2\nb,3,3\nc,5,6\n",
        "d.csv",
        "features cannot be read from format edges",
        "give features as .npy or as a table of text",
    )];
    check(cases, |content| read_as("d.csv", content, Format::Edges, Some(Metric::Correlation)));
}

#[test]
fn features_are_no_phylip() {
    let cases: &[Case] = &[(
        "a,1,2\nb,3,3\nc,5,6\n",
        "d.csv",
        "features cannot be read from format phylip",
        "give features as .npy or as a table of text",
    )];
    check(cases, |content| read_as("d.csv", content, Format::Phylip, Some(Metric::Correlation)));
}

#[test]
fn positions_name_the_object() {
    let known = names(&["a", "b", "c"]);
    let cases: &[Case] = &[
        (
            "name,x\na,1\nb,2\n",
            "x.csv",
            "these objects of the input have no position: c",
            "give one row for every object of the input",
        ),
        (
            "name,x\na,1\nb,2\nc,3\nd,4\n",
            "x.csv, line 5",
            "the name d is not among the objects of the input",
            "give exactly the names of the input; only the first line may be a header",
        ),
        (
            "name,x\na,1\nb,2\nc,3\nb,4\n",
            "x.csv, line 5, column 1",
            "the name b is given twice, to objects 2 and 4",
            "give every object a name of its own",
        ),
        (
            "name,x\na,1\nb,\nc,3\n",
            "x.csv, line 3, column 2 (b)",
            "a coordinate is missing",
            "give every object a finite number in every dimension",
        ),
        (
            "name,x\na,1\nb,inf\nc,3\n",
            "x.csv, line 3, column 2 (b)",
            "inf is not a coordinate",
            "give every object a finite number in every dimension",
        ),
        (
            "name\na\nb\nc\n",
            "x.csv",
            "there are no coordinates",
            "give the name and then at least one coordinate in every row",
        ),
        (
            "name,x\na,1\nb,2,3\nc,3\n",
            "x.csv, line 3 (b)",
            "the row has 2 numbers, the first row has 1",
            "give every row a name and equally many numbers",
        ),
        (
            "name,x\na,1\nb,z\nc,3\n",
            "x.csv, line 3, column 2 (b)",
            "\"z\" is not a number",
            "write numbers with a decimal point, and leave the cell empty (or NA) when there is no value",
        ),
        ("", "x.csv", "the file is empty", "give a file with data"),
        (
            "a,1\nb,1\nC,1\n",
            "x.csv, line 3",
            "the name C is not among the objects of the input",
            "give exactly the names of the input; only the first line may be a header",
        ),
    ];
    check(cases, |content| read_positions_as("x.csv", content, &known));
}

#[test]
fn graphs_name_the_object() {
    let known = names(&["a", "b", "c"]);
    let cases: &[Case] = &[
        ("", "g.csv", "the file is empty", "give a file with data"),
        ("from,to\n", "g.csv", "the graph has no edges", "write one pair per line: name,name"),
        (
            "a,b\na,d\n",
            "g.csv, line 2, column 2",
            "the name \"d\" is not among the objects of the input",
            "spell names exactly as in the input",
        ),
        ("a,b\na,a\n", "g.csv, line 2 (a to a)", "the edge joins an object to itself", "remove the line"),
        ("a,b\na\n", "g.csv, line 2", "the line names one object", "write one pair per line: name,name"),
        (
            "a,x\nb,c\n",
            "g.csv, line 1, column 2",
            "the name \"x\" is not among the objects of the input",
            "spell names exactly as in the input; a header must read like one, such as from,to",
        ),
        // Two typing errors in the first line do not make it a header, nor do two header words in a later line.
        (
            "aa,bb\nb,c\n",
            "g.csv, line 1, column 1",
            "the name \"aa\" is not among the objects of the input",
            "spell names exactly as in the input; a header must read like one, such as from,to",
        ),
        (
            "aa,bb,0.5\nb,c,1\n",
            "g.csv, line 1, column 1",
            "the name \"aa\" is not among the objects of the input",
            "spell names exactly as in the input; a header must read like one, such as from,to",
        ),
        (
            "b,c\nfrom,to\n",
            "g.csv, line 2, column 1",
            "the name \"from\" is not among the objects of the input",
            "spell names exactly as in the input",
        ),
    ];
    check(cases, |content| read_graph_as("g.csv", content, &known));
}
