/** Growable list of 32-bit integers, which takes a tenth of the memory of a list of objects. */
export class IntList {
  #numbers = new Int32Array(64);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Int32Array(2 * this.length);
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
