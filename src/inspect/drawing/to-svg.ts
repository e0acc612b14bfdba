import { hash } from '../../core/util/hash.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import { describeGraph } from './describe-graph.ts';
import { type DrawnPath, drawnPath, type TakenEdge } from './drawn-path.ts';
import { labelSizePx, lineHeightPx } from './edge-lines.ts';
import { escapeXml } from './escape-xml.ts';
import { splitLine } from './label-lines.ts';
import { layoutMachine } from './layout-machine.ts';
import type { EdgeShape, Point, StateShape } from './machine-layout.ts';
import { autoStyle, createPainter, type Paint, type Painter, type Theme } from './palette.ts';
import { drawListed, drawMark, listSteps, numberEdges, type PathStep } from './path-steps.ts';
import { arrowHead, headPx, pathData, px, toward } from './svg-path.ts';
import { drawGroup, drawInitial, drawState } from './svg-state.ts';

export interface SvgOptions {
  /** @default 'light' */
  readonly theme?: Theme;
  /** Edges that a run has taken. They and their states are highlighted. @default [] */
  readonly path?: readonly TakenEdge[];
  /** Paths of the active states of a run. @default [] */
  readonly active?: readonly string[];
  /** Steps of the path, numbered on their edges and listed beside the drawing with the values that they changed. @default [] */
  readonly steps?: readonly PathStep[];
  /** Title of the drawing. @default the machine's id */
  readonly title?: string;
}

/**
 * Draws a machine as a self-contained SVG: no font, no script, no network. The same graph gives the same text.
 *
 * @example toSvg(toGraph(workflow.machine), { theme: 'auto', path: taken, active: ['review'] })
 */
export function toSvg(graph: MachineGraph, options: SvgOptions = {}): string {
  const { theme = 'light', steps = [], path = steps.flatMap(({ edges }) => edges), active = [], title = graph.id } = options;
  const layout = layoutMachine(graph);
  const drawn = drawnPath(layout, path, active);
  const listed = steps.map(({ title: step, values = [] }) => [step, ...values].join('; '));
  const description = [describeGraph(graph, path, active), ...listed].join('\n');
  const prefix = `m${hash(JSON.stringify([layout, theme, path, active, title, ...(steps.length > 0 ? [steps] : [])], withoutParts)).slice(0, 10)}-`;
  const paint = createPainter(theme, prefix);
  const list = listSteps(steps, layout);
  const { width, height } = list;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${prefix}title ${prefix}desc" font-family="${fonts}">`,
    `<title id="${prefix}title">${escapeXml(title)}</title>`,
    `<desc id="${prefix}desc">${escapeXml(description)}</desc>`,
    ...(theme === 'auto' ? [autoStyle(prefix)] : []),
    `<rect width="${px(width)}" height="${px(height)}" rx="8"${paint({ fill: 'paper' })}/>`,
    ...drawStates(layout.states, drawn, paint, true),
    ...[...layout.edges]
      .sort((a, b) => Number(drawn.isLit(a)) - Number(drawn.isLit(b)) || Number(b.error) - Number(a.error))
      .map((edge) => drawEdge(edge, drawn, paint)),
    ...drawStates(layout.states, drawn, paint, false),
    ...layout.states.map((state) => drawInitial(state, paint)),
    ...layout.edges.map((edge) => drawLabel(edge, drawn, paint)),
    ...numberEdges(layout, steps).map((mark) => drawMark(mark, paint)),
    ...list.texts.map((text) => drawListed(text, paint)),
    '</svg>\n',
  ]
    .filter(Boolean)
    .join('\n');
}

/** Leaves out the parts of labels, which follow from their texts. */
const withoutParts = (key: string, value: unknown): unknown => (key === 'parts' ? undefined : value);

/** Fonts whose characters are at most 0.602 of the font size wide. */
const fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK KR',monospace";

const drawStates = (states: readonly StateShape[], drawn: DrawnPath, paint: Painter, groups: boolean): readonly string[] =>
  states.filter(({ group }) => group === groups).map((state) => (groups ? drawGroup : drawState)(state, drawn, paint));

/** Draws a line. In gray it ends where it joins another one; highlighted it has its full length. */
function drawEdge(edge: EdgeShape, drawn: DrawnPath, paint: Painter): string {
  const lit = drawn.isLit(edge);
  const stroke: Paint = lit ? 'lit' : edge.error ? 'error' : 'edge';
  const points = lit ? edge.points : (edge.drawn ?? edge.points);
  const [before, last] = points.slice(-2);
  if (!before || !last) return '';
  const joins = points !== edge.points;
  const end = joins ? last : toward(last, before, headPx - 2);
  const way = [...points.slice(0, -1), end];
  const dashes = edge.error ? ' stroke-dasharray="3 3"' : '';
  const width = lit ? 2 : edge.error ? 1 : 1.3;
  const radius = edge.from === edge.to ? 4 : undefined;
  const line = `<path d="${withGap(way, edge.gap, radius)}" stroke-width="${width}"${dashes}${paint({ stroke })}/>`;
  return joins ? line : `${line}<path d="${arrowHead(before, last)}"${paint({ fill: stroke })}/>`;
}

function withGap(points: readonly Point[], gap: EdgeShape['gap'], radius: number | undefined): string {
  const [first, ...rest] = points;
  if (!gap || !first) return pathData(points, radius);
  const [from, to] = gap.map((x) => ({ x, y: first.y })) as [Point, Point];
  return pathData([first, from]) + pathData([to, ...rest], radius);
}

function drawLabel({ label, edges, from, error }: EdgeShape, drawn: DrawnPath, paint: Painter): string {
  if (!label) return '';
  const x = label.align === 'start' ? label.x + 2 : label.x + label.width - 2;
  const anchor = label.align === 'start' ? '' : ' text-anchor="end"';
  return label.lines
    .map((line, index) => {
      const other: Paint = error || line.edges.every(({ on }) => on === 'error') ? 'errorInk' : 'soft';
      const y = label.y + index * lineHeightPx + 9.8;
      const paintPart = (taken: boolean): string =>
        `${taken && edges.length > 1 ? ' font-weight="600"' : ''} xml:space="preserve"${paint({ fill: taken ? 'lit' : other })}`;
      const parts = splitLine(line, (edge) => drawn.isTaken(edge, from));
      const [only] = parts;
      const inside = parts.map(({ text, taken }) => `<tspan${paintPart(taken)}>${escapeXml(text)}</tspan>`).join('');
      const place = `x="${px(x)}" y="${px(y)}" font-size="${labelSizePx}"${anchor}`;
      return only && parts.length === 1
        ? `<text ${place}${paintPart(only.taken)}>${escapeXml(only.text)}</text>`
        : `<text ${place} xml:space="preserve">${inside}</text>`;
    })
    .join('');
}
