import type { ReactNode } from 'react';
import type { GraphEdge } from '../../engine/define/graph.ts';
import { labelSizePx, lineHeightPx } from '../../inspect/drawing/edge-lines.ts';
import { splitLine } from '../../inspect/drawing/label-lines.ts';
import type { EdgeShape, Point } from '../../inspect/drawing/machine-layout.ts';
import { arrowHead, headPx, pathData, toward } from '../../inspect/drawing/svg-path.ts';

/** Which of two compared runs has taken an edge, or visited a state. */
export type Side = 'both' | 'before' | 'after';

/** Highlights of a drawing. */
export interface Highlights {
  readonly active: readonly string[];
  readonly visits: ReadonlyMap<string, number>;
  readonly failed: ReadonlySet<string>;
  readonly isVisited: (path: string) => boolean;
  /** States that wait for a human now. */
  readonly waits: ReadonlySet<string>;
  readonly count: (edge: GraphEdge, from: string) => number;
  readonly isHighlighted: (shape: EdgeShape) => boolean;
  /** True when a human can take the transition now. */
  readonly isOpen: (edge: GraphEdge, from: string) => boolean;
  /** Number of the last transition, if it was this edge. */
  readonly just: (shape: EdgeShape) => number | undefined;
  readonly rank: (shape: EdgeShape) => number;
  /** Present if two runs are compared. */
  readonly sides?: {
    readonly ofEdge: (shape: EdgeShape) => Side;
    readonly ofState: (path: string) => Side;
    /** Numbers of times that the runs have taken the transitions. */
    readonly counts: (edges: readonly GraphEdge[], from: string) => readonly [before: number, after: number];
  };
}

interface EdgeProps {
  readonly edge: EdgeShape;
  readonly highlights: Highlights;
}

/** A line: grey until it joins another one, but highlighted over its whole length. */
export function EdgeLine({ edge, highlights }: EdgeProps): ReactNode {
  const highlighted = highlights.isHighlighted(edge);
  const points = highlighted ? edge.points : (edge.drawn ?? edge.points);
  const [before, last] = points.slice(-2);
  if (!before || !last) return null;
  const joins = points !== edge.points;
  const end = joins ? last : toward(last, before, headPx - 2);
  const data = pathThrough([...points.slice(0, -1), end], edge.gap, edge.from === edge.to ? 4 : undefined);
  const just = highlights.just(edge);
  return (
    <g
      className={`edge${highlighted ? ` was ${highlights.sides?.ofEdge(edge) ?? ''}` : edge.error ? ' err' : ''}`}
      data-edge={`${edge.from} ${edge.to}`}
    >
      <path className="line" d={data} />
      {just === undefined ? null : <path key={just} className="line just" d={data} pathLength={1} />}
      {joins ? null : <path className="head" d={arrowHead(before, last)} />}
    </g>
  );
}

/** `×3`, or `×1→3` if two runs have taken it a different number of times. */
function times(count: number, [before, after]: readonly [number, number] = [count, count]): string {
  if (before !== after && before > 0 && after > 0) return ` ×${before}→${after}`;
  const most = Math.max(before, after);
  return most > 1 ? ` ×${most}` : '';
}

function pathThrough(points: readonly Point[], gap: EdgeShape['gap'], radius: number | undefined): string {
  const [first, ...rest] = points;
  if (!gap || !first) return pathData(points, radius);
  const [from, to] = [
    { x: gap[0], y: first.y },
    { x: gap[1], y: first.y },
  ];
  return pathData([first, from]) + pathData([to, ...rest], radius);
}

/** Label of an edge: its guard or event, and how often it was taken. */
export function EdgeLabel({ edge: { label, from, error }, highlights }: EdgeProps): ReactNode {
  if (!label) return null;
  const atStart = label.align === 'start';
  return label.lines.map((line, index) => {
    const { text, edges } = line;
    const count = edges.reduce((sum, one) => sum + highlights.count(one, from), 0);
    const parts = splitLine(line, (one) => highlights.count(one, from) > 0);
    const open = edges.some((one) => highlights.isOpen(one, from));
    const classes = [
      'lab',
      parts.length === 1 && count > 0 && 'was',
      open && 'open',
      (error || edges.every(({ on }) => on === 'error')) && 'err',
    ];
    return (
      <text
        key={text}
        className={classes.filter(Boolean).join(' ')}
        x={atStart ? label.x + 2 : label.x + label.width - 2}
        y={label.y + index * lineHeightPx + 9.8}
        fontSize={labelSizePx}
        textAnchor={atStart ? undefined : 'end'}
      >
        {parts.length === 1
          ? text
          : parts.map((part) => (
              <tspan key={part.text} className={part.taken ? 'was' : undefined}>
                {part.text}
              </tspan>
            ))}
        {atStart ? times(count, highlights.sides?.counts(edges, from)) : ''}
      </text>
    );
  });
}
