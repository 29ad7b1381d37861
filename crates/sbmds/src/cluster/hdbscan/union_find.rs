//! Disjoint sets that can be joined.

/// Sets of the numbers below some n.
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Each number alone.
    pub fn new(len: usize) -> Self {
        Self { parents: (0..len as u32).collect() }
    }

    /// The number that stands for the set of `member`.
    pub fn find(&mut self, mut member: u32) -> u32 {
        while self.parents[member as usize] != member {
            let grandparent = self.parents[self.parents[member as usize] as usize];
            self.parents[member as usize] = grandparent;
            member = grandparent;
        }
        member
    }

    /// Joins two sets; false if they are one already.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[b as usize] = a;
        a != b
    }
}
