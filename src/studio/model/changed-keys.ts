import type { Json, JsonObject } from '../../core/ports/json.ts';

export interface TreeLine {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly value?: Json;
  /** Number of members of an object or array. */
  readonly size?: string;
  readonly change?: 'added' | 'changed';
}

const deepest = 6;
const most = 400;

/** Converts a state to tree lines, and marks the changes since `before`. */
export function stateLines(state: JsonObject, before: JsonObject | undefined): readonly TreeLine[] {
  const lines: TreeLine[] = [];
  const visit = (value: Json, old: Json | undefined, name: string, path: string, depth: number): void => {
    if (lines.length >= most) return;
    const change = before === undefined || same(value, old) ? undefined : old === undefined ? 'added' : 'changed';
    const line: TreeLine = { path, name, depth, ...(change ? { change } : {}) };
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0 || depth >= deepest) {
      lines.push({ ...line, value });
      return;
    }
    const members = Object.entries(value);
    lines.push({ ...line, size: Array.isArray(value) ? `[${members.length}]` : `{${members.length}}` });
    for (const [key, member] of members) visit(member, memberOf(old, key), key, `${path}/${key}`, depth + 1);
  };
  for (const [key, value] of Object.entries(state)) visit(value, memberOf(before, key), key, key, 0);
  return lines;
}

const same = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
