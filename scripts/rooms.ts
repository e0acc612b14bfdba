// The rooms of the house: who imports whom, on how many floors.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { doors } from './doors.ts';

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Returns the TypeScript files of a folder. Folders that other tests write and remove meanwhile are left out. */
export const sourceFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith('test/.docs'));

/** Returns the static and dynamic imports of a file. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  for (const [, keyword = '', names = '', to = ''] of text.matchAll(
    /^(?:import|export)\s+(type\s+)?([\w*{][^'";]*?)\s*from\s+'([^']+)'/gm,
  )) {
    const inline =
      [...names.matchAll(/[\w*]+(?:\s+as\s+\w+)?/g)].length > 0 &&
      names
        .replace(/[{}\s]/g, '')
        .split(',')
        .filter(Boolean)
        .every((name) => /^type[A-Z]/.test(name));
    found.push({ from: file, to, typeOnly: keyword !== '' || inline });
  }
  for (const [, to = ''] of text.matchAll(/^import\s+'([^']+)'/gm)) found.push({ from: file, to, typeOnly: false });
  for (const [, to = ''] of text.matchAll(/import\('([^']+)'\)/g)) found.push({ from: file, to, typeOnly: false });
  return found;
}

/** Returns the file that an import names, or undefined for another package. */
export function targetOf({ from, to }: Import): string | undefined {
  if (to.startsWith('.')) return normalize(join(dirname(from), to));
  const door = to.startsWith('agent-machines') ? doors[to.replace('agent-machines', '.')] : undefined;
  return door && normalize(door['@agent-machines/source']);
}

/** Returns the room of a file: a folder of `src`, `index.ts`, or `machines`. */
export function roomOf(file: string): string {
  const [top = '', room = ''] = file.split('/');
  return top === 'src' ? room : top;
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** Returns each pair of rooms of which one imports the other, type imports included. */
export function roomArrows(): readonly Arrow[] {
  const found = new Map<string, Arrow>();
  for (const one of [...sourceFiles('src'), ...sourceFiles('machines')].flatMap(importsOf)) {
    const target = targetOf(one);
    if (target === undefined || !/^(?:src|machines)\//.test(target)) continue;
    const arrow = { from: roomOf(one.from), to: roomOf(target) };
    if (arrow.from !== arrow.to) found.set(`${arrow.from} ${arrow.to}`, arrow);
  }
  return [...found.values()];
}

/**
 * Returns the rooms of each floor, the lowest first: a room stands one floor above the highest room that it imports.
 *
 * @throws {Error} for rooms that import each other in a circle.
 */
export function roomFloors(arrows: readonly Arrow[] = roomArrows()): readonly (readonly string[])[] {
  const rooms = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].sort();
  const floors = new Map<string, number>();
  const floorOf = (room: string, path: readonly string[]): number => {
    if (path.includes(room)) throw new Error(`The rooms import each other: ${[...path, room].join(' → ')}.`);
    const known = floors.get(room);
    if (known !== undefined) return known;
    const below = arrows.filter(({ from }) => from === room).map(({ to }) => floorOf(to, [...path, room]));
    const floor = Math.max(-1, ...below) + 1;
    floors.set(room, floor);
    return floor;
  };
  for (const room of rooms) floorOf(room, []);
  return Array.from({ length: Math.max(...floors.values()) + 1 }, (_, floor) => rooms.filter((room) => floors.get(room) === floor));
}

/** Draws the floors as text, the highest first, and each room with the rooms that it imports. */
export function drawRooms(): string {
  const arrows = roomArrows();
  const floors = roomFloors(arrows);
  const width = Math.max(...floors.flat().map((room) => room.length));
  const lines = floors.flatMap((rooms, floor) =>
    rooms.map((room) => {
      const below = arrows.flatMap(({ from, to }) => (from === room ? [to] : [])).sort();
      return `${floor + 1}  ${room.padEnd(width)}${below.length > 0 ? `  → ${below.join(' ')}` : ''}`.trimEnd();
    }),
  );
  return lines.reverse().join('\n');
}
