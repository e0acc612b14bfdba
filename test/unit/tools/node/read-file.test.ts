import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Json } from 'agent-machines';
import { type ReadFileOptions, readFile } from 'agent-machines/tools/node';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codePoint } from '../../../fixtures/code-point.ts';
import { plainInputOf } from '../../../fixtures/plain-input.ts';
import { share } from '../../../fixtures/share.ts';

const outsideText = 'outside the root';
let base: string;
let root: string;

function write(path: string, content: string | Uint8Array): void {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'read-file-')));
  root = join(base, 'data');
  write('data/a.md', 'inside');
  write('data/docs/guide.md', 'Grüße, 서울 👋\n');
  write('data/empty.txt', '');
  write('secret.txt', outsideText);
  write('data-secret/x', outsideText);
});

afterAll(() => {
  rmSync(base, { recursive: true });
});

const read = (path: string, options: Partial<ReadFileOptions> = {}, signal = new AbortController().signal): Promise<Json> =>
  readFile({ root, ...options }).execute({ path }, { signal, idempotencyKey: 'key', attempt: 1 });

/** What a call ends with: its code, or what it read. */
const outcome = (path: string, options: Partial<ReadFileOptions> = {}): Promise<unknown> =>
  read(path, options).catch((error: { code?: string }) => error.code ?? error);

