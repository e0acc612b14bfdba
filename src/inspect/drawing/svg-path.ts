import type { Point } from './machine-layout.ts';
import { cornerPx } from './shape-edge.ts';

/** Rounded to tenths of a pixel: enough to see, and the same on every machine. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;

/** A way of straight parts as the data of a path, with round corners. */
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

/** The point that is some pixels from one to another one. */
export function toward(from: Point, to: Point, pixels: number): Point {
  const length = lengthOf(from, to);
  if (length === 0) return from;
  return { x: from.x + ((to.x - from.x) * pixels) / length, y: from.y + ((to.y - from.y) * pixels) / length };
}

/** Length of an arrow's head. */
export const headPx = 7;

/** The head of an arrow that comes from one point to another one. A shape of its own: markers need ids, which collide in a page. */
export function arrowHead(from: Point, to: Point): string {
  const back = toward(to, from, headPx);
  const [dx, dy] = [((to.x - back.x) / headPx) * 3.6, ((to.y - back.y) / headPx) * 3.6];
  return `M${at(to)}L${at({ x: back.x - dy, y: back.y + dx })}L${at({ x: back.x + dy, y: back.y - dx })}Z`;
}
