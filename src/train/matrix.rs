//! Matrix products on all cores. Each value is summed by one thread, in an order that depends only on the shapes, so
//! the result is the same on any number of cores.

use rayon::prelude::*;

/// Rows computed by one task: half of a batch of questions, so that two cores share it.
const ROWS: usize = 16;

/// A matrix stored row by row, read as it is or transposed.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    values: &'a [f32],
    /// The distance between two rows, and between two columns.
    strides: [usize; 2],
}

impl<'a> Side<'a> {
    /// A matrix with rows of length `columns`.
    pub fn plain(values: &'a [f32], columns: usize) -> Self {
        Side { values, strides: [columns, 1] }
    }

    /// The transpose of a matrix with rows of length `rows`.
    pub fn transposed(values: &'a [f32], rows: usize) -> Self {
        Side { values, strides: [1, rows] }
    }

    /// Whether the values cover `rows` by `columns` elements.
    fn holds(&self, rows: usize, columns: usize) -> bool {
        rows == 0 || columns == 0 || (rows - 1) * self.strides[0] + (columns - 1) * self.strides[1] < self.values.len()
    }
}

/// `scale · a · b`, where `a` has `rows` rows and `inner` columns, and `b` has `columns` columns.
pub(super) fn multiply([rows, inner, columns]: [usize; 3], scale: f32, a: Side<'_>, b: Side<'_>) -> Vec<f32> {
    let mut out = vec![0f32; rows * columns];
    add_product([rows, inner, columns], scale, a, b, &mut out);
    out
}

/// Adds `scale · a · b` to `out`.
pub(super) fn add_product([rows, inner, columns]: [usize; 3], scale: f32, a: Side<'_>, b: Side<'_>, out: &mut [f32]) {
    assert!(
        a.holds(rows, inner) && b.holds(inner, columns) && out.len() == rows * columns,
        "matrices of other sizes than said"
    );
    if rows * inner * columns == 0 {
        return;
    }
    out.par_chunks_mut(ROWS * columns).enumerate().for_each(|(task, out)| {
        let first = task * ROWS;
        let count = out.len() / columns;
        let start = &a.values[first * a.strides[0]..];
        // SAFETY: `holds` was checked for all rows above, `start` begins at this task's first row and `count` rows end
        // at or before the last; `out` has `count` rows of `columns` values and is borrowed by this task alone.
        unsafe {
            matrixmultiply::sgemm(
                count,
                inner,
                columns,
                scale,
                start.as_ptr(),
                a.strides[0] as isize,
                a.strides[1] as isize,
                b.values.as_ptr(),
                b.strides[0] as isize,
                b.strides[1] as isize,
                1.0,
                out.as_mut_ptr(),
                columns as isize,
                1,
            );
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_a_naive_loop() {
        let (rows, inner, columns) = (150, 7, 5);
        let a: Vec<f32> = (0..rows * inner).map(|at| ((at * 37) % 11) as f32 - 5.0).collect();
        let b: Vec<f32> = (0..inner * columns).map(|at| ((at * 29) % 13) as f32 - 6.0).collect();
        let expected: Vec<f32> = (0..rows * columns)
            .map(|at| (0..inner).map(|i| a[at / columns * inner + i] * b[i * columns + at % columns]).sum())
            .collect();
        let transpose = |values: &[f32], columns: usize| -> Vec<f32> {
            let rows = values.len() / columns;
            (0..values.len()).map(|at| values[at % rows * columns + at / rows]).collect()
        };
        let shape = [rows, inner, columns];
        assert_eq!(multiply(shape, 1.0, Side::plain(&a, inner), Side::plain(&b, columns)), expected);
        let (at, bt) = (transpose(&a, inner), transpose(&b, columns));
        assert_eq!(multiply(shape, 1.0, Side::transposed(&at, rows), Side::transposed(&bt, inner)), expected);
    }

    #[test]
    fn nothing_times_nothing_is_nothing() {
        assert_eq!(multiply([2, 0, 2], 1.0, Side::plain(&[], 0), Side::plain(&[], 2)), [0.0; 4]);
        assert!(multiply([0, 3, 2], 1.0, Side::plain(&[], 3), Side::plain(&[0.0; 6], 2)).is_empty());
    }
}
