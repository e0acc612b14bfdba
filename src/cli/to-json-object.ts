import { InvalidArgumentError } from 'commander';
import { isObject } from '../core/util/is-object.ts';
import { parseJson } from '../core/util/parse-json.ts';
import type { Json, JsonObject } from '../index.ts';

export function toJsonValue(text: string): Json {
  const value = parseJson(text);
  if (value === undefined) throw new InvalidArgumentError('It is not JSON.');
  return value;
}

export function toJsonObject(text: string): JsonObject {
  const value = toJsonValue(text);
  if (isObject(value)) return value;
  throw new InvalidArgumentError('It is not a JSON object.');
}
