import { embedderInvalid } from './embedder-errors.ts';

/**
 * Validates an external vector and scales it to length 1.
 * @throws {WorkflowError} `EMBEDDER_INVALID` for a vector of another length, with a number that is not finite, or of zeros.
 */
export function unitVector(name: string, values: ArrayLike<unknown>, dimensions: number): Float32Array {
  if (values.length !== dimensions) throw embedderInvalid(name, `a vector has ${values.length} numbers, not ${dimensions}`);
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (let i = 0; i < dimensions; i++) {
    const value = values[i];
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw embedderInvalid(name, 'a vector has a value that is not a finite number');
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  if (length === 0 || !Number.isFinite(length)) throw embedderInvalid(name, 'a vector has no direction');
  // divided before rounding to 32 bits, which turns 1e-40 into 0
  for (let i = 0; i < dimensions; i++) vector[i] = Number(values[i]) / length;
  return vector;
}