describe('readFile', () => {
  it('is a pure tool that returns private, untrusted text', async () => {
    const tool = readFile({ root });
    expect(tool).toMatchObject({
      name: 'read_file',
      effect: 'pure',
      capabilities: { private: true, untrusted: true, external: false },
    });
    expect(tool.unavailable).toBeUndefined();
    expect(await plainInputOf(tool)).toEqual({ path: 'x' });
  });

  it('reads a text', async () => {
    await expect(read('docs/guide.md')).resolves.toEqual({ path: 'docs/guide.md', text: 'Grüße, 서울 👋\n' });
    await expect(read('empty.txt')).resolves.toEqual({ path: 'empty.txt', text: '' });
  });

  it.each(['./docs/guide.md', 'docs//guide.md', 'docs\\guide.md', 'docs/./guide.md'])(
    'returns the path of %s with slashes',
    async (path) => {
      await expect(read(path)).resolves.toMatchObject({ path: 'docs/guide.md' });
    },
  );

  it('reads names that only look special', async () => {
    for (const name of ['...a', '.hidden', 'a b.txt', '100%.txt', 'a%20b', 'console.log', 'común.md', '~', 'key.txt', 'env'].map(
      (n) => `odd/${n}`,
    )) {
      write(`data/${name}`, name);
      await expect(read(name)).resolves.toEqual({ path: name, text: name });
    }
  });

  it('follows a root that is a link itself', async () => {
    symlinkSync(root, join(base, 'root-link'));
    await expect(read('a.md', { root: join(base, 'root-link') })).resolves.toMatchObject({ text: 'inside' });
  });

  it('reads a file with a second name', async () => {
    linkSync(join(root, 'a.md'), join(root, 'second-name.md'));
    await expect(read('second-name.md')).resolves.toMatchObject({ text: 'inside' });
  });

  it('is unavailable without a folder', async () => {
    const tool = readFile({ root: undefined });
    expect(tool.unavailable).toBe('No folder is open. Pass one with --root.');
    const context = { signal: new AbortController().signal, idempotencyKey: 'key', attempt: 1 };
    await expect(tool.execute({ path: 'a.md' }, context)).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE' });
  });

  it('is unavailable if the folder does not exist', async () => {
    await expect(read('a.md', { root: join(base, 'nowhere') })).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE' });
  });

  it('keeps the whole of a file within its own limit', () => {
    expect(readFile({ root, maxBytes: 200_000 }).maxOutputBytes).toBeGreaterThan(200_000 * '\\u0001'.length);
  });

  it.each<Partial<ReadFileOptions>>([
    { root: '' },
    { maxBytes: 0 },
    { maxBytes: Number.NaN },
    { maxBytes: Number.POSITIVE_INFINITY },
    { maxBytes: 1.5 },
    ...['', '/x', 'x/', 'a//b', '.', '../x', '**/x', 'x/**', 'a\\b', 'x?', '[ab]', '{a,b}', '!x'].map((name) => ({ denied: [name] })),
  ])('cannot be made with %o', (options) => {
    expect(() => readFile({ root, ...options })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('refuses undeclared arguments', async () => {
    const context = { signal: new AbortController().signal, idempotencyKey: 'key', attempt: 1 };
    await expect(readFile({ root }).execute({ path: 'a.md', root: '/' }, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
  });

  it('throws the reason of an abort, before and during the read', async () => {
    const reason = new Error('stop');
    await expect(read('a.md', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const reading = read('a.md', {}, controller.signal);
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});

describe('readFile: paths that are not relative to the root (B27, B29)', () => {
  it.each([
    '../../etc/passwd',
    '../secret.txt',
    'docs/../../secret.txt',
    'docs/../a.md',
    '..',
    '..\\secret.txt',
    '/etc/passwd',
    '//server/share/x',
    '\\\\server\\share\\x',
    '\\\\?\\C:\\x',
    '\\\\.\\C:\\x',
    '\\x',
    'C:\\x',
    'C:/x',
    'c:x',
    '~',
    '~/x',
    '~root/x',
    'file:///etc/passwd',
    'FILE://x',
    '%2e%2e%2fsecret.txt',
    '%2E%2E/secret.txt',
    '..%2fsecret.txt',
    'docs%5c..%5c..%5csecret.txt',
    '%252e%252e%252fsecret.txt',
    '%c0%ae%c0%ae/secret.txt',
    'a.md%00.txt',
    '%7e/x',
    'C%3a/x',
  ])('refuses %s', async (path) => {
    const refusal = expect.objectContaining({ code: 'PATH_OUTSIDE_ROOT', message: expect.stringContaining(`"${path}"`) });
    await expect(read(path)).rejects.toEqual(refusal);
  });

  it("refuses a sibling with the root's name as prefix, by path and by link", async () => {
    expect(await outcome('../data-secret/x')).toBe('PATH_OUTSIDE_ROOT');
    expect(await outcome(join(base, 'data-secret/x'))).toBe('PATH_OUTSIDE_ROOT');
    symlinkSync('../data-secret/x', join(root, 'twin'));
    expect(await outcome('twin')).toBe('PATH_OUTSIDE_ROOT');
    symlinkSync('../data-secret', join(root, 'twin-folder'));
    expect(await outcome('twin-folder/x')).toBe('PATH_OUTSIDE_ROOT');
  });
});

describe('readFile: names that are special on some system (B32)', () => {
  it.each([
    'a.md\0',
    'a.md\0.txt',
    '\u0001',
    'a\nb',
    'a\u007f',
    'a\u0085b',
    'a\ud800',
    'CON',
    'con',
    'NUL',
    'nul.txt',
    'docs/COM1',
    'com¹.log',
    'LPT9',
    'aux .txt',
    'prn/x',
    'CONOUT$',
    'a.md.',
    'a.md ',
    'docs./guide.md',
    'docs /guide.md',
    '...',
    '. ',
    'a.md::$DATA',
    'x:y',
    'docs/x:y',
  ])('refuses %j', async (path) => {
    expect(await outcome(path)).toBe('PATH_OUTSIDE_ROOT');
  });

  it('omits control characters from its message', async () => {
    await expect(read('a\u001b[2J\0b')).rejects.toMatchObject({ message: expect.stringContaining('"a\ufffd[2J\ufffdb"') });
  });
});

// the way that systems without /proc take runs on Linux too
describe.each([process.platform, 'other'])('readFile: links (B28), platform %s', (platform) => {
  const real = process.platform;
  let folder: string;

  beforeAll(() => {
    folder = `links-${platform}`;
    mkdirSync(join(root, folder));
    Object.defineProperty(process, 'platform', { value: platform });
  });

  afterAll(() => {
    Object.defineProperty(process, 'platform', { value: real });
  });

  const link = (target: string, name: string): string => {
    symlinkSync(target, join(root, folder, name));
    return `${folder}/${name}`;
  };

  it('reads through a link that stays inside', async () => {
    await expect(read(link('../a.md', 'inside'))).resolves.toEqual({ path: `${folder}/inside`, text: 'inside' });
    await expect(read(`${link('../docs', 'inside-folder')}/guide.md`)).resolves.toMatchObject({ text: expect.stringContaining('서울') });
    await expect(read(link(join(root, 'a.md'), 'inside-absolute'))).resolves.toMatchObject({ text: 'inside' });
    await expect(read(link(`../../data/a.md`, 'out-and-in'))).resolves.toMatchObject({ text: 'inside' });
  });

  it('refuses a link that leads out, without naming its target', async () => {
    for (const path of [
      link('../../secret.txt', 'relative'),
      link(join(base, 'secret.txt'), 'absolute'),
      link('relative', 'twice'),
      `${link('../..', 'parent')}/secret.txt`,
      `${link('/', 'system')}/etc/passwd`,
      link('/dev/zero', 'zero'),
      link('/proc/self/environ', 'environ'),
    ]) {
      const error = await read(path).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'PATH_OUTSIDE_ROOT', message: expect.stringContaining(`"${path}"`) });
      expect(JSON.stringify(error)).not.toContain(base);
    }
  });

  it('refuses a link to the root itself, which is a folder', async () => {
    expect(await outcome(link('..', 'to-root'))).toBe('FILE_NOT_REGULAR');
  });

  it('reports a missing file behind a dangling or circular link', async () => {
    expect(await outcome(link('nowhere', 'dangling'))).toBe('FILE_NOT_FOUND');
    expect(await outcome(link('loop', 'loop'))).toBe('FILE_NOT_FOUND');
  });

  it('denies a secret behind a link with a harmless name, and a harmless file behind a link with a denied name', async () => {
    write(`data/${folder}/.env`, 'KEY=1');
    write(`data/${folder}/.ssh/config`, 'Host x');
    expect(await outcome(link('.env', 'notes.txt'))).toBe('PATH_DENIED');
    expect(await outcome(`${link('.ssh', 'folder')}/config`)).toBe('PATH_DENIED');
    expect(await outcome(link('../a.md', 'a.pem'))).toBe('PATH_DENIED');
  });

  const reads = share(500, 150);

  it('never reads the outside while links are swapped', async () => {
    const targets = ['../a.md', '../../secret.txt'];
    const path = `${folder}/swapped`;
    let swaps = 0;
    let running = true;
    const swap = (): void => {
      if (!running) return;
      symlinkSync(targets[swaps++ % 2] ?? '', join(root, `${path}.new`));
      renameSync(join(root, `${path}.new`), join(root, path));
      setImmediate(swap); // at each turn of the loop: between any two system calls of a read
    };
    swap();
    const outcomes: unknown[] = [];
    for (let i = 0; i < reads; i++) outcomes.push(await outcome(path));
    running = false;
    expect(swaps).toBeGreaterThan(reads);
    for (const result of outcomes) expect([{ path, text: 'inside' }, 'PATH_OUTSIDE_ROOT']).toContainEqual(result);
    expect(outcomes).toContain('PATH_OUTSIDE_ROOT');
  });

  it('never reads the outside while a folder is swapped', async () => {
    write(`data/${folder}/real/secret.txt`, 'inside');
    const path = `${folder}/current/secret.txt`;
    let swaps = 0;
    let running = true;
    const swap = (): void => {
      if (!running) return;
      symlinkSync(swaps++ % 2 === 0 ? 'real' : base, join(root, folder, 'next'));
      renameSync(join(root, folder, 'next'), join(root, folder, 'current'));
      setImmediate(swap);
    };
    swap();
    const outcomes: unknown[] = [];
    for (let i = 0; i < reads; i++) outcomes.push(await outcome(path));
    running = false;
    for (const result of outcomes) expect([{ path, text: 'inside' }, 'PATH_OUTSIDE_ROOT']).toContainEqual(result);
    expect(outcomes).toContain('PATH_OUTSIDE_ROOT');
  });
});

describe('readFile: files with several names', () => {
  const linked = (target: string, name: string): string => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    linkSync(join(base, target), join(root, name));
    return name;
  };

  it('are read if all their names are in the folder', async () => {
    write('data/hard/one.md', 'inside');
    linked('data/hard/one.md', 'hard/two.md');
    linked('data/hard/one.md', 'hard/deep/er/three.md');
    for (const name of ['one', 'two', 'deep/er/three'])
      await expect(read(`hard/${name}.md`)).resolves.toEqual({ path: `hard/${name}.md`, text: 'inside' });
  });

  it('are refused if one of them is outside, by each of the others, without its path', async () => {
    write('elsewhere/passwords', outsideText);
    for (const name of [linked('elsewhere/passwords', 'hard/notes.md'), linked('elsewhere/passwords', 'hard/more.md')]) {
      const error = await read(name).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'PATH_OUTSIDE_ROOT', message: expect.stringContaining('other names') });
      expect(JSON.stringify(error)).not.toContain('elsewhere');
    }
    symlinkSync('notes.md', join(root, 'hard/link-to-it'));
    expect(await outcome('hard/link-to-it')).toBe('PATH_OUTSIDE_ROOT');
    // a folder of the root that is itself outside the new root
    expect(await outcome('notes.md', { root: join(root, 'hard') })).toBe('PATH_OUTSIDE_ROOT');
  });

  it('are readable again after the outside name is removed', async () => {
    write('elsewhere/passing', 'inside');
    const name = linked('elsewhere/passing', 'hard/passing.md');
    expect(await outcome(name)).toBe('PATH_OUTSIDE_ROOT');
    rmSync(join(base, 'elsewhere/passing'));
    await expect(read(name)).resolves.toMatchObject({ text: 'inside' });
  });

  it('are denied if one of their names is that of a secret', async () => {
    write('data/hard/.env', 'KEY=1');
    expect(await outcome(linked('data/hard/.env', 'hard/harmless.md'))).toBe('PATH_DENIED');
  });

  it('are not counted twice because of a link to a folder', async () => {
    write('elsewhere/twice', outsideText);
    const name = linked('elsewhere/twice', 'loop/twice.md');
    symlinkSync('.', join(root, 'loop/again'));
    expect(await outcome(name)).toBe('PATH_OUTSIDE_ROOT');
  });
});

describe('readFile: irregular files (B30)', () => {
  it('refuses a folder and the root', async () => {
    for (const path of ['docs', 'docs/', '.', './', '']) expect(await outcome(path)).toBe('FILE_NOT_REGULAR');
  });

  it('refuses a FIFO without waiting for a writer', async () => {
    execFileSync('mkfifo', [join(root, 'fifo')]);
    expect(await outcome('fifo')).toBe('FILE_NOT_REGULAR');
  });

  it('refuses a socket', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(root, 'socket'), done));
    expect(await outcome('socket')).toBe('FILE_NOT_REGULAR');
    await new Promise((done) => server.close(done));
  });

  it('refuses a device', async () => {
    expect(await outcome('zero', { root: '/dev' })).toBe('FILE_NOT_REGULAR');
  });

  it('refuses the files of /proc, which claim to be regular', async () => {
    expect(await outcome('proc/self/environ', { root: '/' })).toBe('FILE_NOT_REGULAR');
    expect(await outcome('environ', { root: `/proc/${process.pid}` })).toBe('FILE_NOT_REGULAR');
  });

  it('refuses a file that is too large, sparse or not', async () => {
    write('data/ten.txt', '0123456789');
    await expect(read('ten.txt', { maxBytes: 10 })).resolves.toMatchObject({ text: '0123456789' });
    expect(await outcome('ten.txt', { maxBytes: 9 })).toBe('FILE_TOO_LARGE');
    write('data/sparse.bin', '');
    truncateSync(join(root, 'sparse.bin'), 10_000_000_000);
    expect(await outcome('sparse.bin')).toBe('FILE_TOO_LARGE');
  });

  it('reads a million bytes by default', async () => {
    const text = 'x'.repeat(1_000_000);
    write('data/million.txt', text);
    await expect(read('million.txt')).resolves.toEqual({ path: 'million.txt', text });
    write('data/million-and-one.txt', `${text}x`);
    expect(await outcome('million-and-one.txt')).toBe('FILE_TOO_LARGE');
  });
});

describe('readFile: secrets (B31)', () => {
  it.each([
    '.env',
    '.env.local',
    '.ENV.Production',
    '.ssh/config',
    '.SSH/known_hosts',
    'server.pem',
    'Server.PEM',
    'tls.key',
    'id_rsa',
    'ID_RSA.pub',
    '.git/config',
    '.Git/hooks/pre-commit',
    '.npmrc',
    '.netrc',
    '.aws/credentials',
    'store.p12',
    'store.PFX',
    '.agent-machines/runs.db',
    '.\u017f\u017fh/config',
    // version control, packages, databases, clouds
    '.git-credentials',
    '.gitconfig',
    '.config/gh/hosts.yml',
    '.config/gcloud/credentials.db',
    '.pypirc',
    '.yarnrc.yml',
    '.cargo/credentials.toml',
    '.m2/settings.xml',
    '.pgpass',
    '.my.cnf',
    '.docker/config.json',
    '.dockercfg',
    '.kube/config',
    'kubeconfig',
    'prod.kubeconfig',
    '.vault-token',
    'terraform.tfstate',
    'terraform.tfstate.backup',
    'prod.tfvars',
    'credentials.json',
    'client_secret_1234.apps.json',
    'application_default_credentials.json',
    // keys and stores of them
    'id_ed25519',
    'id_ed25519_sk',
    'id_ecdsa.pub',
    'id_dsa',
    'putty.ppk',
    'release.jks',
    'debug.KEYSTORE',
    'AuthKey_1.p8',
    'vault.kdbx',
    '.gnupg/secring.gpg',
    '_netrc',
    '.htpasswd',
    'prod.env',
    '.envrc',
    'secrets.yaml',
    '.bash_history',
    'ssh_host_ed25519_key',
    'credentials.yml',
    '.dockerconfigjson',
    'auth.json',
    'shop-firebase-adminsdk-1a2b3.json',
    // copies that editors and people leave
    '.env~',
    '.env.bak',
    'server.pem.old',
    'id_rsa.orig',
    '.id_ed25519.swp',
    '.pgpass.bak~',
    'release.jks.1',
    '#.env#',
    '.env copy',
    '.env copy 2',
    '.env - Copy (2)',
    '.env (1)',
    '.pgpass (3rd copy)',
    'release.jks (another copy)',
    // other spellings of the same name
    '\uff0eenv',
    '.e\u200bnv',
    '.\u200cgit/config',
    '.PGPA\u017fS',
    'relea\u017fe.JK\u017f',
    '\u212aubeconfig',
    'id_ed\u{1d7d0}5519',
  ])('denies %s at any depth', async (name) => {
    for (const path of [`secrets/${name}`, `secrets/deep/er/${name}`, name]) {
      write(`data/${path}`, 'secret');
      await expect(read(path)).rejects.toMatchObject({ code: 'PATH_DENIED', message: expect.stringContaining(`"${path}"`) });
    }
  });

  it('hides whether a denied file exists', async () => {
    expect(await outcome('nowhere/.env')).toBe('PATH_DENIED');
  });

  it('denies the names of the options, and still the built-in ones', async () => {
    const options = { denied: ['private/*', '*.secret', 'a+b'] };
    for (const path of ['private/x', 'docs/Private/deep/x', 'x.secret', 'docs/a+b', 'docs/.env'])
      expect(await outcome(path, options)).toBe('PATH_DENIED');
    for (const path of ['private', 'xsecret', 'docs/aab']) expect(await outcome(path, options)).toBe('FILE_NOT_FOUND');
  });

  it('denies names of the options in any Unicode form', async () => {
    for (const path of ['r\u00e9sum\u00e9', 're\u0301sume\u0301', 'RE\u0301SUM\u00c9', 're\u0301sum\u00e9.bak'])
      expect([path, await outcome(path, { denied: ['r\u00e9sum\u00e9'] })]).toEqual([path, 'PATH_DENIED']);
  });

  it("reads a file with only a part of a secret's name", async () => {
    for (const path of [
      'environment.md',
      'keys.md',
      'git.md',
      'my.pem.md',
      'history.md',
      'credentials.md',
      'about-secrets.md',
      'shadow.md',
    ]) {
      write(`data/named/${path}`, path);
      await expect(read(`named/${path}`)).resolves.toMatchObject({ text: path });
    }
  });

  it('may have a root inside a folder that it would deny', async () => {
    write('.agent-machines/work/a.md', 'allowed');
    await expect(read('a.md', { root: join(base, '.agent-machines/work') })).resolves.toMatchObject({ text: 'allowed' });
  });
});

describe('readFile: unreadable files', () => {
  it.each(['nowhere.md', 'nowhere/x', 'a.md/x', `${'x'.repeat(300)}.md`])('reports that no file exists %s', async (path) => {
    await expect(read(path)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', message: expect.stringContaining(path) });
  });

  it('skips names that are too long for a secret, however often they repeat the mark of a copy', async () => {
    expect(await outcome(`.env${'.bak'.repeat(62)}`)).toBe('PATH_DENIED');
    expect(await outcome(`.env${'.bak'.repeat(63)}`)).toBe('FILE_NOT_FOUND');
    expect(await outcome(`a${'.1'.repeat(400_000)}`)).toBe('FILE_NOT_FOUND');
    expect(await outcome('.git/'.repeat(200_000))).toBe('FILE_NOT_FOUND');
  });

  it.each([
    ['Latin-1', Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65)],
    ['a cut character', Uint8Array.of(0x61, 0xe2, 0x82)],
    ['an encoded surrogate', Uint8Array.of(0xed, 0xa0, 0x80)],
    ['NUL', Uint8Array.of(0x61, 0x00, 0x62)],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x61, 0x00)],
  ])('refuses %s, which is not text', async (_, bytes) => {
    write('data/bytes', bytes);
    expect(await outcome('bytes')).toBe('FILE_NOT_TEXT');
  });

  it('leaves no file open in any case', async () => {
    symlinkSync('../secret.txt', join(root, 'leak'));
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    await Promise.all(Array.from({ length: 100 }, () => ['a.md', 'leak', 'docs'].map((path) => outcome(path))).flat());
    expect(openFiles()).toBeLessThan(before + 100);
  });

  it('reports a refusal of the system', async () => {
    // a file that not even root may open for reading, and one that fails when it is read
    expect(await outcome('drop_caches', { root: '/proc/sys/vm' })).toBe('PATH_DENIED');
    expect(await outcome('mem', { root: `/proc/${process.pid}` })).toBe('TOOL_FAILED');
  });
});

