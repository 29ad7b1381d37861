//! The messages between ranks: five collective calls of MPI, begun and then waited for ([`crate::wait`]), and no
//! sums by MPI, whose order nobody fixes.

use std::ops::Range;

use mpi::datatype::{Partition, PartitionMut};
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use sbmds::likelihood::{Arithmetic, Likelihood, PartialSums, Parts, Want};

use crate::message::{Command, HEAD};
use crate::wait::until_done;

/// All ranks.
pub fn world() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

/// This rank's number.
pub fn rank() -> usize {
    world().rank() as usize
}

/// How many ranks there are.
pub fn n_ranks() -> usize {
    world().size() as usize
}

/// Rank 0 tells all others what to do.
pub fn tell(command: Command) {
    spread(&mut command.head());
}

/// The next command of rank 0.
pub fn listen() -> Command {
    let mut head = [0.0; HEAD];
    spread(&mut head);
    Command::of(head)
}

/// Rank 0's numbers become everybody's.
pub fn spread(numbers: &mut [f64]) {
    scope(|scope| until_done(world().process_at_rank(0).immediate_broadcast_into(scope, numbers)));
}

/// Rank 0's bytes become everybody's.
pub fn spread_bytes(bytes: &mut [u8]) {
    scope(|scope| until_done(world().process_at_rank(0).immediate_broadcast_into(scope, bytes)));
}

/// Nobody goes on before all are here.
pub fn meet() {
    until_done(world().immediate_barrier());
}

/// The texts of all ranks, at rank 0; nothing elsewhere.
pub fn gather_texts(text: &str) -> Vec<String> {
    let world = world();
    let root = world.process_at_rank(0);
    let length = text.len() as i32;
    if rank() != 0 {
        scope(|scope| until_done(root.immediate_gather_into(scope, &length)));
        scope(|scope| until_done(root.immediate_gather_varcount_into(scope, text.as_bytes())));
        return Vec::new();
    }
    let mut lengths = vec![0_i32; n_ranks()];
    scope(|scope| until_done(root.immediate_gather_into_root(scope, &length, &mut lengths[..])));
    let starts = starts_of(&lengths);
    let mut all = vec![0_u8; lengths.iter().map(|&length| length as usize).sum()];
    let mut into = PartitionMut::new(&mut all[..], &lengths[..], &starts[..]);
    scope(|scope| until_done(root.immediate_gather_varcount_into_root(scope, text.as_bytes(), &mut into)));
    let text_of = |(&start, &length): (&i32, &i32)| {
        String::from_utf8_lossy(&all[start as usize..(start + length) as usize]).into_owned()
    };
    starts.iter().zip(&lengths).map(text_of).collect()
}

fn starts_of(lengths: &[i32]) -> Vec<i32> {
    let sums = lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end - length)
    });
    sums.collect()
}

/// One exchange for each arithmetic, whose trees of sums may differ.
pub struct Exchanges {
    double: Exchange,
    single: Exchange,
}

impl Exchanges {
    /// Of a likelihood of which this rank holds a share.
    pub fn of(share: &Likelihood) -> Self {
        let size = share.n_objects() * share.n_dims();
        let exchange = |arithmetic| Exchange::new(Parts::new(share.n_leaves(arithmetic), n_ranks()), size);
        Self { double: exchange(Arithmetic::F64), single: exchange(Arithmetic::F32) }
    }

    /// That of an arithmetic.
    pub fn get(&mut self, arithmetic: Arithmetic) -> &mut Exchange {
        match arithmetic {
            Arithmetic::F64 => &mut self.double,
            Arithmetic::F32 => &mut self.single,
        }
    }
}

/// How the branches of all ranks become one gradient at rank 0: every rank adds up one slice of it.
///
/// A rank sends each other rank that one's slice of its branches, adds what it gets along the tree, and sends the sum to rank 0:
/// 2 N D numbers each way for one branch per rank, as much as an all-reduce.
pub struct Exchange {
    parts: Parts,
    /// Numbers of a gradient.
    size: usize,
    send: Vec<f64>,
    receive: Vec<f64>,
    /// The slice of this rank with the sums beside the gradient, to be gathered.
    slice: Vec<f64>,
    gathered: Vec<f64>,
}

/// Numbers beside the gradient, of each branch.
const BESIDE: usize = 2;

impl Exchange {
    /// For gradients of `size` numbers.
    fn new(parts: Parts, size: usize) -> Self {
        Self { parts, size, send: Vec::new(), receive: Vec::new(), slice: Vec::new(), gathered: Vec::new() }
    }

