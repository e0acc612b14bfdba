/**
 * Assigns to each row a column, or `undefined`. No column is used twice, and the sum of the scores is the maximum. Scores of 0 or less
 * count for nothing. Takes rows² × columns steps (the Hungarian method, with one shortest path per row).
 */
export function bestAssignment(scores: readonly (readonly number[])[], columns: number): readonly (number | undefined)[] {
  const rows = scores.length;
  const cost = (row: number, column: number): number => -Math.max(0, scores[row]?.[column] ?? 0);
  // extra columns allow a row to stay unassigned
  const width = columns + rows;
  const rowPrice = new Float64Array(rows);
  const columnPrice = new Float64Array(width);
  const rowOf = new Int32Array(width).fill(-1);
  for (let first = 0; first < rows; first++) {
    const shortest = new Float64Array(width).fill(Number.POSITIVE_INFINITY);
    const before = new Int32Array(width).fill(-1);
    const done = new Uint8Array(width);
    let row = first;
    let at = -1;
    for (;;) {
      let next = -1;
      for (let column = 0; column < width; column++) {
        if (done[column]) continue;
        const reduced = cost(row, column) - at0(rowPrice, row) - at0(columnPrice, column);
        const along = (at < 0 ? 0 : at0(shortest, at)) + reduced;
        if (along < at0(shortest, column)) {
          shortest[column] = along;
          before[column] = at;
        }
        if (next < 0 || at0(shortest, column) < at0(shortest, next)) next = column;
      }
      done[next] = 1;
      at = next;
      if (at0(rowOf, at) < 0) break;
      row = at0(rowOf, at);
    }
    const length = at0(shortest, at);
    rowPrice[first] = at0(rowPrice, first) + length;
    for (let column = 0; column < width; column++) {
      const owner = at0(rowOf, column);
      if (!done[column] || column === at) continue;
      columnPrice[column] = at0(columnPrice, column) - (length - at0(shortest, column));
      if (owner >= 0) rowPrice[owner] = at0(rowPrice, owner) + (length - at0(shortest, column));
    }
    for (let column = at; column >= 0; ) {
      const previous = at0(before, column);
      rowOf[column] = previous < 0 ? first : at0(rowOf, previous);
      column = previous;
    }
  }
  const result: (number | undefined)[] = new Array(rows).fill(undefined);
  for (let column = 0; column < columns; column++) {
    const row = at0(rowOf, column);
    if (row >= 0 && cost(row, column) < 0) result[row] = column;
  }
  return result;
}

const at0 = (list: Float64Array | Int32Array, index: number): number => list[index] ?? 0;
