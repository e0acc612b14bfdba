import type { Point } from './machine-layout.ts';
import { cornerPx } from './shape-edge.ts';

/** Rounds to a tenth of a pixel: precise enough, and the same on every platform. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;

/** Returns the SVG path of straight segments with rounded corners. */
export function pathData(points: readonly Point[], radius: number = cornerPx): string {
  const parts: string[] = [];
  points.forEach((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (!before) parts.push(`M${at(point)}`);
    else if (!after) parts.push(`L${at(point)}`);
    else {
      const room = Math.min(radius, lengthOf(before, point) / 2, lengthOf(point, after) / 2);
      parts.push(`L${at(toward(point, before, room))}Q${at(point)} ${at(toward(point, after, room))}`);
    }
  });
  return parts.join('');
}

const lengthOf = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y);

/** Returns the point `pixels` away from one point toward another. */
export function toward(from: Point, to: Point, pixels: number): Point {
  const length = lengthOf(from, to);
  if (length === 0) return from;
  return { x: from.x + ((to.x - from.x) * pixels) / length, y: from.y + ((to.y - from.y) * pixels) / length };
}

/** Length of an arrowhead, in pixels. */
export const headPx = 7;

/** Draws an arrowhead as its own shape. SVG markers need ids, which collide within a page. */
export function arrowHead(from: Point, to: Point): string {
  const back = toward(to, from, headPx);
  const [dx, dy] = [((to.x - back.x) / headPx) * 3.6, ((to.y - back.y) / headPx) * 3.6];
  return `M${at(to)}L${at({ x: back.x - dy, y: back.y + dx })}L${at({ x: back.x + dy, y: back.y - dx })}Z`;
}
