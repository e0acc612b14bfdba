import type { Storable } from '../ports/json.ts';
import { toJson } from './to-json.ts';

/**
 * Like `toJson`, for a value whose type guarantees that JSON preserves it; the copy keeps the type.
 *
 * @throws {WorkflowError} `VALUE_NOT_JSON`, `OUTPUT_TOO_LARGE`, because a type can be wrong.
 */
export const frozenCopy = <T>(value: T & Storable<T>, name: string, maxBytes?: number): T => toJson(value, name, maxBytes) as T;
