import type { DrawnPath } from './drawn-path.ts';
import { escapeXml } from './escape-xml.ts';
import { nameSizePx, titleSizePx } from './layout-machine.ts';
import type { Box, StateShape } from './machine-layout.ts';
import type { Paint, Painter } from './palette.ts';
import { arrowHead, px } from './svg-path.ts';

/** Draws a group: a frame behind its states, with its name. */
export function drawGroup(shape: StateShape, drawn: DrawnPath, paint: Painter): string {
  const { state, name, text, region } = shape;
  const inside = [...drawn.active].some((path) => path.startsWith(`${state.path}.`));
  const active = drawn.active.has(state.path) || inside;
  const stroke: Paint = active ? 'lit' : 'border';
  const dashes = region ? ' stroke-dasharray="4 3"' : '';
  const fill: Paint = region ? 'region' : 'group';
  return group(
    shape,
    `<rect ${place(shape)} rx="9" stroke-width="${active ? 1.6 : 1}"${dashes}${paint({ fill, stroke })}/>` +
      `<text x="${px(text.x)}" y="${px(text.y + 11)}" font-size="${titleSizePx}" font-weight="600" xml:space="preserve"${paint({ fill: 'soft' })}>${escapeXml(name)}</text>`,
  );
}

/** Draws a state. A final one has a double ring, a waiting one two bars, a failure a cross, a history state an H. */
export function drawState(shape: StateShape, drawn: DrawnPath, paint: Painter): string {
  const { state, name, text } = shape;
  const active = drawn.active.has(state.path);
  const failure = state.outcome === 'failure';
  const stroke: Paint =
    active || drawn.visited.has(state.path) ? 'lit' : failure ? 'errorInk' : state.kind === 'waiting' ? 'waitingBorder' : 'border';
  const fill: Paint = active ? 'active' : state.kind === 'waiting' ? 'waiting' : 'state';
  const width = active ? 2.4 : 1.2;
  const outline =
    state.kind === 'final'
      ? rounded(shape, shape.height / 2, width, paint({ fill: 'paper', stroke })) +
        rounded(inset(shape, 3.5), shape.height / 2 - 3.5, 1.2, paint({ fill, stroke }))
      : rounded(shape, 7, width, paint({ fill, stroke }), state.kind === 'idle' ? ' stroke-dasharray="6 3"' : '');
  const middle = shape.x + shape.width / 2;
  return group(
    shape,
    `${outline}${sign(shape, paint)}<text x="${px(middle)}" y="${px(text.y + 12.2)}" font-size="${nameSizePx}" text-anchor="middle" xml:space="preserve"${paint({ fill: 'ink' })}>${escapeXml(name)}</text>`,
  );
}

/** Draws the dot that marks the initial state of a machine or group. */
export function drawInitial({ y, dot }: StateShape, paint: Painter): string {
  if (!dot) return '';
  return (
    `<circle cx="${px(dot.x)}" cy="${px(dot.y)}" r="3.5"${paint({ fill: 'ink' })}/>` +
    `<path d="M${px(dot.x)} ${px(dot.y)}V${px(y - 5)}" stroke-width="1.3"${paint({ stroke: 'ink' })}/>` +
    `<path d="${arrowHead(dot, { x: dot.x, y })}"${paint({ fill: 'ink' })}/>`
  );
}

function sign({ state, x, y, height }: StateShape, paint: Painter): string {
  const [left, middle] = [x + 12, y + height / 2];
  if (state.kind === 'waiting') {
    return `<path d="M${px(left)} ${px(middle - 4)}v8m4 -8v8" stroke-width="2"${paint({ stroke: 'waitingBorder' })}/>`;
  }
  if (state.history) {
    return (
      `<circle cx="${px(left + 3)}" cy="${px(middle)}" r="7.5" stroke-width="1.2"${paint({ stroke: 'ink' })}/>` +
      `<text x="${px(left + 3)}" y="${px(middle + 3)}" font-size="8.5" font-weight="600" text-anchor="middle"${paint({ fill: 'ink' })}>${historySign(state.history)}</text>`
    );
  }
  if (state.outcome !== 'failure') return '';
  return `<path d="M${px(left + 1)} ${px(middle - 3.5)}l7 7m0 -7l-7 7" stroke-width="1.6"${paint({ stroke: 'errorInk' })}/>`;
}

/** Sign of a history state in a statechart. */
export const historySign = (history: 'shallow' | 'deep'): string => (history === 'deep' ? 'H*' : 'H');

/** Adds a tooltip: the path if the name is cut or nested, and the description. */
function group({ state, name }: StateShape, inside: string): string {
  const hint = [name === state.path ? '' : state.path, state.description ?? ''].filter(Boolean).join('\n');
  return `<g data-state="${escapeXml(state.path)}">${hint === '' ? '' : `<title>${escapeXml(hint)}</title>`}${inside}</g>`;
}

const place = ({ x, y, width, height }: Box): string => `x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}"`;

const inset = ({ x, y, width, height }: Box, by: number): Box => ({ x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by });

const rounded = (box: Box, radius: number, width: number, colours: string, more = ''): string =>
  `<rect ${place(box)} rx="${px(radius)}" stroke-width="${width}"${more}${colours}/>`;
