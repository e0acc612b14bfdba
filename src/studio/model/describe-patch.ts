import type { Json } from '../../core/ports/json.ts';
import { oneLine } from './one-line.ts';

/** Bookkeeping fields of all workflows, which are not shown. */
const internalFields = new Set(['taint', 'messages', 'usage', 'currentDatetime', 'steps', 'decisions', 'contractHash']);

/** Summary of a node's changes: `plan 2 · needsTool`. */
export function describePatch(patch: Json | undefined): string {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return '';
  const parts = Object.entries(patch).flatMap(([key, value]) => (internalFields.has(key) ? [] : describeField(key, value)));
  return parts.slice(0, 3).join(' · ');
}

function describeField(key: string, value: Json): readonly string[] {
  if (value === true) return [key];
  if (typeof value === 'number') return [`${key} ${value}`];
  if (typeof value === 'string' && value !== '') return [`${key}: ${oneLine(value, 48)}`];
  if (Array.isArray(value) && value.length > 0) return [`${key} ${value.length}`];
  return [];
}
