import { drawnPath, type TakenEdge } from './drawn-path.ts';
import { labelSizePx } from './edge-lines.ts';
import { escapeXml } from './escape-xml.ts';
import { titleSizePx } from './layout-machine.ts';
import type { EdgeShape, MachineLayout, Point } from './machine-layout.ts';
import type { Paint, Painter } from './palette.ts';
import { px } from './svg-path.ts';
import { fitText, textWidth } from './text-width.ts';

/** Step of a path, as a drawing shows it. */
export interface PathStep {
  /** Event or outcome, such as `review: APPROVE`. */
  readonly title: string;
  /** Edges taken in this step. */
  readonly edges: readonly TakenEdge[];
  /** Values that matter here, one line each, such as `amount: 0 → 9999`. @default [] */
  readonly values?: readonly string[];
}

/** Numbers of the steps that have taken a line. */
interface Mark extends Point {
  readonly text: string;
}

const widthOf = (text: string): number => textWidth(text, 8) + 7;

const maxNumbers = 2;

/** Returns the marks of the lines of a path. Steps are numbered from 1; those without edges have no number. */
export function numberEdges(layout: MachineLayout, steps: readonly PathStep[]): readonly Mark[] {
  const numbered = steps.filter(({ edges }) => edges.length > 0).map(({ edges }) => drawnPath(layout, edges, []));
  return layout.edges.flatMap((edge) => {
    const numbers = numbered.flatMap(({ isLit }, index) => (isLit(edge) ? [index + 1] : []));
    if (numbers.length === 0) return [];
    const text = numbers.slice(0, maxNumbers).join(',') + (numbers.length > maxNumbers ? '…' : '');
    return [{ ...markAt(edge, widthOf(text)), text }];
  });
}

/** Returns the middle of a mark: in the first part of a line, where its label leaves room. */
function markAt({ points, gap, from, to }: EdgeShape, width: number): Point {
  const [first = { x: 0, y: 0 }, second = first] = points;
  if (from === to) return { x: first.x + 15 - width / 2, y: first.y + 4 };
  if (first.x === second.x) return { x: first.x + 5.5 - width / 2, y: (first.y + second.y - 6) / 2 };
  const start = gap ? gap[1] : first.x;
  return { x: start + Math.sign(second.x - start) * (width / 2 + 2), y: first.y };
}

export function drawMark({ x, y, text }: Mark, paint: Painter): string {
  const width = widthOf(text);
  return (
    `<rect x="${px(x - width / 2)}" y="${px(y - 5.5)}" width="${px(width)}" height="11" rx="5.5"${paint({ fill: 'lit' })}/>` +
    `<text x="${px(x)}" y="${px(y + 2.9)}" font-size="8" font-weight="700" text-anchor="middle"${paint({ fill: 'paper' })}>${text}</text>`
  );
}

interface ListedText extends Point {
  readonly text: string;
  readonly number?: string;
  readonly fill: Paint;
}

const maxColumns = 46;
const titleLines = 2;
const valueLines = 3;
const indent = 22;
const padding = 14;

/** Lays out the list beside a drawing, and returns the size of both. */
export function listSteps(
  steps: readonly PathStep[],
  { width, height }: MachineLayout,
): { readonly width: number; readonly height: number; readonly texts: readonly ListedText[] } {
  if (steps.length === 0) return { width, height, texts: [] };
  const texts: ListedText[] = [];
  let [y, number] = [padding + 6, 0];
  const add = (text: string, fill: Paint, more: Pick<ListedText, 'number'> = {}): void => {
    texts.push({ x: width + indent, y, text, fill, ...more });
    y += 15;
  };
  for (const { title, edges, values = [] } of steps) {
    if (edges.length > 0) number++;
    for (const [at, line] of wrapText(title, titleLines).entries()) {
      add(line, 'ink', at === 0 && edges.length > 0 ? { number: String(number) } : {});
    }
    for (const value of values) for (const line of wrapText(value, valueLines)) add(line, 'soft');
    y += 9;
  }
  const widest = Math.max(...texts.map(({ text, fill }) => textWidth(text, sizeOf(fill))));
  return { width: Math.ceil(width + indent + widest + padding), height: Math.max(height, Math.ceil(y - 15 + padding)), texts };
}

/** Splits a text into lines, and cuts it after the last one. */
function wrapText(text: string, maxLines: number): readonly string[] {
  const lines: string[] = [];
  let rest = text.replaceAll(/\s+/gu, ' ').trim();
  while (rest !== '' && lines.length < maxLines - 1) {
    const whole = fitText(rest, maxColumns);
    if (whole === rest) break;
    const kept = whole.slice(0, -1);
    const space = rest[kept.length] === ' ' ? kept.length : kept.lastIndexOf(' ');
    const line = space > kept.length / 2 ? kept.slice(0, space) : kept;
    lines.push(line);
    rest = rest.slice(line.length).trim();
  }
  return rest === '' ? lines : [...lines, fitText(rest, maxColumns)];
}

const sizeOf = (fill: Paint): number => (fill === 'ink' ? titleSizePx : labelSizePx);

export function drawListed({ x, y, text, number, fill }: ListedText, paint: Painter): string {
  const mark = number === undefined ? '' : drawMark({ x: x - 12, y: y - 3.5, text: number }, paint);
  const weight = fill === 'ink' ? ' font-weight="600"' : '';
  return `${mark}<text x="${px(x)}" y="${px(y)}" font-size="${sizeOf(fill)}"${weight} xml:space="preserve"${paint({ fill })}>${escapeXml(text)}</text>`;
}
