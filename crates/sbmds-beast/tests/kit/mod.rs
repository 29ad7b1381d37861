//! Analyses for BEAST as XML, BEAST itself as a process, and its log files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand::RngExt;
use sbmds::random::{Purpose, stream};

/// A table of dissimilarities with a map to start from.
pub struct Data {
    pub names: Vec<String>,
    /// Row by row; NaN for missing.
    pub values: Vec<f64>,
    pub map: Vec<[f64; 2]>,
}

impl Data {
    /// Noisy distances between random points; a share of them is missing.
    pub fn simulated(n_objects: usize, missing: f64, seed: u64) -> Self {
        let mut rng = stream(seed, 0, Purpose::Simulation);
        let map: Vec<[f64; 2]> = (0..n_objects).map(|_| [(); 2].map(|()| rng.random_range(-1.5..1.5))).collect();
        let mut values = vec![0.0; n_objects * n_objects];
        for a in 0..n_objects {
            for b in a + 1..n_objects {
                let distance = (map[a][0] - map[b][0]).hypot(map[a][1] - map[b][1]);
                let noisy = (distance + rng.random_range(-0.3_f64..0.3)).abs();
                let value = if rng.random_bool(missing) { f64::NAN } else { noisy };
                values[a * n_objects + b] = value;
                values[b * n_objects + a] = value;
            }
        }
        Self { names: (0..n_objects).map(|k| format!("t{k}")).collect(), values, map }
    }

    /// Tab-separated, as BEAST reads it.
    pub fn table(&self) -> String {
        let mut text = format!("TAXA\t{}\n", self.names.join("\t"));
        for (name, row) in self.names.iter().zip(self.values.chunks(self.names.len())) {
            let cells = row.iter().map(|value| if value.is_nan() { "NA".into() } else { value.to_string() });
            writeln!(text, "{name}\t{}", cells.collect::<Vec<_>>().join("\t")).unwrap();
        }
        text
    }

    /// The map, as `sbmds eval` reads it.
    pub fn positions(&self) -> String {
        let rows = self.names.iter().zip(&self.map).map(|(name, [x, y])| format!("{name},{x},{y}\n"));
        format!("name,x,y\n{}", rows.collect::<String>())
    }

    /// A tree that joins the first objects first; all tips are of one time.
    pub fn newick(&self) -> String {
        let mut tree = self.names[0].clone();
        let mut height = 0.0;
        for name in &self.names[1..] {
            // Halves: sums of them are exact, so that BEAST finds all tips at one height.
            tree = format!("({tree}:0.5,{name}:{})", height + 0.5);
            height += 0.5;
        }
        format!("{tree};")
    }
}

/// How BEAST proposes locations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Proposals {
    RandomWalk,
    Hamiltonian,
}

/// What BEAST is to do.
pub struct Analysis<'a> {
    pub data: &'a Data,
    pub truncated: bool,
    pub precision: f64,
    pub tree: bool,
    pub proposals: Proposals,
    pub n_states: usize,
    pub log_every: usize,
}

