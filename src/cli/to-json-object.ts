import { InvalidArgumentError } from 'commander';
import { isObject } from '../core/util/is-object.ts';
import type { Json, JsonObject } from '../index.ts';

export function toJsonValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new InvalidArgumentError('It is not JSON.');
  }
}

export function toJsonObject(text: string): JsonObject {
  const value = toJsonValue(text);
  if (isObject(value)) return value;
  throw new InvalidArgumentError('It is not a JSON object.');
}
