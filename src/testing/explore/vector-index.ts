import { IntList } from './int-list.ts';

/** Finds places by their configuration and the classes of their keys. Vectors of one index have the same length. */
export class VectorIndex {
  /** Places, counted from 1, by the hash of their vectors; 0 is an empty slot. The number of slots is a power of two. */
  #slots = new Int32Array(64);
  /** Configuration and classes of each place, one after the other. */
  readonly #vectors = new IntList();
  #size = 0;
  /** Length of each vector. */
  #length = 0;

  find(configuration: number, vector: ArrayLike<number>): number | undefined {
    const place = this.#slots[this.#slotOf(configuration, vector)] ?? 0;
    return place === 0 ? undefined : place - 1;
  }

  /** Returns the place of a vector, which is the next one if the vector is new: places are counted from 0. */
  findOrAdd(configuration: number, vector: ArrayLike<number>): number {
    if (2 * this.#size >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(configuration, vector);
    const place = this.#slots[slot] ?? 0;
    if (place > 0) return place - 1;
    this.#length = vector.length;
    this.#vectors.push(configuration);
    for (let at = 0; at < vector.length; at++) this.#vectors.push(vector[at] ?? 0);
    this.#size++;
    this.#slots[slot] = this.#size;
    return this.#size - 1;
  }

  /** Returns the class at an index of the vector of a place. */
  classAt(place: number, index: number): number {
    return this.#vectors.at(place * (this.#length + 1) + 1 + index);
  }

  /** Returns where a vector is, or where it would be. */
  #slotOf(configuration: number, vector: ArrayLike<number>): number {
    const mask = this.#slots.length - 1;
    let hash = hashed(0, configuration);
    for (let at = 0; at < vector.length; at++) hash = hashed(hash, vector[at] ?? 0);
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot] ?? 0;
      if (place === 0 || this.#isAt((place - 1) * (vector.length + 1), configuration, vector)) return slot;
    }
  }

  #isAt(start: number, configuration: number, vector: ArrayLike<number>): boolean {
    if (this.#vectors.at(start) !== configuration) return false;
    for (let at = 0; at < vector.length; at++) if (this.#vectors.at(start + 1 + at) !== vector[at]) return false;
    return true;
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let place = 0; place < this.#size; place++) {
      let hash = 0;
      const start = place * (this.#length + 1);
      for (let at = start; at <= start + this.#length; at++) hash = hashed(hash, this.#vectors.at(at));
      let slot = spread(hash) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = place + 1;
    }
    this.#slots = slots;
  }
}

const hashed = (hash: number, part: number): number => (Math.imul(hash ^ part, 0x9e3779b1) + 0x7f4a7c15) | 0;

const spread = (hash: number): number => (hash ^ (hash >>> 15) ^ (hash >>> 24)) >>> 0;
