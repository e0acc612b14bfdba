import { shorten } from '../errors/shorten.ts';
import type { Json } from '../ports/json.ts';
import type { SchemaIssue } from '../ports/schema-validator.ts';
import { isObject } from '../util/is-object.ts';
import { unescapePointer } from '../util/json-pointer.ts';
import { type Finding, unknownArgument } from './schema-finding.ts';
import type { Place } from './value-place.ts';

/** Limit of the report; a large value can have a million issues. */
const maxIssues = 1_000;
const maxMessageLength = 300;
const maxNameLength = 100;
const maxPathLength = 300;

/** Violations and undeclared members, each once, in the order of their places in the value. */
export function toIssues(findings: readonly Finding[], undeclared: readonly Place[], value: Json): readonly SchemaIssue[] {
  const issues = new Map<string, SchemaIssue>();
  for (const { path } of undeclared.slice(0, maxIssues))
    issues.set(path, { path, keyword: 'additionalProperties', message: unknownArgument });
  for (const { path, keyword, message: found } of findings) {
    if (issues.size >= maxIssues) break;
    const message = shorten(found, maxMessageLength);
    const key = message === unknownArgument ? path : `${path} ${keyword} ${message}`;
    if (!issues.has(key)) issues.set(key, { path, keyword, message });
  }
  const positions = positionsIn(value);
  const placed = [...issues.values()].map((issue) => ({ issue, position: positions(issue.path) }));
  placed.sort((one, other) => compare(one.position, other.position));
  return placed.map(({ issue }) => ({ ...issue, path: shortenPath(issue.path) }));
}

function shortenPath(path: string): string {
  if (path.length <= maxNameLength) return path;
  const names = path.split('/').map((name) => shorten(name, maxNameLength));
  return shorten(names.join('/'), maxPathLength);
}

/** Converts a path to the position of each member in its parent. */
function positionsIn(value: Json): (path: string) => readonly number[] {
  const numbers = new Map<object, ReadonlyMap<string, number>>();
  const numberOf = (parent: object, key: string): number => {
    const known = numbers.get(parent) ?? new Map(Object.keys(parent).map((name, index) => [name, index]));
    numbers.set(parent, known);
    return known.get(key) ?? known.size;
  };
  return (path) => {
    const position: number[] = [];
    let at: Json | undefined = value;
    for (const part of path.split('/').slice(1)) {
      if (typeof at !== 'object' || at === null) break;
      const key = unescapePointer(part);
      position.push(numberOf(at, key));
      at = isObject(at) ? at[key] : (at as readonly Json[])[Number(key)];
    }
    return position;
  };
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [depth, number] of one.entries()) {
    const difference = number - (other[depth] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
