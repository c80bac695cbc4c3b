//! The best parameters: Newton's method with halved steps.
//!
//! Those of one set of counts are the strengths, then the order effect, then the side effect. One that is not fitted is pinned to
//! its start.

use super::table::{Cell, Count};

/// The last step is at most this long; as the error is squared by each, what is left of it is rounding.
const LAST_STEP: f64 = 1e-9;
/// Six steps are usual. Where no finite best fit exists, each moves by about one, without end.
const STEPS: usize = 60;
/// A step is halved at most so often.
const HALVINGS: usize = 40;
/// A pivot below this share of the largest one is no longer told from zero.
const SINGULAR: f64 = 1e-13;

/// What is to be fitted.
pub(super) struct Problem<'a> {
    pub(super) cells: &'a [Cell],
    pub(super) counts: &'a [Count],
    pub(super) entities: usize,
    /// Sets of entities whose strengths have a fixed sum.
    pub(super) blocks: &'a [Vec<usize>],
    /// By parameter: whether it is fitted.
    pub(super) free: &'a [bool],
    /// By parameter: what half its square costs.
    pub(super) ridge: &'a [f64],
}

/// The loss of parameters with its derivatives; the Hessian by rows, lower half only.
pub(super) struct Point {
    loss: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Vec<f64>,
}

/// Searches the least loss from `start`; `None` if no finite best fit was found.
pub(super) fn solve(start: &[f64], point_at: impl Fn(&[f64]) -> Point) -> Option<Vec<f64>> {
    let mut parameters = start.to_vec();
    let mut point = point_at(&parameters);
    for _ in 0..STEPS {
        let step = descent(point.hessian, &point.gradient)?;
        if step.iter().all(|part| part.abs() <= LAST_STEP) {
            return Some(moved(&parameters, &step, 1.0));
        }
        (parameters, point) = walk(&parameters, point.loss, &step, &point_at)?;
    }
    None
}

/// Goes the step, or as much of it as does not lead upwards.
fn walk(
    from: &[f64],
    loss: f64,
    step: &[f64],
    point_at: impl Fn(&[f64]) -> Point,
) -> Option<(Vec<f64>, Point)> {
    let bound = loss + 1e-12 * loss.abs();
    (0..HALVINGS).find_map(|halvings| {
        let to = moved(from, step, 0.5_f64.powi(halvings as i32));
        let point = point_at(&to);
        (point.loss <= bound).then_some((to, point))
    })
}

impl Point {
    /// No loss, for this many parameters.
    pub(super) fn new(size: usize) -> Self {
        Self { loss: 0.0, gradient: vec![0.0; size], hessian: vec![0.0; size * size] }
    }

    /// Adds the negative log-likelihood of `games` between the same two, `games * ln(1 + e^d) - score * d`. `columns` are the
    /// parameters that `d` depends on, in ascending order, with their factors.
    pub(super) fn add_games(
        &mut self,
        parameters: &[f64],
        columns: &[(usize, f64)],
        Count { games, score }: Count,
    ) {
        let size = parameters.len();
        let d: f64 = columns.iter().map(|(at, x)| parameters[*at] * x).sum();
        let small = (-d.abs()).exp();
        let chance = if d < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
        self.loss += games * (d.max(0.0) + small.ln_1p()) - score * d;
        let slope = games * chance - score;
        let bend = games * small / ((1.0 + small) * (1.0 + small));
        for (nth, (at, x)) in columns.iter().enumerate() {
            self.gradient[*at] += slope * x;
            for (other, y) in &columns[..=nth] {
                self.hessian[at * size + other] += bend * x * y;
            }
        }
    }

    /// Adds what half the square of a parameter costs.
    pub(super) fn add_ridge(&mut self, at: usize, value: f64, ridge: f64) {
        self.loss += 0.5 * ridge * value * value;
        self.gradient[at] += ridge * value;
        self.hessian[at * self.gradient.len() + at] += ridge;
    }

    /// Keeps a parameter that nothing depends on where it is.
    fn pin(&mut self, at: usize) {
        self.hessian[at * self.gradient.len() + at] += 1.0;
    }

    /// Adds `11ᵀ/K` for a block: what is free otherwise, its sum, stays where it is.
    pub(super) fn fix_sum(&mut self, block: &[usize]) {
        let (size, share) = (self.gradient.len(), 1.0 / block.len() as f64);
        for (nth, row) in block.iter().enumerate() {
            for column in &block[..=nth] {
                self.hessian[row * size + column] += share;
            }
        }
    }
}

impl Problem<'_> {
    /// The loss, its gradient and its Hessian at these parameters.
    pub(super) fn point(&self, parameters: &[f64]) -> Point {
        let mut point = Point::new(parameters.len());
        let held = self.cells.iter().zip(self.counts);
        for (cell, count) in held.filter(|(_, count)| count.games > 0.0) {
            point.add_games(parameters, &self.columns(cell), *count);
        }
        for (at, value) in parameters.iter().enumerate() {
            point.add_ridge(at, *value, self.ridge[at]);
            if !self.free[at] {
                point.pin(at);
            }
        }
        for block in self.blocks {
            point.fix_sum(block);
        }
        point
    }

    /// The parameters that a cell depends on, in ascending order, with their factors.
    fn columns(&self, cell: &Cell) -> [(usize, f64); 4] {
        let strength = f64::from(!cell.own());
        let effect =
            |at: usize, value: i8| (at, if self.free[at] { f64::from(value) } else { 0.0 });
        [
            (cell.a, strength),
            (cell.b, -strength),
            effect(self.entities, cell.places[0]),
            effect(self.entities + 1, cell.places[1]),
        ]
    }
}

/// The chance of winning that log-odds stand for.
pub(super) fn probability(logits: f64) -> f64 {
    1.0 / (1.0 + (-logits).exp())
}

fn moved(from: &[f64], step: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(step).map(|(x, part)| x + share * part).collect()
}

/// Solves `hessian * step = -gradient` by Cholesky; `None` where the matrix is not positive definite.
pub(super) fn descent(hessian: Vec<f64>, gradient: &[f64]) -> Option<Vec<f64>> {
    let size = gradient.len();
    let lower = cholesky(hessian, size)?;
    let mut step: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    for row in 0..size {
        let done: f64 = (0..row).map(|at| lower[row * size + at] * step[at]).sum();
        step[row] = (step[row] - done) / lower[row * size + row];
    }
    for row in (0..size).rev() {
        let done: f64 = (row + 1..size).map(|at| lower[at * size + row] * step[at]).sum();
        step[row] = (step[row] - done) / lower[row * size + row];
    }
    Some(step)
}

fn cholesky(mut matrix: Vec<f64>, size: usize) -> Option<Vec<f64>> {
    let largest = (0..size).map(|at| matrix[at * size + at]).fold(0.0, f64::max);
    for row in 0..size {
        for column in 0..=row {
            let done: f64 =
                (0..column).map(|at| matrix[row * size + at] * matrix[column * size + at]).sum();
            let rest = matrix[row * size + column] - done;
            matrix[row * size + column] = if column < row {
                rest / matrix[column * size + column]
            } else if rest > SINGULAR * largest {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(matrix)
}
