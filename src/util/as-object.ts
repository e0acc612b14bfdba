import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from './is-object.ts';

/** JSON as an object, to look for its members: one without any when it is no object. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
