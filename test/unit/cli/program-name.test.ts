import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programName } from '../../../src/cli/program-name.ts';

describe('programName', () => {
  let home = '';
  let bin = '';
  const links = (...folders: string[]): void => {
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true });
      symlinkSync(bin, join(folder, 'agent-machines'));
    }
  };
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'program-name-')));
    bin = join(home, 'it is here', 'bin.js');
    mkdirSync(join(home, 'it is here'));
    writeFileSync(bin, '');
    mkdirSync(join(home, 'project', 'deep'), { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const called = ({ argv = bin, path = ['/usr/bin'], cwd = home, npm = '' }) =>
    programName({
      argv: ['node', argv],
      execPath: '/usr/bin/node',
      execArgv: [],
      env: { PATH: path.join(delimiter), npm_command: npm },
      cwd: () => cwd,
    });

  it('is the bare name when it is on the PATH', () => {
    const folder = join(home, 'local', 'bin');
    links(folder);
    expect(called({ path: ['/usr/bin', folder], argv: join(folder, 'agent-machines') })).toBe('agent-machines');
  });

  it('is npx in a clone, in a project that depends on it, and below', () => {
    const folder = join(home, 'project', 'node_modules', '.bin');
    links(folder);
    const argv = join(folder, 'agent-machines');
    // npm puts the folder in front, a shell has not
    expect(called({ argv, path: [folder, '/usr/bin'], cwd: join(home, 'project') })).toBe('npx agent-machines');
    expect(called({ argv: bin, cwd: join(home, 'project', 'deep') })).toBe('npx agent-machines');
  });

  it('is npx when npx started it', () => {
    const folder = join(home, 'cache', '_npx', '1', 'node_modules', '.bin');
    links(folder);
    const argv = join(folder, 'agent-machines');
    expect(called({ argv, path: [folder, '/usr/bin'], npm: 'exec' })).toBe('npx agent-machines');
  });

  it("is the file's path when the name leads nowhere, or to another copy", () => {
    const file = `/usr/bin/node '${bin}'`;
    expect(called({})).toBe(file);
    expect(called({ npm: 'exec' })).toBe(file); // npx has started something else, which has started this
    const folder = join(home, 'project', 'node_modules', '.bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'agent-machines'), 'another copy');
    expect(called({ cwd: join(home, 'project') })).toBe(file);
  });
});
