import type { GraphEdge } from '../../engine/define/graph.ts';
import type { LabelLine } from './machine-layout.ts';
import { fitText } from './text-width.ts';

const maxColumns = 44;
/** Maximum width of a label with several events, in characters. */
const joinedColumns = 34;

/** Returns the label of a line: its events with guards, numbered where the order decides. */
export function labelLines(edges: readonly GraphEdge[], all: readonly GraphEdge[], group: boolean): readonly LabelLine[] {
  if (edges.every((edge) => isPlain(edge, all))) {
    const [only, ...more] = edges;
    if (more.length === 0 && (only?.on === 'done' || only?.on === 'error')) return [];
  }
  const lines: LabelLine[] = [];
  for (const edge of edges) {
    const last = lines.at(-1);
    const parts = last && joined(last, edge, all, group);
    if (last && parts) lines.splice(-1, 1, { text: parts.join(''), edges: [...last.edges, edge], parts });
    else lines.push({ text: fitText(partsOf([edge], all, group).join(''), maxColumns), edges: [edge] });
  }
  return lines;
}

/** Adds an event to a line. Returns `undefined` if the guard differs or the line would be too long. */
function joined(line: LabelLine, edge: GraphEdge, all: readonly GraphEdge[], group: boolean): readonly string[] | undefined {
  const [first] = line.edges;
  if (!first || first.on === edge.on || first.guard !== edge.guard || turnOf(first, all) !== turnOf(edge, all)) return undefined;
  const parts = partsOf([...line.edges, edge], all, group);
  return fitText(parts.join(''), joinedColumns) === parts.join('') ? parts : undefined;
}

/** Formats edges as `1 APPROVE, EDIT [isComplete]`. The `done` edge of a node shows only its guard: `1 hasPlan`. */
function partsOf(edges: readonly GraphEdge[], all: readonly GraphEdge[], group: boolean): readonly string[] {
  const [first] = edges;
  if (!first) return [];
  const turn = turnOf(first, all);
  const condition = first.guard ?? (turn === '' ? '' : 'else');
  if (edges.length === 1 && first.on === 'done' && condition !== '') return [turn, condition];
  const events = edges.flatMap(({ on }, index) => [index === 0 ? turn : ', ', eventText(on, group)]);
  return [...events, condition === '' ? '' : ` [${condition}]`];
}

/**
 * Splits a line where several events share it, so that only those that were taken are highlighted. The turn and the guard belong to all of
 * them.
 */
export function splitLine(
  { text, edges, parts = [] }: LabelLine,
  isTaken: (edge: GraphEdge) => boolean,
): readonly { readonly text: string; readonly taken: boolean }[] {
  const some = edges.some(isTaken);
  if (!some || edges.every(isTaken)) return [{ text, taken: some }];
  const end = parts.length - 1;
  return parts.flatMap((part, at) => {
    const edge = at % 2 === 1 ? edges[(at - 1) / 2] : undefined;
    return part === '' ? [] : [{ text: part, taken: edge ? isTaken(edge) : at === 0 || at === end }];
  });
}

const turnOf = (edge: GraphEdge, all: readonly GraphEdge[]): string => {
  const rivals = all.filter(({ on }) => on === edge.on);
  return rivals.length > 1 ? `${rivals.indexOf(edge) + 1} ` : '';
};

const isPlain = (edge: GraphEdge, all: readonly GraphEdge[]): boolean => edge.guard === undefined && turnOf(edge, all) === '';

function eventText(on: string, group: boolean): string {
  if (on === 'state.done') return group ? 'all done' : 'done';
  const [, milliseconds] = /^after (\d{1,15})$/.exec(on) ?? [];
  return milliseconds === undefined ? on : `after ${duration(Number(milliseconds))}`;
}

function duration(milliseconds: number): string {
  const [size, unit] = units.find(([size]) => milliseconds >= size && milliseconds % size === 0) ?? [1, 'ms'];
  return `${milliseconds / size} ${unit}`;
}

const units: readonly (readonly [milliseconds: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];
