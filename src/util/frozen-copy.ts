import type { Storable } from '../ports/json.ts';
import { toJson } from './to-json.ts';

/**
 * As `toJson`, for a value whose type says that JSON keeps it: the copy has that type, too.
 *
 * @throws {WorkflowError} `VALUE_NOT_JSON`, `OUTPUT_TOO_LARGE`: a type can be wrong.
 */
export const frozenCopy = <T>(value: T & Storable<T>, name: string, maxBytes?: number): T => toJson(value, name, maxBytes) as T;
