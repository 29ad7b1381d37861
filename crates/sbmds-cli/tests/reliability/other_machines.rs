//! The instruction set is part of a run: nobody goes on with another one unasked.

use sbmds::likelihood::InstructionSet;

use crate::QUICK;
use crate::kit::{Case, files_below};
use crate::program::Ended;

fn with_instructions(case: &Case, set: InstructionSet, arguments: &str) -> Ended {
    case.command(arguments).env("SBMDS_SIMD", set.to_string()).output().unwrap().into()
}

/// Two sets of this machine; `None` where it has but one.
fn two_sets() -> Option<[InstructionSet; 2]> {
    let fastest = InstructionSet::ALL.into_iter().find(|set| set.is_available())?;
    (fastest != InstructionSet::Portable).then_some([fastest, InstructionSet::Portable])
}

#[test]
fn a_resume_on_another_instruction_set_is_refused_or_goes_on_and_says_so() {
    let Some([fastest, portable]) = two_sets() else { return };
    let case = Case::new(12);
    with_instructions(&case, fastest, QUICK).expect_finished();
    assert!(case.read("run/config.toml").contains(&format!("instructions = [\"{fastest}\"]")));

    let more = "fit --resume --out run --draws 80";
    let refused = with_instructions(&case, portable, more);
    refused.expect(2, &["instruction set", &format!("SBMDS_SIMD={fastest}"), "--other-instructions", "Remedy"]);
    assert!(case.path("run/summary.json").exists(), "the run is as it was");

    let went_on = with_instructions(&case, portable, &format!("{more} --other-instructions"));
    went_on.expect_finished();
    assert!(went_on.stderr.contains("warning: the draws were made with the instruction sets"), "{}", went_on.stderr);
    let warnings = case.json("run/summary.json")["warnings"].to_string();
    assert!(warnings.contains(&format!("{fastest}, {portable}")), "{warnings}");
    assert!(case.run("summary run").stdout.contains("instruction sets"), "the summary says it too");
}

#[test]
fn a_resume_on_the_same_instruction_set_ends_with_the_same_draws() {
    let case = Case::new(12);
    case.run(QUICK).expect_finished();
    case.run(&QUICK.replace("--out run", "--out whole").replace("--draws 60", "--draws 90")).expect_finished();
    case.run("fit --resume --out run --draws 90").expect_finished();
    // Chunks are as long as what was planned first; the draws in them must be the same.
    for name in ["run", "whole"] {
        case.run(&format!("export {name} --out exported-{name}")).expect(0, &[]);
    }
    assert!(files_below(&case.path("exported-run")) == files_below(&case.path("exported-whole")));
    assert_eq!(case.read("run/embedding.csv"), case.read("whole/embedding.csv"));
}
