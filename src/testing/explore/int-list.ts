/** Growable list of 32-bit integers, which takes a tenth of the memory of a list of objects. */
export class IntList {
  #numbers: Int32Array;
  length = 0;

  /** @param capacity Number of integers for which there is room at first. */
  constructor(capacity: number = 64) {
    this.#numbers = new Int32Array(capacity);
  }

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Int32Array(Math.max(64, 2 * this.length));
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length++] = number;
  }

  set(index: number, number: number): void {
    this.#numbers[index] = number;
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0;
  }
}
