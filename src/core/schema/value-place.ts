import type { Json } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';
import { escapePointer } from '../util/json-pointer.ts';

/** A value inside the checked value, and its path. */
export class Place {
  readonly value: Json;
  readonly path: string;
  /** Member names of objects, or indexes of lists. */
  readonly keys: readonly string[];
  readonly isList: boolean;
  readonly isObject: boolean;
  #members: Map<string, Place> | undefined;
  #size: number | undefined;

  constructor(value: Json, path = '') {
    this.value = value;
    this.path = path;
    this.isList = Array.isArray(value);
    this.isObject = isObject(value);
    this.keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  }

  has(key: string): boolean {
    return isObject(this.value) && Object.hasOwn(this.value, key);
  }

  member(key: string): Place {
    this.#members ??= new Map();
    const known = this.#members.get(key);
    if (known) return known;
    const made = new Place(this.#read(key), `${this.path}/${escapePointer(key)}`);
    this.#members.set(key, made);
    return made;
  }

  /** True when the member is an object or a list. */
  hasMembers(key: string): boolean {
    const value = this.#read(key);
    return typeof value === 'object' && value !== null;
  }

  #read(key: string): Json {
    const { value } = this;
    if (Array.isArray(value)) return (value as readonly Json[])[Number(key)] ?? null;
    return isObject(value) ? (value[key] ?? null) : null;
  }

  /** Number of values in it, itself included. */
  get size(): number {
    this.#size ??= this.keys.reduce((sum, key) => sum + this.member(key).size, 1);
    return this.#size;
  }
}