impl Analysis<'_> {
    /// The XML for a table `d.tsv`, with a log `out.log`.
    pub fn xml(&self) -> String {
        let Self { truncated, precision, n_states, log_every, .. } = self;
        let (before, prior, likelihood, operator, logged) = if self.tree { self.along_tree() } else { self.alone() };
        let proposals = self.proposals();
        format!(
            r#"<?xml version="1.0"?>
<beast>
{before}
<parameter id="mds.precision" value="{precision}" lower="0.0"/>
<multiDimensionalScalingLikelihood id="mdsLikelihood" fileName="d.tsv" mdsDimension="2" includeTruncation="{truncated}" forceReorder="{}">
  <locations><matrixParameter idref="locations"/></locations>
  <mdsPrecision><parameter idref="mds.precision"/></mdsPrecision>
</multiDimensionalScalingLikelihood>
<operators id="operators" optimizationSchedule="default">
{proposals}
<scaleOperator scaleFactor="0.75" weight="1"><parameter idref="mds.precision"/></scaleOperator>
{operator}
</operators>
<mcmc id="mcmc" chainLength="{n_states}" autoOptimize="true">
  <posterior id="posterior">
    <prior id="prior">
      <gammaPrior shape="1" scale="1" offset="0"><parameter idref="mds.precision"/></gammaPrior>
      {prior}
    </prior>
    <likelihood id="likelihood"><multiDimensionalScalingLikelihood idref="mdsLikelihood"/>{likelihood}</likelihood>
  </posterior>
  <operators idref="operators"/>
  <log id="fileLog" logEvery="{log_every}" fileName="out.log" overwrite="true">
    <posterior idref="posterior"/><multiDimensionalScalingLikelihood idref="mdsLikelihood"/>
    <parameter idref="mds.precision"/><matrixParameter idref="locations"/>{logged}
  </log>
</mcmc>
</beast>
"#,
            self.tree
        )
    }

    /// The locations, each named as its object with something appended.
    fn columns(&self, appended: &str) -> String {
        let columns = self.data.names.iter().zip(&self.data.map);
        columns.map(|(name, [x, y])| format!(r#"<parameter id="{name}{appended}" value="{x} {y}"/>"#)).collect()
    }

    fn alone(&self) -> (String, String, String, String, String) {
        let before = format!(r#"<matrixParameter id="locations">{}</matrixParameter>"#, self.columns(""));
        let prior = r#"<normalPrior mean="0.0" stdev="1.0"><matrixParameter idref="locations"/></normalPrior>"#;
        // A Hamiltonian operator would need the gradient of that prior too, which BEAST 1.10.4 has no element for.
        let prior = if self.proposals == Proposals::RandomWalk { prior } else { "" };
        (before, prior.into(), String::new(), String::new(), String::new())
    }

    fn along_tree(&self) -> (String, String, String, String, String) {
        let taxa = self.data.names.iter().zip(&self.data.map);
        let taxa: String = taxa
            .map(|(name, [x, y])| format!(r#"<taxon id="{name}"><attr name="loc">{x} {y}</attr></taxon>"#))
            .collect();
        let before = format!(
            r#"<taxa id="taxa">{taxa}</taxa>
<newick id="startingTree" usingDates="false">{}</newick>
<treeModel id="treeModel"><tree idref="startingTree"/>
  <rootHeight><parameter id="treeModel.rootHeight"/></rootHeight>
  <nodeHeights internalNodes="true"><parameter id="treeModel.internalNodeHeights"/></nodeHeights>
  <nodeHeights internalNodes="true" rootNode="true"><parameter id="treeModel.allInternalNodeHeights"/></nodeHeights>
</treeModel>
<multivariateDiffusionModel id="diffusionModel"><precisionMatrix><matrixParameter id="precision">
  <parameter id="precision.col1" value="1 0"/><parameter id="precision.col2" value="0 1"/>
</matrixParameter></precisionMatrix></multivariateDiffusionModel>
<multivariateWishartPrior id="precisionPrior" df="2">
  <scaleMatrix><matrixParameter><parameter value="1 0"/><parameter value="0 1"/></matrixParameter></scaleMatrix>
  <data><parameter idref="precision"/></data>
</multivariateWishartPrior>
<traitDataLikelihood id="traitLikelihood" traitName="loc" useTreeLength="true" scaleByTime="true">
  <multivariateDiffusionModel idref="diffusionModel"/><treeModel idref="treeModel"/>
  <traitParameter><matrixParameter id="locations">{}</matrixParameter></traitParameter>
  <conjugateRootPrior>
    <meanParameter><parameter value="0 0"/></meanParameter><priorSampleSize><parameter value="0.001"/></priorSampleSize>
  </conjugateRootPrior>
</traitDataLikelihood>
<traitGradientOnTree id="treeGradient" traitName="loc"><traitDataLikelihood idref="traitLikelihood"/></traitGradientOnTree>"#,
            self.data.newick(),
            // BEAST renames and reorders them by the tree.
            self.columns(".loc")
        );
        let prior = r#"<multivariateWishartPrior idref="precisionPrior"/>"#.into();
        let likelihood = r#"<traitDataLikelihood idref="traitLikelihood"/>"#.to_owned();
        let operator = r#"<precisionGibbsOperator weight="1">
  <wishartStatistics traitName="loc"><traitDataLikelihood idref="traitLikelihood"/></wishartStatistics>
  <multivariateWishartPrior idref="precisionPrior"/>
</precisionGibbsOperator>"#;
        let logged = format!(r#"{likelihood}<matrixParameter idref="precision"/>"#);
        (before, prior, likelihood, operator.into(), logged)
    }

    fn proposals(&self) -> String {
        let gradient = r#"<multiDimensionalScalingLikelihood idref="mdsLikelihood"/>"#;
        let gradient = match self.tree {
            true => format!(r#"<jointGradient>{gradient}<traitGradientOnTree idref="treeGradient"/></jointGradient>"#),
            false => gradient.into(),
        };
        match self.proposals {
            Proposals::RandomWalk => {
                r#"<randomWalkOperator windowSize="0.3" weight="10"><matrixParameter idref="locations"/></randomWalkOperator>"#
                    .into()
            }
            Proposals::Hamiltonian => format!(
                r#"<hamiltonianMonteCarloOperator weight="10" nSteps="10" stepSize="0.02" mode="vanilla" drawVariance="1.0" autoOptimize="true">
  {gradient}<matrixParameter idref="locations"/>
</hamiltonianMonteCarloOperator>"#
            ),
        }
    }
}

/// Where BEAST's library is, if `scripts/test_beast` runs these tests; otherwise says why they do nothing.
pub fn library() -> Option<PathBuf> {
    let directory = std::env::var_os("SBMDS_BEAST_LIBRARY").map(PathBuf::from);
    if directory.is_none() {
        eprintln!("not tested: BEAST itself runs in scripts/test_beast, which sets SBMDS_BEAST_LIBRARY");
    }
    directory
}

/// How a run of BEAST ended.
pub struct Run {
    pub success: bool,
    pub output: String,
    pub log: Log,
}

/// Debian's BEAST on `xml` and `table` in a directory of its own: with sbmds if there are flags, else with its Java core.
pub fn beast(xml: &str, table: &str, flags: Option<i64>) -> Run {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("d.tsv"), table).unwrap();
    std::fs::write(directory.path().join("in.xml"), xml).unwrap();
    let mut command = Command::new("beast-mcmc");
    command.args(["-seed", "1", "-overwrite", "in.xml"]).current_dir(directory.path());
    // Debian's script leaves the matrices of continuous traits off the class path.
    let matrices = ["all", "core", "ddense", "simple"].map(|part| format!("/usr/share/java/ejml-{part}.jar"));
    command.env("CLASSPATH", matrices.join(":"));
    if let (Some(flags), Some(library)) = (flags, library()) {
        let options = format!("-Dmds.required.flags={flags} -Dmds.library.path={}", library.display());
        command.env("JAVA_TOOL_OPTIONS", options);
    }
    let ended = command.output().expect("beast-mcmc can be started");
    let output = format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    let log = Log::read(&directory.path().join("out.log"));
    Run { success: ended.status.success(), output, log }
}

/// A log file of BEAST.
#[derive(Default)]
pub struct Log {
    pub header: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

impl Log {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let header = lines.next().unwrap_or_default().split('\t').map(str::to_owned).collect();
        let numbers = |line: &str| line.split('\t').map(|cell| cell.parse().unwrap()).collect();
        Self { header, rows: lines.map(numbers).collect() }
    }

    /// One column.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let at = self.header.iter().position(|other| other == name).unwrap_or_else(|| panic!("no column {name}"));
        self.rows.iter().map(|row| row[at]).collect()
    }

    /// The largest difference of two logs of the same columns and length, relative to the largest number of its column: a
    /// log-likelihood that happens to be next to 0 has no digits of its own.
    pub fn largest_difference(&self, other: &Self) -> f64 {
        assert_eq!(self.header, other.header);
        assert_eq!(self.rows.len(), other.rows.len());
        let of_column = |name: &String| {
            let (ours, theirs) = (self.column(name), other.column(name));
            let largest = theirs.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
            ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest.max(f64::MIN_POSITIVE)
        };
        self.header.iter().map(of_column).fold(0.0, f64::max)
    }
}
