//! The condensed tree: only splits into parts of sufficient size make clusters, all other points fall out one by one.

use super::dendrogram::Dendrogram;

/// A cluster of the condensed tree. Levels are lambda = 1 / distance: the tree is walked from far to near.
#[derive(Debug)]
pub struct Cluster {
    /// The cluster it split off from; none for the root.
    pub parent: Option<u32>,
    /// The level at which it arises; 0 for the root.
    pub birth: f64,
    /// The largest level at which a point falls out of it or it splits.
    pub death: f64,
    /// Number of objects at its birth.
    pub size: u32,
    /// Sum over its objects of how long they stay: (level they leave at) - (birth). docs/clustering.md, eq. 5.
    pub stability: f64,
    /// Whether other clusters split off from it.
    pub is_split: bool,
}

/// The clusters, parents before children, and where each point falls out.
pub struct CondensedTree {
    pub clusters: Vec<Cluster>,
    /// The cluster each point falls out of.
    pub cluster_of: Vec<u32>,
    /// The level at which it does.
    pub levels: Vec<f64>,
}

impl CondensedTree {
    /// Condenses single linkage with clusters of at least `min_cluster_size` objects. `cores` are the core distances: a
    /// point that is a cluster by its copies alone falls apart at its own.
    pub fn new(dendrogram: &Dendrogram, cores: &[f64], min_cluster_size: usize) -> Self {
        let mut tree = Self {
            clusters: Vec::new(),
            cluster_of: vec![0; dendrogram.n_points],
            levels: vec![0.0; dendrogram.n_points],
        };
        let root = dendrogram.root();
        let mut waiting = vec![(root, tree.add(None, 0.0, dendrogram.sizes[root as usize]))];
        while let Some((node, cluster)) = waiting.pop() {
            let Some((children, distance)) = dendrogram.split(node) else {
                tree.fall_out(dendrogram, node, cluster, level(cores[node as usize]));
                continue;
            };
            let level = level(distance);
            let size = |child: u32| dendrogram.sizes[child as usize];
            let is_large = |child: u32| size(child) as usize >= min_cluster_size;
            if children.iter().all(|&child| is_large(child)) {
                tree.leave(cluster, level, size(node));
                tree.clusters[cluster as usize].is_split = true;
                waiting.extend(children.map(|child| (child, tree.add(Some(cluster), level, size(child)))));
                continue;
            }
            for child in children {
                if is_large(child) {
                    waiting.push((child, cluster));
                } else {
                    tree.fall_out(dendrogram, child, cluster, level);
                }
            }
        }
        tree
    }

    fn add(&mut self, parent: Option<u32>, birth: f64, size: u32) -> u32 {
        self.clusters.push(Cluster { parent, birth, death: birth, size, stability: 0.0, is_split: false });
        self.clusters.len() as u32 - 1
    }

    /// `n_objects` objects leave a cluster at a level.
    fn leave(&mut self, cluster: u32, level: f64, n_objects: u32) {
        let cluster = &mut self.clusters[cluster as usize];
        cluster.death = cluster.death.max(level);
        // Also at infinity, whoever leaves at birth has not stayed.
        if level > cluster.birth {
            cluster.stability += (level - cluster.birth) * f64::from(n_objects);
        }
    }

    /// All points below a node fall out of a cluster.
    fn fall_out(&mut self, dendrogram: &Dendrogram, node: u32, cluster: u32, level: f64) {
        self.leave(cluster, level, dendrogram.sizes[node as usize]);
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            match dendrogram.split(node) {
                Some((children, _)) => waiting.extend(children),
                None => {
                    self.cluster_of[node as usize] = cluster;
                    self.levels[node as usize] = level;
                }
            }
        }
    }
}

/// lambda; infinite at distance 0.
fn level(distance: f64) -> f64 {
    1.0 / distance
}
