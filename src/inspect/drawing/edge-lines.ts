import type { GraphEdge } from '../../engine/define/graph.ts';
import { targetsOf } from '../../engine/define/graph.ts';
import { labelLines } from './label-lines.ts';
import type { LabelLine } from './machine-layout.ts';
import type { Rail } from './rails.ts';
import { isGroup, type TreeState } from './state-tree.ts';
import { textWidth } from './text-width.ts';

/** Font size of labels. */
export const labelSizePx = 10;
export const lineHeightPx = 13;

/** All edges from one state to another, drawn as one line. */
export interface EdgeLine {
  readonly from: TreeState;
  readonly to: TreeState;
  readonly edges: readonly GraphEdge[];
  readonly error: boolean;
  readonly lines: readonly LabelLine[];
  readonly labelWidth: number;
  readonly labelHeight: number;
}

/** Route of a line: straight to the next state, back to its own state, or along a rail beside the column. */
export type Route = 'down' | 'loop' | Rail;

/** Returns the lines of a machine, in the order of states and edges. */
export function edgeLines(states: readonly TreeState[]): readonly EdgeLine[] {
  const byPath = new Map(states.map((state) => [state.path, state]));
  return states.flatMap((from) => {
    const all = from.state?.edges ?? [];
    const byTarget = new Map<TreeState, GraphEdge[]>();
    for (const edge of all) {
      const targets = targetsOf(edge);
      for (const path of targets.length > 0 ? new Set(targets) : [from.path]) {
        const to = byPath.get(path);
        if (to) byTarget.set(to, [...(byTarget.get(to) ?? []), edge]);
      }
    }
    return [...byTarget].map(([to, edges]) => toLine(from, to, edges, all));
  });
}

function toLine(from: TreeState, to: TreeState, edges: readonly GraphEdge[], all: readonly GraphEdge[]): EdgeLine {
  const error = edges.every(({ on }) => on === 'error');
  const lines = labelLines(edges, all, isGroup(from));
  const labelWidth = Math.ceil(Math.max(0, ...lines.map(({ text }) => textWidth(text, labelSizePx) + 6)));
  return { from, to, edges, error, lines, labelWidth, labelHeight: lines.length * lineHeightPx };
}
