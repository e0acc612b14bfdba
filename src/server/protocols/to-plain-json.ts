import type { JsonObject } from '../../core/ports/json.ts';

/** Copies an object as JSON, which drops `undefined` members. */
export const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
