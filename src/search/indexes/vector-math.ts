/** Returns the vector at length 1, or `undefined` for the zero vector, which has no direction. */
export function unitOf(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return undefined;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/**
 * Returns the dot product of `unit` and the vector of the same length at `offset`. For unit vectors this is their cosine.
 *
 * @param unit in 64 bits: all others are compared with this vector, and it need not be widened each time
 */
export function dot(unit: Float64Array, vectors: Float32Array, offset = 0): number {
  // four sums, because an addition has more latency than a multiplication; so no addition waits for the previous one
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < unit.length; i += 4) {
    a += (unit[i] as number) * (vectors[offset + i] as number);
    b += (unit[i + 1] as number) * (vectors[offset + i + 1] as number);
    c += (unit[i + 2] as number) * (vectors[offset + i + 2] as number);
    d += (unit[i + 3] as number) * (vectors[offset + i + 3] as number);
  }
  for (; i < unit.length; i++) a += (unit[i] as number) * (vectors[offset + i] as number);
  return a + b + (c + d);
}
