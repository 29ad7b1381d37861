//! `sbmds beast-flags` and `sbmds from-beast`.

#[path = "../common/program.rs"]
mod program;

use std::path::Path;

use program::{Ended, command};

fn run(directory: &Path, arguments: &str) -> Ended {
    command(directory, arguments).output().unwrap().into()
}

fn here() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn flags_come_with_whole_command_lines() {
    let directory = here();
    let printed = run(directory.path(), "beast-flags --couplings dispersed:50 --seed 1 --library /opt/lib flu.xml");
    assert_eq!(printed.code, Some(0));
    assert_eq!(
        printed.stdout,
        "68722756609\n\n\
         BEAST 1.10 as Debian installs it:\n    \
         JAVA_TOOL_OPTIONS=\"-Dmds.required.flags=68722756609 -Dmds.library.path=/opt/lib\" beast-mcmc flu.xml\n\
         BEAST 1.10 or BEAST X from its own archive:\n    \
         java -Dmds.required.flags=68722756609 -Dmds.library.path=/opt/lib -jar lib/beast.jar flu.xml\n"
    );
    assert!(run(directory.path(), "beast-flags").stdout.starts_with("1\n"));
    let refused = run(directory.path(), "beast-flags --couplings graph:a.csv");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("Remedy: use auto, full, band:B, landmark:L or dispersed:B"), "{}", refused.stderr);
}

const TABLE: &str = "TAXA\ta\tb\tc\td\na\t0\t1\t2\t1\nb\t1\t0\t1\t2\nc\t2\t1\t0\t1\nd\t1\t2\t1\t0\n";

/// Likelihood, operators and chain; the parts in braces vary.
fn xml(before: &str, priors: &str, likelihoods: &str, operators: &str) -> String {
    format!(
        r#"<?xml version="1.0" standalone="yes"?>
<beast>
{before}
<parameter id="mds.precision" value="4.0" lower="0.0"/>
<multiDimensionalScalingLikelihood id="mds" fileName="d.tsv" mdsDimension="2" includeTruncation="true">
  <locations><matrixParameter idref="locations"/></locations>
  <mdsPrecision><parameter idref="mds.precision"/></mdsPrecision>
</multiDimensionalScalingLikelihood>
<operators id="operators">{operators}</operators>
<mcmc id="mcmc" chainLength="1000000">
  <posterior id="posterior">
    <prior id="prior">{priors}</prior>
    <likelihood id="likelihood"><multiDimensionalScalingLikelihood idref="mds"/>{likelihoods}</likelihood>
  </posterior>
  <operators idref="operators"/>
</mcmc>
</beast>
"#
    )
}

const GAMMA: &str =
    r#"<gammaPrior shape="0.5" scale="0.25" offset="0"><parameter idref="mds.precision"/></gammaPrior>"#;
const MOVES: &str = r#"<scaleOperator scaleFactor="0.7" weight="1"><parameter idref="mds.precision"/></scaleOperator>
<randomWalkOperator windowSize="1" weight="1"><matrixParameter idref="locations"/></randomWalkOperator>"#;
const COLUMNS: &str = r#"<matrixParameter id="locations"><parameter id="a" value="0 0"/><parameter id="b" value="1 0"/>
<parameter id="c" value="1 1"/><parameter id="d" value="0 1"/></matrixParameter>"#;

fn tree(attributes: &str, df: &str) -> String {
    format!(
        r#"<taxa id="taxa"><taxon id="a"/><taxon id="b"/><taxon id="c"/><taxon id="d"/></taxa>
<newick id="startingTree" usingDates="false">
  ((a:1,b:1):1,(c:1.5,d:1.5):0.5);
</newick>
<treeModel id="treeModel"><newick idref="startingTree"/>
  <rootHeight><parameter id="treeModel.rootHeight"/></rootHeight></treeModel>
<multivariateDiffusionModel id="diffusion"><precisionMatrix><matrixParameter id="precision">
  <parameter value="1 0"/><parameter value="0 1"/></matrixParameter></precisionMatrix></multivariateDiffusionModel>
<multivariateWishartPrior id="wishart" df="{df}">
  <scaleMatrix><matrixParameter><parameter value="1 0"/><parameter value="0 1"/></matrixParameter></scaleMatrix>
  <data><parameter idref="precision"/></data></multivariateWishartPrior>
<traitDataLikelihood id="trait" traitName="loc" {attributes}>
  <multivariateDiffusionModel idref="diffusion"/><treeModel idref="treeModel"/>
  <traitParameter>{COLUMNS}</traitParameter>
  <conjugateRootPrior><meanParameter><parameter value="0 0"/></meanParameter>
    <priorSampleSize><parameter value="0.01"/></priorSampleSize></conjugateRootPrior>
</traitDataLikelihood>"#
    )
}

const CHAIN: &str = "operators and a chain of 1000000 states: sbmds has samplers of its own, and by default draws 4 chains of \
                     1,000 (--until-ess 400 draws until that is enough)\n";

