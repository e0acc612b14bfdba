const texts = new WeakMap<object, string>();

/** Returns an object as JSON. The text is made once, because values of states do not change. */
export function textOfObject(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Numbers by value. */
export class Known {
  readonly #simple = new Map<unknown, number>();
  readonly #objects = new WeakMap<object, number>();
  readonly #texts = new Map<string, number>();

  get(value: unknown): number | undefined {
    if (typeof value !== 'object' || value === null) return this.#simple.get(value);
    const found = this.#objects.get(value);
    if (found !== undefined) return found;
    const equal = this.#texts.get(textOfObject(value));
    if (equal !== undefined) this.#objects.set(value, equal);
    return equal;
  }

  set(value: unknown, id: number): void {
    if (typeof value !== 'object' || value === null) {
      this.#simple.set(value, id);
      return;
    }
    this.#objects.set(value, id);
    this.#texts.set(textOfObject(value), id);
  }
}
