/** A value that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * `T`, as far as JSON keeps it: an interface, a list that is read-only, optional members. What JSON would lose or change, such as a date, a
 * map, a function or `undefined`, does not fit. Taken as `value: T & Storable<T>`.
 */
export type Storable<T> = T extends Json ? T : StorableMembers<T>;

type StorableMembers<T> = T extends NotJson ? never : { readonly [K in keyof T]: Storable<T[K]> };

// biome-ignore lint/suspicious/noConfusingVoidType: what a function returns that returns nothing
type NotJson = bigint | symbol | undefined | void | ((...given: never[]) => unknown);

/**
 * `T` restricted to what JSON preserves: interfaces, read-only lists and optional members fit. Dates, maps, functions and `undefined` do
 * not. Use it as `value: T & Storable<T>`.
 */
export type JsonSchema = JsonObject | boolean;