#[test]
fn a_tree_with_its_priors_becomes_flags() {
    let directory = here();
    std::fs::write(directory.path().join("d.tsv"), TABLE).unwrap();
    let priors = format!(r#"{GAMMA}<multivariateWishartPrior idref="wishart"/>"#);
    let text = xml(
        &tree(r#"useTreeLength="true" scaleByTime="true""#, "2"),
        &priors,
        r#"<traitDataLikelihood idref="trait"/>"#,
        MOVES,
    );
    std::fs::write(directory.path().join("flu.xml"), text).unwrap();
    let printed = run(directory.path(), "from-beast flu.xml -- --chains 2");
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert_eq!(
        printed.stdout,
        "sbmds fit d.tsv --dims 2 --couplings full --noise truncated-normal --priors paper --noise-shape 0.5 --noise-rate 4 \
         --branch-scaling total-length --root-sample-size 0.01 --tree flu-tree.nwk --chains 2\n"
    );
    assert_eq!(printed.stderr, format!("flu.xml: what the fit does not take over, or does otherwise:\n- 2 {CHAIN}"));
    let newick = std::fs::read_to_string(directory.path().join("flu-tree.nwk")).unwrap();
    assert_eq!(newick, "((a:1,b:1):1,(c:1.5,d:1.5):0.5);\n");
    // Again with the same tree, and with another in its place.
    assert_eq!(run(directory.path(), "from-beast flu.xml").code, Some(0));
    std::fs::write(directory.path().join("flu-tree.nwk"), "(a:1,b:1);\n").unwrap();
    let refused = run(directory.path(), "from-beast flu.xml");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--tree-out"), "{}", refused.stderr);
    assert_eq!(run(directory.path(), "from-beast flu.xml --tree-out other.nwk").code, Some(0));
}

#[test]
fn the_fit_runs() {
    let directory = here();
    std::fs::write(directory.path().join("d.tsv"), TABLE).unwrap();
    let text = xml(&tree(r#"scaleByTime="false""#, "2"), GAMMA, r#"<traitDataLikelihood idref="trait"/>"#, MOVES);
    std::fs::write(directory.path().join("flu.xml"), text).unwrap();
    let flags = "--chains 1 --warmup 50 --draws 20 --out fit --no-report --progress none";
    let ended = run(directory.path(), &format!("from-beast flu.xml --run -- {flags}"));
    // So few draws need not converge.
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
    let config = std::fs::read_to_string(directory.path().join("fit/config.toml")).unwrap();
    for setting in ["noise_shape = 0.5", "noise_rate = 4.0", "root_sample_size = 0.01", "branch_scaling = \"none\""] {
        assert!(config.contains(setting), "{setting}: {config}");
    }
}

#[test]
fn what_is_not_understood_is_listed() {
    let directory = here();
    let before = format!(r#"<alignment id="sequences"/>{}"#, tree(r#"scaleByTime="true""#, "3"));
    let priors = r#"<logNormalPrior mean="1" stdev="1"><parameter idref="mds.precision"/></logNormalPrior>"#;
    let moves = format!(r#"{MOVES}<subtreeSlide size="1" weight="1"><treeModel idref="treeModel"/></subtreeSlide>"#);
    let likelihoods = r#"<traitDataLikelihood idref="trait"/><treeLikelihood id="sites"/>"#;
    std::fs::write(directory.path().join("flu.xml"), xml(&before, priors, likelihoods, &moves)).unwrap();
    let printed = run(directory.path(), "from-beast flu.xml");
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    for part in [
        "<logNormalPrior>, the prior of the precision: 1/sigma^2 ~ Gamma(1, 1) is used",
        "the prior of the diffusion's precision: here it is Wishart(D, I)",
        "branches are measured by the height of the tree",
        "BEAST samples the tree: here the tree in the file is kept",
        "<alignment id=\"sequences\"> is not understood",
        "<treeLikelihood id=\"sites\"> is not understood",
    ] {
        assert!(printed.stderr.contains(part), "{part}: {}", printed.stderr);
    }
}

#[test]
fn without_a_tree_the_locations_keep_their_prior() {
    let directory = here();
    let normal = r#"<normalPrior mean="0.0" stdev="2.5"><matrixParameter idref="locations"/></normalPrior>"#;
    std::fs::write(directory.path().join("a.xml"), xml(COLUMNS, &format!("{GAMMA}{normal}"), "", MOVES)).unwrap();
    let printed = run(directory.path(), "from-beast a.xml");
    assert!(printed.stdout.ends_with("--noise-shape 0.5 --noise-rate 4 --prior-scale 2.5\n"), "{}", printed.stdout);
    assert!(!printed.stderr.contains("understood"), "{}", printed.stderr);
    // A precision that no operator moves is known.
    let still =
        r#"<randomWalkOperator windowSize="1" weight="1"><matrixParameter idref="locations"/></randomWalkOperator>"#;
    std::fs::write(directory.path().join("b.xml"), xml(COLUMNS, "", "", still)).unwrap();
    let printed = run(directory.path(), "from-beast b.xml");
    assert!(printed.stdout.contains("--sigma 0.5"), "{}", printed.stdout);
    assert!(printed.stderr.contains("no prior of the locations that is normal around 0"), "{}", printed.stderr);
}

#[test]
fn files_that_are_no_analysis_say_so() {
    let directory = here();
    let two = format!("<beast>{0}{0}</beast>", r#"<multiDimensionalScalingLikelihood fileName="d"/>"#);
    for (text, part) in [
        ("not xml", "this is no XML"),
        ("<beast/>", "there is no <multiDimensionalScalingLikelihood> in this file"),
        (two.as_str(), "there are 2 of <multiDimensionalScalingLikelihood>"),
        ("<beast><multiDimensionalScalingLikelihood/></beast>", "no <mdsPrecision>"),
    ] {
        std::fs::write(directory.path().join("a.xml"), text).unwrap();
        let ended = run(directory.path(), "from-beast a.xml");
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains(part) && ended.stderr.contains("Remedy: "), "{}", ended.stderr);
        assert!(ended.stdout.is_empty());
    }
    assert_eq!(run(directory.path(), "from-beast nowhere.xml").code, Some(2));
}
