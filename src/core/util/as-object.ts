import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from './is-object.ts';

/** Returns a JSON object unchanged, and an empty object for any other JSON. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
