//! What a fit leaves to look at: the report, figures, and the map in the terminal.

use crate::kit::Case;

const SHORT: &str = "--chains 2 --warmup 60 --draws 40";

fn fitted(arguments: &str) -> Case {
    let case = Case::new(12);
    case.run(&format!("fit matrix.csv --out run {SHORT} {arguments}")).expect_finished();
    case
}

#[test]
fn a_fit_writes_its_report_and_map_unless_told_not_to() {
    let case = fitted("");
    assert!(case.read("run/report.html").contains("id=\"sbmds-data\""));
    assert!(case.read("run/map.svg").starts_with("<svg "));
    let ended = case.run(&format!("fit matrix.csv --out quiet {SHORT} --no-report"));
    ended.expect_finished();
    assert!(!ended.stderr.contains("report"), "{}", ended.stderr);
    assert!(!case.path("quiet/report.html").exists() && !case.path("quiet/map.svg").exists());
    // More draws, a new report.
    let before = case.read("run/report.html");
    case.run("fit --resume --out run --draws 60").expect_finished();
    assert_ne!(case.read("run/report.html"), before);
}

#[test]
fn a_report_that_cannot_be_written_does_not_spoil_the_fit() {
    let case = fitted("--no-report");
    // Nothing can be renamed over a directory that holds something.
    std::fs::create_dir_all(case.path("run/report.html/in-the-way")).unwrap();
    let ended = case.run("fit --resume --out run --draws 50");
    ended.expect_finished();
    ended.expect(ended.code.unwrap(), &["warning: the fit is complete, but its report is not", "report.html"]);
    assert_eq!(case.json("run/summary.json")["n_draws"], 50);
}

