import type { JsonObject } from '../ports/json.ts';

/** What JSON has of an object: members that are `undefined` are gone. */
export const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
