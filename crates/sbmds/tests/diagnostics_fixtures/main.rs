//! The diagnostics against ArviZ and coda on pinned chains (see the README beside this file).

use std::collections::BTreeMap;

use sbmds::diagnostics::{
    Chains, bfmi, ess_bulk, ess_mean, ess_quantile, ess_sd, ess_tail, mcse_mean, mcse_quantile, mcse_sd, rhat,
    spectral_ess, spectral_ess_of_chain,
};

/// Rows of a table of three columns, without its header.
fn table(text: &str) -> Vec<[String; 3]> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let row = |record: csv::StringRecord| [0, 1, 2].map(|column| record[column].to_string());
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// The draws of every case, chain by chain.
fn cases() -> BTreeMap<String, Vec<Vec<f64>>> {
    let mut cases = BTreeMap::<String, Vec<Vec<f64>>>::new();
    for [case, _, draws] in table(include_str!("chains.csv")) {
        let chain = draws.split(' ').map(|draw| draw.parse().unwrap()).collect();
        cases.entry(case).or_default().push(chain);
    }
    cases
}

fn agree(found: f64, expected: f64) -> bool {
    let close = (found - expected).abs() <= 1e-6 * expected.abs();
    close || found == expected || (found.is_nan() && expected.is_nan())
}

/// The statistic ArviZ's table calls `name`.
fn statistic(name: &str, chains: &Chains) -> f64 {
    match name {
        "rhat" => rhat(chains),
        "ess_bulk" => ess_bulk(chains),
        "ess_tail" => ess_tail(chains),
        "ess_mean" => ess_mean(chains),
        "ess_sd" => ess_sd(chains),
        "ess_median" => ess_quantile(chains, 0.5),
        "mcse_mean" => mcse_mean(chains),
        "mcse_sd" => mcse_sd(chains),
        _ => numbered_statistic(name, chains),
    }
}

fn numbered_statistic(name: &str, chains: &Chains) -> f64 {
    let (kind, number) = name.rsplit_once('_').unwrap();
    match kind {
        "ess_quantile" => ess_quantile(chains, number.parse().unwrap()),
        "mcse_quantile" => mcse_quantile(chains, number.parse().unwrap()),
        "bfmi" => bfmi(chains.iter().nth(number.parse().unwrap()).unwrap()),
        _ => panic!("no statistic is called {name}"),
    }
}

#[test]
fn every_statistic_equals_that_of_arviz() {
    let cases = cases();
    let rows = table(include_str!("arviz.csv"));
    // 14 statistics of all chains together, and one of each chain.
    let n_expected: usize = cases.values().map(|chains| 14 + chains.len()).sum();
    assert_eq!(rows.len(), n_expected, "the tables are not of one making");
    let differences: Vec<String> = rows
        .into_iter()
        .filter_map(|[case, name, expected]| {
            let found = statistic(&name, &Chains::new(&cases[&case]).unwrap());
            let line = format!("{case} {name}: {found}, ArviZ {expected}");
            (!agree(found, expected.parse().unwrap())).then_some(line)
        })
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn spectral_effective_sizes_equal_those_of_coda() {
    let mut cases = cases();
    cases.insert("straight_line".into(), vec![(0..50).map(|t| f64::from(t) / 49.0).collect()]);
    for [case, chain, expected] in table(include_str!("coda.csv")) {
        let chains = &cases[&case];
        let found = match chain.as_str() {
            "sum" => spectral_ess(&Chains::new(chains).unwrap()),
            number => spectral_ess_of_chain(&chains[number.parse::<usize>().unwrap()]),
        };
        assert!(agree(found, expected.parse().unwrap()), "{case} chain {chain}: {found}, coda {expected}");
    }
}
