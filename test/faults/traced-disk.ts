import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** What a process did to the files of a folder, and what it said, in its order. */
export type DiskEvent =
  | { readonly does: 'write'; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly does: 'cut'; readonly file: string; readonly length: number }
  | { readonly does: 'make' | 'remove' | 'sync'; readonly file: string }
  /** Makes durable which files there are. */
  | { readonly does: 'sync folder' }
  | { readonly does: 'say'; readonly text: string };

/** How a process is started for `readDiskEvents`: its first thread alone is watched, which is the one that uses SQLite. */
export const watchedBy = (trace: string): readonly string[] => {
  const calls = 'openat,write,pwrite64,ftruncate,unlink,fsync,fdatasync';
  return ['strace', '-y', '-xx', '-s', '16000000', '-e', `trace=${calls}`, '-o', trace];
};

/** Reads what `strace` has written of a process that has ended. What SQLite shares between processes (`-shm`) is no part of a disk. */
export function readDiskEvents(trace: string, folder: string): readonly DiskEvent[] {
  const there = new Set<string>();
  return readFileSync(trace, 'latin1')
    .split('\n')
    .flatMap((line) => toEvent(line, folder, there) ?? []);
}

const callForm = /^(\w+)\((?:(\d+|AT_FDCWD)(?:<([^>]*)>)?)?(?:, )?(?:"([^"]*)"(\.\.\.)?)?(?:, )?(.*)\) += (-?\d+)/;

function toEvent(line: string, folder: string, there: Set<string>): DiskEvent | undefined {
  const [, call, fd, fdPath = '', text = '', cut, rest = '', returned] = callForm.exec(line) ?? [];
  if (call === undefined || Number(returned) < 0) return undefined;
  if (cut !== undefined) throw new Error('The trace holds no whole writes.');
  if (call === 'write' && fd === '1') return { does: 'say', text: unescaped(text).toString() };
  const path = call === 'openat' || call === 'unlink' ? unescaped(text).toString() : unescaped(fdPath).toString();
  if (path === folder) return call === 'fsync' ? { does: 'sync folder' } : undefined;
  if (dirname(path) !== folder || path.endsWith('-shm')) return undefined;
  const file = basename(path);
  switch (call) {
    case 'openat':
      if (!rest.includes('O_CREAT') || there.has(file)) return undefined;
      there.add(file);
      return { does: 'make', file };
    case 'unlink':
      there.delete(file);
      return { does: 'remove', file };
    case 'pwrite64': {
      const [length, at] = rest.split(', ').map(Number);
      if (length !== Number(returned)) throw new Error('A write was not whole.');
      return { does: 'write', file, at: at ?? 0, bytes: unescaped(text) };
    }
    case 'ftruncate':
      return { does: 'cut', file, length: Number(rest) };
    case 'fsync':
    case 'fdatasync':
      return { does: 'sync', file };
    default:
      throw new Error(`SQLite is not expected to call ${call}.`);
  }
}

const unescaped = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');

const sectorBytes = 512;

/** A file as it would be read. */
class Content {
  #bytes: Buffer;
  #length: number;

  constructor(bytes: Buffer) {
    this.#bytes = Buffer.from(bytes);
    this.#length = bytes.length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @param survives asked for the length, or for each sector. */
  apply(event: DiskEvent, survives: () => boolean): void {
    if (event.does === 'cut' && survives()) this.#reach(event.length);
    if (event.does !== 'write') return;
    for (let from = 0, to = 0; from < event.bytes.length; from = to) {
      const at = event.at + from;
      to = Math.min(event.bytes.length, from + sectorBytes - (at % sectorBytes));
      if (!survives()) continue;
      this.#reach(Math.max(this.#length, at + to - from));
      event.bytes.copy(this.#bytes, at, from, to);
    }
  }

  #reach(length: number): void {
    if (length > this.#bytes.length) this.#bytes = Buffer.concat([this.bytes, Buffer.alloc(2 * length - this.#length)]);
    this.#bytes.fill(0, Math.min(length, this.#length), Math.max(length, this.#length));
    this.#length = length;
  }
}

interface DiskFile {
  /** Its name is there for sure. */
  isNamed: boolean;
  readonly content: Content;
  /** What may not have come to the disk. */
  waiting: DiskEvent[];
}

const always = (): boolean => true;

/**
 * A disk that loses its power: what was synced is there; of what was not, each sector, each length and each name is there or is not, in any order.
 */
export class LosingDisk {
  readonly #files = new Map<string, DiskFile>();
  /** What was removed, and may be there still. */
  readonly #removed = new Map<string, Buffer>();

  take(event: DiskEvent): void {
    if (event.does === 'say') return;
    if (event.does === 'sync folder') {
      this.#removed.clear();
      for (const file of this.#files.values()) file.isNamed = true;
      return;
    }
    const { file: name } = event;
    if (event.does === 'make') {
      this.#files.set(name, { isNamed: false, content: new Content(Buffer.alloc(0)), waiting: [] });
      return;
    }
    const file = this.#files.get(name);
    if (!file) throw new Error(`${name} was never made.`);
    if (event.does === 'remove') {
      this.#files.delete(name);
      this.#removed.set(name, file.content.bytes);
    } else if (event.does === 'sync') {
      for (const waiting of file.waiting) file.content.apply(waiting, always);
      file.waiting = [];
    } else file.waiting.push(event);
  }

  /** What is found when the power is back: each file with its content. @param survives asked for all that was not synced. */
  lose(survives: () => boolean): ReadonlyMap<string, Buffer> {
    const found = new Map([...this.#removed].filter(() => survives()));
    for (const [name, { isNamed, content, waiting }] of this.#files) {
      if (!isNamed && !survives()) continue;
      const left = new Content(content.bytes);
      for (const event of waiting) left.apply(event, survives);
      found.set(name, left.bytes);
    }
    return found;
  }
}
