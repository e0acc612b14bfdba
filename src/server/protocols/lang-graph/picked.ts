import type { JsonObject } from '../../../core/ports/json.ts';

/** Only the selected fields of an object; all without a selection. */
export const picked = (object: JsonObject, select: readonly string[] | null | undefined): JsonObject =>
  select ? Object.fromEntries(Object.entries(object).filter(([key]) => select.includes(key))) : object;