describe('readFile: random paths', () => {
  afterEach(() => {
    rmSync(join(root, 'fuzz'), { recursive: true });
  });

  it('are refused, or read a file inside the root', async () => {
    write('data/fuzz/docs/a.md', 'inside');
    write('data/fuzz/a.md', 'inside');
    write('data/fuzz/.git/a.md', 'denied');
    symlinkSync('../..', join(root, 'fuzz/up'));
    symlinkSync('docs', join(root, 'fuzz/in'));
    symlinkSync('.git', join(root, 'fuzz/git'));
    symlinkSync('/', join(root, 'fuzz/top'));
    // biome-ignore format: one line per family
    const names = fc.constantFrom(
      'a.md', 'docs', 'in', 'a.md', 'docs', '.', '',
      'up', 'top', 'git', '.git', '.GIT', 'data', 'data-secret', 'secret.txt', 'x', 'etc', 'passwd',
      '..', '...', '.. ', '%2e%2e', '%2e%2e%2f', '..%5c', '~', 'C:', 'file:', '?', 'NUL', '\0', 'a.md\0', 'a.md.', 'a.md ', 'a.md::$DATA', '\ud800',
    );
    const separators = fc.constantFrom('/', '/', '/', '\\', '//', '\\\\', '%2f');
    const paths = fc
      .tuple(fc.constantFrom('', '', '', '/', '\\\\?\\', '~/', 'file://'), fc.array(fc.tuple(names, separators), { maxLength: 6 }))
      .map(([start, parts]) => start + parts.flat().slice(0, -1).join(''));
    const refusals = ['PATH_OUTSIDE_ROOT', 'PATH_DENIED', 'FILE_NOT_FOUND', 'FILE_NOT_REGULAR'];
    const seen = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(fc.oneof(paths, fc.string(), fc.string({ unit: codePoint })), async (path) => {
        const result = await read(path, { root: join(root, 'fuzz') }).then(
          (value) => (value as { text: string }).text,
          (error: { code: string }) => error.code,
        );
        seen.add(result);
        expect([...refusals, 'inside']).toContain(result);
      }),
      // by chance alone, one run in fifty would see no file inside
      { numRuns: share(3_000), examples: [['a.md'], ['..'], ['.git/a.md'], ['x'], ['docs']] },
    );
    expect([...seen]).toEqual(expect.arrayContaining([...refusals, 'inside']));
  });
});
