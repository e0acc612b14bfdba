import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RegularFile, readRegularFile, withOpenFile } from '../../../../../src/core/node/files/read-regular-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'regular-file-'));
  path = join(folder, 'a.txt');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (file: string, maxBytes = 1_000_000, signal?: AbortSignal): Promise<RegularFile> =>
  withOpenFile(file, (handle) => readRegularFile(handle, { maxBytes, signal }));

/** The file, with something done to it before each of its pieces is read. */
const changing = (handle: FileHandle, change: () => void): FileHandle =>
  new Proxy(handle, {
    get(target, name) {
      if (name === 'read') change();
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('readRegularFile', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 200_000])('reads %i bytes and respects its limit', async (size) => {
    const bytes = Buffer.alloc(size, 'x');
    writeFileSync(path, bytes);
    expect(await read(path, Math.max(1, size))).toEqual({ kind: 'read', bytes, hasChanged: false });
    if (size > 1) expect(await read(path, size - 1)).toEqual({ kind: 'large' });
  });

  it('reports that a file has grown or shrunk during the read', async () => {
    writeFileSync(path, 'x'.repeat(10));
    let changes = 0;
    const grown = await withOpenFile(path, (handle) =>
      readRegularFile(
        changing(handle, () => changes++ === 0 && appendFileSync(path, 'yy')),
        { maxBytes: 100 },
      ),
    );
    expect(grown).toEqual({ kind: 'read', bytes: Buffer.from('xxxxxxxxxxyy'), hasChanged: true });
    const shrunk = await withOpenFile(path, (handle) =>
      readRegularFile(
        changing(handle, () => truncateSync(path, 3)),
        { maxBytes: 100 },
      ),
    );
    expect(shrunk).toEqual({ kind: 'read', bytes: Buffer.from('xxx'), hasChanged: true });
  });

  it('stops at its limit in a file that grows without end', async () => {
    writeFileSync(path, 'x');
    const endless = withOpenFile(path, (handle) =>
      readRegularFile(
        changing(handle, () => appendFileSync(path, 'x'.repeat(1_000))),
        { maxBytes: 10_000 },
      ),
    );
    expect(await endless).toEqual({ kind: 'large' });
  });

  it('stops between two reads with the reason of an abort', async () => {
    writeFileSync(path, 'x'.repeat(200_000));
    const controller = new AbortController();
    const reading = withOpenFile(path, (handle) =>
      readRegularFile(
        changing(handle, () => controller.abort('enough')),
        { maxBytes: 1_000_000, signal: controller.signal },
      ),
    );
    await expect(reading).rejects.toBe('enough');
  });

  it('follows a link only if allowed', async () => {
    writeFileSync(path, 'x');
    symlinkSync(path, join(folder, 'link'));
    expect(await read(join(folder, 'link'))).toMatchObject({ kind: 'read' });
    await expect(withOpenFile(join(folder, 'link'), () => {}, { followLinks: false })).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('refuses anything but a regular file at once', async () => {
    mkdirSync(join(folder, 'inside'));
    expect(await read(join(folder, 'inside'))).toEqual({ kind: 'irregular' });
    await expect(read(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.skipIf(process.platform === 'win32')('refuses a named pipe and a device, at once', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await read(join(folder, 'pipe'))).toEqual({ kind: 'irregular' });
    expect(await read('/dev/zero')).toEqual({ kind: 'irregular' });
  });

  it.runIf(process.platform === 'linux')('refuses the files of /proc, which claim to be regular and empty', async () => {
    expect(await read('/proc/self/environ')).toEqual({ kind: 'irregular' });
  });

  it.runIf(process.platform === 'linux')('leaves no file open in any case', async () => {
    writeFileSync(path, 'x'.repeat(10));
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    await read(path);
    await read(path, 5);
    await expect(withOpenFile(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(open()).toBe(before);
  });
});
