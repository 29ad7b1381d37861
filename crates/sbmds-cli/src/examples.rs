//! Examples at the end of the help of each command.

pub const SBMDS: &str = "\
Examples:
  sbmds demo                                     the whole way on built-in data
  sbmds fit distances.csv                        a map of your own, in distances-fit
  sbmds report distances-fit --labels labels.csv the interactive page, coloured by a label
  sbmds help fit                                 all flags of a fit";

pub const FIT: &str = "\
Examples:
  sbmds fit distances.csv -o run                 four chains, two dimensions, a report
  sbmds fit distances.csv -o run --resume        the same command after an interruption
  sbmds fit --resume -o run --draws 4000         go on with a finished run
  sbmds fit distances.csv -o run -D 3 --overwrite  another setting in the same directory
  sbmds fit other.csv --config run/config.toml   the settings of a run on other data
  sbmds fit distances.csv --until-ess 400 --time 10m
                                                 until the draws suffice, ten minutes at most
  sbmds fit vectors.npy --features --metric cosine --labels labels.csv
  sbmds fit distances.csv --tree flu.trees       locations that diffuse along a phylogeny";

pub const COMBINE: &str = "\
Examples:
  for k in 1 2 3 4; do sbmds fit distances.csv --chain $k -o chain-$k; done
  sbmds combine chain-1 chain-2 chain-3 chain-4 -o run";

pub const PLOT: &str = "\
Examples:
  sbmds plot run map -o map.pdf
  sbmds plot run map --labels labels.csv --colour subject --width-mm 120 -o map.svg
  sbmds plot run map --labels digits.csv --colour digit --categorical digit -o map.png
  sbmds plot run shepard -o shepard.svg
  sbmds plot run-a run-b density --quantity sigma -o sigma.svg";

pub const REPORT: &str = "\
Examples:
  sbmds report run
  sbmds report run --labels labels.csv --categorical year -o page.html";

pub const CLUSTER: &str = "\
Examples:
  sbmds cluster run
  sbmds cluster run --min-points 40 --labels labels.csv --truth subject
  sbmds cluster run --together London Paris";

pub const COMPARE: &str = "\
Examples:
  sbmds compare run-a run-b
  sbmds compare run-a run-b --quantity diffusion-rate -o rates.svg
  sbmds compare --maps run-a run-b -o arrows.pdf --table moved.csv
  sbmds compare --maps run umap.csv              a map of another program, by name";

pub const PREDICT: &str = "\
Examples:
  sbmds predict run                              every measured pair, into run/predict.csv
  sbmds predict run --missing -o missing.csv     the pairs that were not measured
  sbmds predict run pairs.csv --level 0.9        the pairs of a list: name,name[,observed]";

pub const PLACE: &str = "\
Examples:
  sbmds place run new.csv                        rows are new objects, columns old ones; into run/placed
  sbmds place run new.npy --draws 100 -o placed
  sbmds place run new.csv --joint                old and new objects in one fit; into run/joint";

pub const CHOOSE: &str = "\
Examples:
  sbmds choose distances.csv --dims 1-6          a fit for each, a table, a figure and one line of advice
  sbmds choose distances.csv --dims 2,3 --noise normal,truncated-normal
  sbmds choose distances.csv --dims 1-4 --folds 5  pairs held out exactly
  sbmds choose distances.csv --dims 2 --bands    how many dispersed bands are enough";

pub const SUMMARY: &str = "\
Examples:
  sbmds summary run
  sbmds summary run --objects 100 --no-map
  sbmds summary run --json";

pub const EXPORT: &str = "\
Examples:
  sbmds export run -o arrays
  sbmds export run --format beast -o beast";

pub const EVAL: &str = "\
Examples:
  sbmds eval distances.csv --positions map.csv --sigma 0.1
  sbmds eval distances.csv --positions map.csv --sigma 0.1 --couplings band:10 --order given --gradient";

pub const SIMULATE: &str = "\
Examples:
  sbmds simulate --objects 200 --sd 0.1 -o simulated
  sbmds fit simulated/distances.csv";

pub const HDBSCAN: &str = "\
Examples:
  sbmds hdbscan points.csv --min-cluster-size 20 -o clusters.csv";

pub const COMPLETIONS: &str = "\
Examples:
  sbmds completions bash > ~/.local/share/bash-completion/completions/sbmds
  sbmds completions zsh > ~/.zfunc/_sbmds        with fpath+=~/.zfunc before compinit in ~/.zshrc
  sbmds completions fish > ~/.config/fish/completions/sbmds.fish";
