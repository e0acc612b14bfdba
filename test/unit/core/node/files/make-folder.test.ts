import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../../../../src/core/node/files/make-folder.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-machines-folder-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('makeFolder', () => {
  it('makes a folder and its parents, and leaves existing ones unchanged', () => {
    const path = join(folder(), 'a', 'b', 'c');
    makeFolder(path);
    writeFileSync(join(path, 'kept.txt'), '');
    makeFolder(path);
    expect(existsSync(join(path, 'kept.txt'))).toBe(true);
  });

  it('reports folders that cannot be made: inside a file, and in a system folder', () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(join(file, 'a', 'b'))).toThrow(/ENOTDIR|EEXIST|ENOENT/);
    expect(() => makeFolder('/proc/agent-machines/a/b')).toThrow(/^E[A-Z]+: /);
  });
});
