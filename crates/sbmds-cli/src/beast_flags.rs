//! `sbmds beast-flags`: the number that asks BEAST's native library for certain couplings, and the command line around it.

use std::path::PathBuf;

use clap::Args;
use sbmds::beast::BeastFlags;
use sbmds::coupling::{Couplings, LayOptions};

use crate::arguments::{LandmarkArg, OrderArg};
use crate::failure::Failure;

/// Flags of `sbmds beast-flags`.
#[derive(Args)]
pub struct BeastFlagsCommand {
    /// Coupled pairs: auto, full, band:B, landmark:L or dispersed:B
    #[arg(long, default_value = "full")]
    couplings: Couplings,
    /// Order in which objects are laid before coupling
    #[arg(long, value_enum, default_value = "shuffle")]
    order: OrderArg,
    /// Which objects become landmarks: the first of the order, or each as far as possible from the others
    #[arg(long, value_enum, default_value = "first")]
    landmarks: LandmarkArg,
    /// Seed of the order and of dispersed bands
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Evaluate one likelihood on several threads (BEAST X: -Dmds.threads says how many)
    #[arg(long)]
    multicore: bool,
    /// Keep dissimilarities in single precision: half the memory, seven digits
    #[arg(long)]
    single_precision: bool,
    /// Directory of libmds_jni and libmds2_jni
    #[arg(long, value_name = "DIR", default_value = "DIR")]
    library: PathBuf,
    /// BEAST's file
    #[arg(value_name = "XML", default_value = "analysis.xml")]
    xml: PathBuf,
}

impl BeastFlagsCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let flags = BeastFlags {
            couplings: Some(self.couplings.clone()),
            lay: LayOptions {
                order: self.order.into(),
                landmarks: self.landmarks.into(),
                seed: self.seed,
                ..LayOptions::default()
            },
            multicore: self.multicore,
            single_precision: self.single_precision,
            ..BeastFlags::default()
        };
        let number = flags.to_number().map_err(Failure::bad_input)?;
        let (library, xml) = (self.library.display(), self.xml.display());
        let options = format!("-Dmds.required.flags={number} -Dmds.library.path={library}");
        println!("{number}");
        println!();
        println!("BEAST 1.10 as Debian installs it:");
        println!("    JAVA_TOOL_OPTIONS=\"{options}\" beast-mcmc {xml}");
        println!("BEAST 1.10 or BEAST X from its own archive:");
        println!("    java {options} -jar lib/beast.jar {xml}");
        Ok(())
    }
}
