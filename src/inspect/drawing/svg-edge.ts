import type { DrawnPath } from './drawn-path.ts';
import { labelSizePx, lineHeightPx } from './edge-lines.ts';
import { escapeXml } from './escape-xml.ts';
import type { EdgeShape, Point } from './machine-layout.ts';
import type { Paint, Painter } from './palette.ts';
import { arrowHead, headPx, pathData, px, toward } from './svg-path.ts';

/** Draws a line. In gray it ends where it joins another one; highlighted it has its full length. */
export function drawEdge(edge: EdgeShape, drawn: DrawnPath, paint: Painter): string {
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

/** Draws the label of a line. */
export function drawLabel({ label, edges, from, error }: EdgeShape, drawn: DrawnPath, paint: Painter): string {
  if (!label) return '';
  const x = label.align === 'start' ? label.x + 2 : label.x + label.width - 2;
  const anchor = label.align === 'start' ? '' : ' text-anchor="end"';
  return label.lines
    .map(({ text, edges: own }, index) => {
      const taken = own.some((edge) => drawn.isTaken(edge, from));
      const fill: Paint = taken ? 'lit' : error || own.every(({ on }) => on === 'error') ? 'errorInk' : 'soft';
      const y = label.y + index * lineHeightPx + 9.8;
      const weight = taken && edges.length > 1 ? ' font-weight="600"' : '';
      return `<text x="${px(x)}" y="${px(y)}" font-size="${labelSizePx}"${anchor}${weight} xml:space="preserve"${paint({ fill })}>${escapeXml(text)}</text>`;
    })
    .join('');
}