#[test]
fn reports_take_labels_by_name() {
    let case = fitted("--no-report");
    let rows: String = (0..11).map(|n| format!("o{n},{},{}\n", ["x", "y"][n % 2], 1900 + n)).collect();
    case.write("labels.csv", &format!("name,group,year\n{rows}"));
    let ended = case.run("report run --labels labels.csv --out page.html");
    ended.expect(0, &["warning: 1 object has no row in the table of labels: o11"]);
    assert_eq!(ended.stdout, "page.html\n");
    let page = case.read("page.html");
    assert!(page.contains(r#""kind":"categorical","name":"group","levels":["x","y"]"#));
    assert!(page.contains(r#""kind":"numeric","name":"year""#));
    assert!(!case.path("run/report.html").exists());
    case.write("labels.csv", "name,group\no1,x\nstranger,y\n");
    let words =
        ["note: 1 row of the table of labels names no object and is left out: stranger", "11 objects have no row"];
    case.run("report run --labels labels.csv --out page.html").expect(0, &words);
    case.run("report run --labels none.csv").expect(2, &["none.csv", "there is no such file"]);
    case.run("report nowhere").expect(2, &["holds no run"]);
}

#[test]
fn a_report_outlives_its_input() {
    let case = fitted("--no-report");
    std::fs::remove_file(case.path("matrix.csv")).unwrap();
    let ended = case.run("report run");
    ended.expect(0, &["warning: The input matrix.csv", "there is no Shepard plot"]);
    assert!(case.read("run/report.html").contains("\"shepard\":null"));
    let words = ["matrix.csv cannot be read any more", "Shepard plot needs", "sbmds fit NEW-PATH --resume --out run"];
    case.run("plot run shepard --out shepard.svg").expect(2, &words);
}

#[test]
fn every_figure_is_drawn_in_every_format() {
    let case = fitted("--no-report --keep thin:2");
    for kind in ["map", "shepard", "trace", "rank", "ess", "density"] {
        for format in ["svg", "pdf", "png"] {
            let ended = case.run(&format!("plot run {kind} --out {kind}.{format}"));
            ended.expect(0, &[]);
            assert_eq!(ended.stdout, format!("{kind}.{format}\n"));
        }
        assert!(case.read(&format!("{kind}.svg")).contains("width=\"89.00mm\""));
        assert!(std::fs::read(case.path(&format!("{kind}.png"))).unwrap().starts_with(b"\x89PNG"));
        assert!(std::fs::read(case.path(&format!("{kind}.pdf"))).unwrap().starts_with(b"%PDF-1."));
    }
    case.write("labels.csv", "name,group\no1,red\no2,blue\n");
    case.run("plot run map --labels labels.csv --colour group --axes 2,1 --width-mm 120 --out m.svg").expect(0, &[]);
    let map = case.read("m.svg");
    assert!(map.contains("\nred\n") && map.contains("no label") && map.contains("width=\"120.00mm\""));
    case.run(&format!("fit matrix.csv --out other --seed 2 {SHORT} --no-report")).expect_finished();
    case.run("plot run other density --quantity sigma --out both.svg").expect(0, &[]);
    let both = case.read("both.svg");
    assert!(both.contains("\nrun\n") && both.contains("\nother\n"));
}

#[test]
fn figures_that_cannot_be_drawn_are_refused() {
    let case = fitted("--no-report");
    case.write("labels.csv", "name,group\no1,red\n");
    for (arguments, words) in [
        ("plot run map --out map.eps", &["--out", ".svg", ".pdf", ".png"][..]),
        (
            "plot run pie --out map.svg",
            &["\"pie\" is no figure", "map, antigenic, shepard, trace, rank, ess, density, clusters, groups or tree"],
        ),
        ("plot run clusters --out map.svg", &["has no clusters yet", "sbmds cluster"]),
        ("plot run tree --out map.svg", &["fitted without a tree", "--tree"]),
        ("plot run groups --out map.svg", &["--group", "--labels"]),
        ("compare run --quantity sigma", &["RUN"]),
        ("compare run run --quantity rate --out map.svg", &["no quantity \"rate\""]),
        ("plot run run map --out map.svg", &["this figure shows one run, and 2 were given"]),
        ("plot run trace --quantity rate --out t.svg", &["no quantity \"rate\"", "Remedy", "sigma"]),
        ("plot run map --axes 1,3 --out map.svg", &["axes 1 and 3 of a map with 2 dimensions"]),
        ("plot run map --axes 1 --out map.svg", &["two numbers with a comma"]),
        ("plot run map --labels labels.csv --colour size --out map.svg", &["no column \"size\"", "group"]),
        ("plot run map --colour size --out map.svg", &["--labels"]),
        ("plot run --out map.svg", &["RUN"]),
        ("plot nowhere map --out map.svg", &["holds no run"]),
    ] {
        case.run(arguments).expect(2, words);
    }
    assert!(!case.path("map.svg").exists());
}

#[test]
fn the_summary_draws_a_map_when_asked() {
    let case = fitted("--no-report");
    let plain = case.run("summary run");
    plain.expect(0, &[]);
    assert!(!plain.stdout.contains('•'), "no terminal, no map: {}", plain.stdout);
    let with_map = case.run("summary run --map");
    with_map.expect(0, &[]);
    assert!(with_map.stdout.starts_with(&plain.stdout) && with_map.stdout.contains("•o3"), "{}", with_map.stdout);
    case.run("summary run --map --no-map").expect(2, &["cannot be used with"]);
}

#[test]
fn a_moved_input_is_found_again_by_the_run() {
    let case = fitted("--no-report");
    std::fs::rename(case.path("matrix.csv"), case.path("moved.csv")).unwrap();
    case.run("plot run shepard --out shepard.svg").expect(2, &["matrix.csv"]);
    let ended = case.run("fit moved.csv --resume --out run --no-report");
    ended.expect_finished();
    assert!(ended.stderr.contains("this run is finished"), "{}", ended.stderr);
    case.run("plot run shepard --out shepard.svg").expect(0, &[]);
}

#[test]
fn class_numbers_are_classes_unless_the_user_says_otherwise() {
    let case = fitted("--no-report");
    let rows: String = (0..12).map(|n| format!("o{n},{},{},n{n}\n", n % 3, 1990 + n % 2)).collect();
    case.write("labels.csv", &format!("name,digit,year,city\n{rows}"));
    let page = |flags: &str| {
        case.run(&format!("report run --labels labels.csv --out page.html {flags}")).expect(0, &[]);
        case.read("page.html")
    };
    let plain = page("");
    assert!(plain.contains(r#""kind":"categorical","name":"digit","levels":["0","1","2"]"#));
    assert!(plain.contains(r#""kind":"numeric","name":"year""#));
    let asked = page("--categorical year --numeric digit");
    assert!(asked.contains(r#""kind":"categorical","name":"year","levels":["1990","1991"]"#));
    assert!(asked.contains(r#""kind":"numeric","name":"digit""#));
    case.run("plot run map --labels labels.csv --colour digit --out classes.svg").expect(0, &[]);
    let map = case.read("classes.svg");
    assert!(map.contains("\ndigit\n") && map.contains("\n2\n"), "the legend has its title");
    let refusals = [("--categorical size", "no column \"size\""), ("--numeric city", "column city holds words")];
    for (flags, word) in refusals {
        case.run(&format!("report run --labels labels.csv {flags}")).expect(2, &[word, "Remedy"]);
    }
    case.run("report run --categorical digit").expect(2, &["--categorical: there are no labels", "--labels"]);
}

#[test]
fn letters_that_the_font_lacks_are_said() {
    let case = Case::new(5);
    let matrix = case.read("matrix.csv").replace("o1", "東京").replace("o2", "Łódź");
    case.write("matrix.csv", &matrix);
    case.run(&format!("fit matrix.csv --out run {SHORT} --no-report")).expect_finished();
    for format in ["png", "pdf"] {
        let ended = case.run(&format!("plot run map --out map.{format}"));
        let file = format!("warning: map.{format}: the built-in font lacks letters of a name (\"東京\")");
        ended.expect(0, &[&file, "Remedy: write an .svg"]);
    }
    let svg = case.run("plot run map --out map.svg");
    assert_eq!(svg.stderr, "", "the reader's own fonts draw it");
    assert!(case.read("map.svg").contains("東京"));
}

#[test]
fn a_comparison_draws_only_when_asked() {
    let case = fitted("--no-report");
    case.run(&format!("fit matrix.csv --out other --seed 2 {SHORT} --no-report")).expect_finished();
    let files = || std::fs::read_dir(case.directory.path()).unwrap().count();
    let before = files();
    let plain = case.run("compare run other");
    plain.expect(0, &[]);
    assert!(plain.stdout.contains("Hellinger") && !plain.stderr.contains("densities"), "{}", plain.stderr);
    assert_eq!(files(), before, "nothing is dropped into the directory");
    case.run("compare run other -o both.pdf").expect(0, &["densities: both.pdf"]);
}