    /// The branches of the ranks.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Branches of the rank that has most.
    pub fn most_branches(&self) -> usize {
        (0..n_ranks()).map(|rank| self.n_branches(rank)).max().unwrap_or(0)
    }

    /// Makes room for the gradients of this rank's branches, if they are wanted.
    pub fn make_room(&self, want: Want, branches: &mut Vec<f64>) {
        branches.resize(if want.gradient() { self.n_branches(rank()) * self.size } else { 0 }, 0.0);
    }

    fn slice_of(&self, rank: usize) -> Range<usize> {
        rank * self.size / n_ranks()..(rank + 1) * self.size / n_ranks()
    }

    fn n_branches(&self, rank: usize) -> usize {
        self.parts.of(rank).len()
    }

    /// Joins the branches of this rank, one gradient of each in `branches` if any is wanted, with those of all others. At rank 0
    /// `gradient` and the sums returned are those of all pairs.
    pub fn join(&mut self, want: Want, branches: &[f64], sums: &[PartialSums], gradient: &mut [f64]) -> PartialSums {
        self.slice.clear();
        if want.gradient() {
            self.trade(branches);
            self.add_slices();
        }
        self.slice.extend(sums.iter().flat_map(|sum| [sum.energy, sum.pull]));
        let world = world();
        let root = world.process_at_rank(0);
        if rank() != 0 {
            scope(|scope| until_done(root.immediate_gather_varcount_into(scope, &self.slice[..])));
            return PartialSums::default();
        }
        let of_slice = |rank| if want.gradient() { self.slice_of(rank).len() } else { 0 };
        let lengths: Vec<i32> =
            (0..n_ranks()).map(|rank| (of_slice(rank) + BESIDE * self.n_branches(rank)) as i32).collect();
        self.gathered.resize(lengths.iter().map(|&length| length as usize).sum(), 0.0);
        let starts = starts_of(&lengths);
        let mut into = PartitionMut::new(&mut self.gathered[..], &lengths[..], &starts[..]);
        scope(|scope| until_done(root.immediate_gather_varcount_into_root(scope, &self.slice[..], &mut into)));
        self.unpack(want, gradient)
    }

    /// Every rank gets its slice of the branches of all ranks.
    fn trade(&mut self, branches: &[f64]) {
        let n_mine = self.n_branches(rank());
        self.send.clear();
        for to in 0..n_ranks() {
            let slice = self.slice_of(to);
            for branch in branches.chunks_exact(self.size) {
                self.send.extend_from_slice(&branch[slice.clone()]);
            }
        }
        let length_of_mine = self.slice_of(rank()).len();
        let sent: Vec<i32> = (0..n_ranks()).map(|to| (n_mine * self.slice_of(to).len()) as i32).collect();
        let received: Vec<i32> = (0..n_ranks()).map(|from| (self.n_branches(from) * length_of_mine) as i32).collect();
        self.receive.resize(received.iter().map(|&length| length as usize).sum(), 0.0);
        let (starts_sent, starts_received) = (starts_of(&sent), starts_of(&received));
        let from = Partition::new(&self.send[..], &sent[..], &starts_sent[..]);
        let mut into = PartitionMut::new(&mut self.receive[..], &received[..], &starts_received[..]);
        scope(|scope| until_done(world().immediate_all_to_all_varcount_into(scope, &from, &mut into)));
    }

    /// Adds the slices of all branches along the tree.
    fn add_slices(&mut self) {
        let length = self.slice_of(rank()).len();
        if length == 0 {
            return;
        }
        let mut slices: Vec<&mut [f64]> = self.receive.chunks_exact_mut(length).collect();
        self.parts.join(&mut slices, |left, right| {
            left.iter_mut().zip(&**right).for_each(|(left, right)| *left += right);
        });
        self.slice.extend_from_slice(&self.receive[..length]);
    }

    /// What rank 0 gathered: slices of the gradient, and the sums of every branch.
    fn unpack(&self, want: Want, gradient: &mut [f64]) -> PartialSums {
        let (mut sums, mut rest) = (Vec::new(), &self.gathered[..]);
        for rank in 0..n_ranks() {
            if want.gradient() {
                let slice = self.slice_of(rank);
                gradient[slice.clone()].copy_from_slice(&rest[..slice.len()]);
                rest = &rest[slice.len()..];
            }
            let (of_rank, others) = rest.split_at(BESIDE * self.n_branches(rank));
            sums.extend(of_rank.chunks_exact(BESIDE).map(|sum| PartialSums { energy: sum[0], pull: sum[1] }));
            rest = others;
        }
        self.parts.join(&mut sums, |left, right| *left += *right);
        sums[0]
    }
}
