import { type KeyboardEvent, memo, type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { GraphEdge, MachineGraph } from '../../engine/define/graph.ts';
import { describeGraph } from '../../inspect/drawing/describe-graph.ts';
import { drawnPath } from '../../inspect/drawing/drawn-path.ts';
import { keepInView } from '../../inspect/drawing/keep-in-view.ts';
import { layoutMachine } from '../../inspect/drawing/layout-machine.ts';
import type { MachineLayout, StateShape } from '../../inspect/drawing/machine-layout.ts';
import { arrowHead } from '../../inspect/drawing/svg-path.ts';
import { historySign } from '../../inspect/drawing/svg-state.ts';
import { followingEdges } from '../../inspect/following-edges.ts';
import { initialStates } from '../../inspect/run-path.ts';
import type { RunView } from '../model/run-view.ts';
import { EdgeLabel, EdgeLine, type Highlights, type Side } from './machine-edge.tsx';

interface MachineProps {
  readonly graph: MachineGraph;
  readonly view: RunView | undefined;
  /** Path of an earlier version, to compare `view` with. */
  readonly base?: RunView | undefined;
  readonly chosen: string | undefined;
  readonly label: string;
  onChoose(path: string | undefined): void;
}

const maxScale = 1.25;

/** Statechart with the path of a run. The layout is computed once per machine, so nothing moves during a run. */
export function Machine({ graph, view, base, chosen, label, onChoose }: MachineProps): ReactNode {
  const layout = useMemo(() => layoutMachine(graph), [graph]);
  const highlights = useMemo(() => {
    const own = highlightsOf(graph, layout, view);
    return base ? compared(highlightsOf(graph, layout, base), own) : own;
  }, [graph, layout, view, base]);
  const { width, height } = layout;
  const drawing = useRef<HTMLFieldSetElement>(null);
  const shown = chosen ?? highlights.active[0];
  useEffect(() => {
    const container = drawing.current;
    if (!container) return;
    const node = container.querySelector(`[data-state="${CSS.escape(shown ?? '')}"]`);
    const observer = new ResizeObserver(() => keepInView(container, node)); // also when a hidden column appears
    observer.observe(container);
    return () => observer.disconnect();
  }, [shown]);
  return (
    <fieldset ref={drawing} className="drawing" aria-label={label} tabIndex={0} onKeyDown={(event) => walk(event, graph, shown, onChoose)}>
      <svg
        className={base ? 'm compared' : 'm'}
        viewBox={`0 0 ${width} ${height}`}
        style={{
          maxWidth: width * maxScale,
          maxHeight: height * maxScale,
          minWidth: `calc(${width}px * var(--least-scale))`,
          minHeight: `calc(${height}px * var(--least-scale))`,
        }}
        role="img"
        aria-label={label}
      >
        <desc>{describeGraph(graph, view?.moves ?? [], highlights.active)}</desc>
        <Groups layout={layout} highlights={highlights} />
        {[...layout.edges]
          .sort((a, b) => highlights.rank(a) - highlights.rank(b))
          .map((edge) => (
            <EdgeLine key={`${edge.from} ${edge.to} ${edge.error}`} edge={edge} highlights={highlights} />
          ))}
        {layout.states.map((shape) =>
          shape.group ? null : (
            <Node key={shape.state.path} shape={shape} highlights={highlights} chosen={chosen === shape.state.path} onChoose={onChoose} />
          ),
        )}
        {layout.states.map((shape) => (
          <Dot key={shape.state.path} shape={shape} />
        ))}
        {layout.edges.map((edge) => (
          <EdgeLabel key={`${edge.from} ${edge.to} ${edge.error}`} edge={edge} highlights={highlights} />
        ))}
      </svg>
    </fieldset>
  );
}

function highlightsOf(graph: MachineGraph, layout: MachineLayout, view: RunView | undefined): Highlights {
  const moves = view?.moves ?? [];
  const isAt = view !== undefined && view.seq > 0;
  const active = !isAt ? [] : view.active.length > 0 ? view.active : initialStates(graph);
  const following = moves.flatMap((move) => followingEdges(graph, move, move.to.split('|')));
  const drawn = drawnPath(layout, [...moves, ...following], active);
  const counts = new Map<string, number>();
  for (const { from, on, guard } of [...moves, ...following]) {
    const key = JSON.stringify([from, on, guard]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const waits = view && view.open.length > 0 && !view.end ? new Set(active) : new Set<string>();
  const last = moves.at(-1);
  const visits = new Map<string, number>();
  for (const { state, inner } of view?.visits ?? []) if (!inner) visits.set(state, (visits.get(state) ?? 0) + 1);
  const failed = new Set((view?.visits ?? []).filter(({ error, inner }) => error && !inner).map(({ state }) => state));
  return {
    active,
    visits,
    failed,
    isVisited: (path) => drawn.visited.has(path) || visits.has(path),
    waits,
    count: (edge, from) => counts.get(JSON.stringify([from, edge.on, edge.guard])) ?? 0,
    isHighlighted: drawn.isLit,
    isOpen: (edge, from) => waits.has(from) && /^[A-Z]/.test(edge.on),
    just: (shape) =>
      last && shape.from === last.from && shape.edges.some(({ on, guard }) => on === last.on && guard === last.guard)
        ? last.seq
        : undefined,
    rank: (edge) => (drawn.isLit(edge) ? 2 : edge.error ? 0 : 1),
  };
}

/** Highlights of two runs: where one of them was, and which. */
function compared(before: Highlights, after: Highlights): Highlights {
  const side = (was: boolean, is: boolean): Side => (was && is ? 'both' : was ? 'before' : 'after');
  const sum = (highlights: Highlights, edges: readonly GraphEdge[], from: string): number =>
    edges.reduce((total, edge) => total + highlights.count(edge, from), 0);
  const isHighlighted: Highlights['isHighlighted'] = (shape) => before.isHighlighted(shape) || after.isHighlighted(shape);
  return {
    ...after,
    count: (edge, from) => Math.max(before.count(edge, from), after.count(edge, from)),
    isVisited: (path) => before.isVisited(path) || after.isVisited(path),
    isHighlighted,
    just: () => undefined,
    rank: (shape) => (isHighlighted(shape) ? 2 : shape.error ? 0 : 1),
    sides: {
      ofEdge: (shape) => side(before.isHighlighted(shape), after.isHighlighted(shape)),
      ofState: (path) => side(before.isVisited(path), after.isVisited(path)),
      counts: (edges, from) => [sum(before, edges, from), sum(after, edges, from)],
    },
  };
}

const Groups = memo(function Groups({
  layout,
  highlights,
}: {
  readonly layout: MachineLayout;
  readonly highlights: Highlights;
}): ReactNode {
  return layout.states
    .filter(({ group }) => group)
    .map(({ state, x, y, width, height, name, text, region }) => (
      <g
        key={state.path}
        className={`grp${region ? ' region' : ''}${highlights.active.some((path) => path.startsWith(`${state.path}.`)) ? ' on' : ''}`}
      >
        <rect x={x} y={y} width={width} height={height} rx="9" />
        <text x={text.x} y={text.y + 11} fontSize="11">
          {name}
        </text>
      </g>
    ));
});

interface NodeProps {
  readonly shape: StateShape;
  readonly highlights: Highlights;
  readonly chosen: boolean;
  onChoose(path: string): void;
}

function Node({ shape, highlights, chosen, onChoose }: NodeProps): ReactNode {
  const { state, x, y, width, height, name, text } = shape;
  const isActive = highlights.active.includes(state.path);
  const count = highlights.visits.get(state.path) ?? 0;
  const final = state.kind === 'final';
  const radius = final ? height / 2 : 7;
  const classes = [
    'node',
    state.kind,
    isActive && 'on',
    highlights.isVisited(state.path) && `was ${highlights.sides?.ofState(state.path) ?? ''}`,
    highlights.sides && state.outcome === 'failure' && highlights.isVisited(state.path) && 'bad',
    highlights.waits.has(state.path) && 'turn',
    highlights.failed.has(state.path) && 'bad',
    chosen && 'chosen',
  ];
  return (
    <g className={classes.filter(Boolean).join(' ')} data-state={state.path} onClick={() => onChoose(state.path)}>
      <title>{[state.path, state.description].filter(Boolean).join('\n')}</title>
      {isActive ? <rect className="halo" x={x - 4} y={y - 4} width={width + 8} height={height + 8} rx={radius + 4} /> : null}
      <rect className="box" x={x} y={y} width={width} height={height} rx={radius} />
      {final ? <rect className="ring" x={x + 3.5} y={y + 3.5} width={width - 7} height={height - 7} rx={radius - 3.5} /> : null}
      {state.kind === 'waiting' ? <path className="sign" d={`M${x + 12} ${y + height / 2 - 4}v8m4 -8v8`} /> : null}
      {state.history ? (
        <>
          <circle className="sign" cx={x + 15} cy={y + height / 2} r="7.5" />
          <text className="name" x={x + 15} y={y + height / 2 + 3} fontSize="8.5" textAnchor="middle">
            {historySign(state.history)}
          </text>
        </>
      ) : null}
      <text className="name" x={x + width / 2} y={text.y + 12.2} fontSize="12" textAnchor="middle">
        {name}
      </text>
      {count > 1 ? (
        <text className="count" x={x + width - 5} y={y + 11} fontSize="9" textAnchor="end">
          ×{count}
        </text>
      ) : null}
    </g>
  );
}

function Dot({ shape: { y, dot } }: { readonly shape: StateShape }): ReactNode {
  if (!dot) return null;
  return (
    <g className="dot">
      <circle cx={dot.x} cy={dot.y} r="3.5" />
      <path className="line" d={`M${dot.x} ${dot.y}V${y - 5}`} />
      <path d={arrowHead(dot, { x: dot.x, y })} />
    </g>
  );
}

/**
 * Arrow keys: Down follows the first edge to another state and Up goes back along an edge. Right follows the second edge, or selects the next
 * state in the list; Left selects the previous one.
 */
function walk(event: KeyboardEvent, { states }: MachineGraph, at: string | undefined, choose: MachineProps['onChoose']): void {
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  const state = states.find(({ path }) => path === at) ?? states[0];
  if (!state) return;
  const targets = [...new Set(state.edges.flatMap(({ target }) => (target && target !== state.path ? [target] : [])))];
  const sources = states
    .filter(({ edges, path }) => path !== state.path && edges.some(({ target }) => target === state.path))
    .map(({ path }) => path);
  const around = states.map(({ path }) => path);
  const place = around.indexOf(state.path);
  const next = { ArrowDown: targets[0], ArrowUp: sources[0], ArrowRight: targets[1] ?? around[place + 1], ArrowLeft: around[place - 1] }[
    event.key
  ];
  if (event.key === 'Escape' && at !== undefined) choose(undefined);
  else if (next !== undefined) choose(next);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
