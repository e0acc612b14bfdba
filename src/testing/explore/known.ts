const texts = new WeakMap<object, string>();

/** Returns an object as JSON. The text is made once, because values of states do not change. */
export function textOfObject(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Integers below it are found in a list, which is faster than a map. */
const maxListed = 1_024;

/** What is known about values, by value: equal lists and objects are one. */
export class Known<T = number> {
  readonly #integers: (T | undefined)[] = [];
  readonly #simple = new Map<unknown, T>();
  readonly #objects = new WeakMap<object, T>();
  readonly #texts = new Map<string, T>();

  get(value: unknown): T | undefined {
    if (isListed(value)) return this.#integers[value];
    if (typeof value !== 'object' || value === null) return this.#simple.get(value);
    const found = this.#objects.get(value);
    if (found !== undefined) return found;
    const equal = this.#texts.get(textOfObject(value));
    if (equal !== undefined) this.#objects.set(value, equal);
    return equal;
  }

  set(value: unknown, known: T): void {
    if (isListed(value)) {
      this.#integers[value] = known;
    } else if (typeof value !== 'object' || value === null) {
      this.#simple.set(value, known);
    } else {
      this.#objects.set(value, known);
      this.#texts.set(textOfObject(value), known);
    }
  }
}

const isListed = (value: unknown): value is number => typeof value === 'number' && value >>> 0 === value && value < maxListed;
