/** Steps from each end before a stretch is divided at the best place so far, which bounds the cost for texts without anything in common. */
const maxSteps = 512;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Returns for each member of `a` its partner in `b`, or -1. Partners only rise, and their number is maximal unless the two differ very much
 * (Myers' O(ND) method in linear space).
 */
export function alignSequences(a: Int32Array, b: Int32Array): Int32Array {
  const partners = new Int32Array(a.length).fill(-1);
  const forward = new Int32Array(a.length + b.length + 3);
  const backward = new Int32Array(a.length + b.length + 3);
  const open: Box[] = [{ left: 0, right: a.length, top: 0, bottom: b.length }];
  for (let box = open.pop(); box; box = open.pop()) {
    let { left, right, top, bottom } = box;
    while (left < right && top < bottom && a[left] === b[top]) partners[left++] = top++;
    while (left < right && top < bottom && a[right - 1] === b[bottom - 1]) partners[--right] = --bottom;
    if (left === right || top === bottom) continue;
    const { x, y } = middleOf(a, b, { left, right, top, bottom }, { forward, backward });
    open.push({ left, right: x, top, bottom: y }, { left: x, right, top: y, bottom });
  }
  return partners;
}

/** A point on a shortest path between two corners. Diagonals are numbered x - y and shifted by `b.length + 1` in the fronts. */
function middleOf(
  a: Int32Array,
  b: Int32Array,
  { left, right, top, bottom }: Box,
  { forward, backward }: { readonly forward: Int32Array; readonly backward: Int32Array },
): { readonly x: number; readonly y: number } {
  const shift = b.length + 1;
  const [lowest, highest] = [left - bottom, right - top];
  const [first, last] = [left - top, right - bottom];
  const isOdd = ((first - last) & 1) !== 0;
  let [fromLow, fromHigh, toLow, toHigh] = [first, first, last, last];
  forward[first + shift] = left;
  backward[last + shift] = right;
  for (let steps = 1; ; steps++) {
    if (fromLow > lowest) forward[--fromLow - 1 + shift] = -1;
    else fromLow++;
    if (fromHigh < highest) forward[++fromHigh + 1 + shift] = -1;
    else fromHigh--;
    for (let d = fromHigh; d >= fromLow; d -= 2) {
      let x = Math.max(at(forward, d + 1 + shift), at(forward, d - 1 + shift) + 1);
      while (x < right && x - d < bottom && a[x] === b[x - d]) x++;
      forward[d + shift] = x;
      if (isOdd && toLow <= d && d <= toHigh && at(backward, d + shift) <= x) return { x, y: x - d };
    }
    if (toLow > lowest) backward[--toLow - 1 + shift] = maxPlace;
    else toLow++;
    if (toHigh < highest) backward[++toHigh + 1 + shift] = maxPlace;
    else toHigh--;
    for (let d = toHigh; d >= toLow; d -= 2) {
      let x = Math.min(at(backward, d - 1 + shift), at(backward, d + 1 + shift) - 1);
      while (x > left && x - d > top && a[x - 1] === b[x - d - 1]) x--;
      backward[d + shift] = x;
      if (!isOdd && fromLow <= d && d <= fromHigh && x <= at(forward, d + shift)) return { x, y: x - d };
    }
    if (steps >= maxSteps) return farthest(forward, { low: fromLow, high: fromHigh, right, bottom, shift });
  }
}

const maxPlace = 0x7ffffffe;
const at = (list: Int32Array, index: number): number => list[index] ?? 0;

function farthest(
  front: Int32Array,
  { low, high, right, bottom, shift }: { low: number; high: number; right: number; bottom: number; shift: number },
): { readonly x: number; readonly y: number } {
  let best = { x: 0, y: -1 };
  for (let d = high; d >= low; d -= 2) {
    const x = Math.min(at(front, d + shift), right, bottom + d);
    if (x + x - d > best.x + best.y) best = { x, y: x - d };
  }
  return best;
}
