import { hash } from '../../core/util/hash.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import { describeGraph } from './describe-graph.ts';
import { type DrawnPath, drawnPath, type TakenEdge } from './drawn-path.ts';
import { escapeXml } from './escape-xml.ts';
import { layoutMachine } from './layout-machine.ts';
import type { StateShape } from './machine-layout.ts';
import { autoStyle, createPainter, type Painter, type Theme } from './palette.ts';
import { drawEdge, drawLabel } from './svg-edge.ts';
import { px } from './svg-path.ts';
import { drawGroup, drawInitial, drawState } from './svg-state.ts';

export interface SvgOptions {
  /** @default 'light' */
  readonly theme?: Theme;
  /** Edges that a run has taken. They and their states are highlighted. @default [] */
  readonly path?: readonly TakenEdge[];
  /** Paths of the active states of a run. @default [] */
  readonly active?: readonly string[];
  /** Title of the drawing. @default the machine's id */
  readonly title?: string;
}

/**
 * Draws a machine as a self-contained SVG: no font, no script, no network. The same graph gives the same text.
 *
 * @example toSvg(toGraph(workflow.machine), { theme: 'auto', path: taken, active: ['review'] })
 */
export function toSvg(graph: MachineGraph, options: SvgOptions = {}): string {
  const { theme = 'light', path = [], active = [], title = graph.id } = options;
  const layout = layoutMachine(graph);
  const drawn = drawnPath(layout, path, active);
  const description = describeGraph(graph, path, active);
  const prefix = `m${hash(JSON.stringify([layout, theme, path, active, title])).slice(0, 10)}-`;
  const paint = createPainter(theme, prefix);
  const { width, height } = layout;
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
    '</svg>\n',
  ]
    .filter(Boolean)
    .join('\n');
}

/** Fonts whose characters are at most 0.602 of the font size wide. */
const fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK KR',monospace";

const drawStates = (states: readonly StateShape[], drawn: DrawnPath, paint: Painter, groups: boolean): readonly string[] =>
  states.filter(({ group }) => group === groups).map((state) => (groups ? drawGroup : drawState)(state, drawn, paint));
