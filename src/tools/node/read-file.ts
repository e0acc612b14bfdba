import type { BigIntStats } from 'node:fs';
import { type FileHandle, lstat, opendir, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { WorkflowError } from '../../core/errors/errors.ts';
import { readRegularFile, withOpenFile } from '../../core/node/files/read-regular-file.ts';
import { fileProblem, systemCode } from '../../core/node/files/system-code.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { defineTool } from '../define/define-tool.ts';
import { nameMatcher } from './name-matcher.ts';

/** Names of files that usually hold secrets, as patterns of `nameMatcher`. */
// biome-ignore format: one line per kind of secret
const secretFiles: readonly string[] = [
  // environments, and files named after their secrets
  '.env', '.env.*', '*.env', '.envrc', '.secrets', '.secrets/*', 'secrets.json', 'secrets.yml', 'secrets.yaml', 'secrets.toml', 'secrets.ini', 'secrets.properties', 'secret.key', 'credentials', 'credentials.json', 'credentials.yml', 'credentials.yaml', 'credentials.toml', 'credentials.ini', '.credentials*', 'auth.json', '.token', 'client_secret*.json',
  // private keys and key stores
  '.ssh/*', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', 'ssh_host_*_key', '*.ppk',
  '*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.pkcs12', '*.jks', '*.jceks', '*.keystore', '*.bcfks', '*.kdb', '*.kdbx', '*.keychain', '*.keychain-db',
  '.gnupg/*', '*.gpg', 'secring.*', '.password-store/*', '*.ovpn', 'wallet.dat',
  // version control and packages
  '.git/*', '.git-credentials', '.gitconfig', '.config/git/*', '.config/gh/*', '.config/hub', '.hgrc', '.svn/*',
  '.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.cargo/credentials*', '.gem/*', '.m2/settings*.xml', '.gradle/gradle.properties', '.composer/auth.json', '.nuget/*',
  // machines and networks
  '.netrc', '_netrc', '.authinfo', '.htpasswd', '.htdigest', 'shadow', 'gshadow', '.s3cfg', '.boto', 'rclone.conf', '.rclone.conf', '.ftpconfig',
  // databases
  '.pgpass', 'pgpass.conf', '.my.cnf', '.mylogin.cnf', '.mongorc.js', '.dbshell', '.redisclirc',
  // clouds and containers
  '.aws/*', '.azure/*', '.config/gcloud/*', 'application_default_credentials.json', 'service-account*.json', 'service_account*.json', '*firebase-adminsdk*.json', '.oci/*', '.doctl/*',
  '.docker/*', '.dockercfg', '.dockerconfigjson', '.kube/*', 'kubeconfig', '*.kubeconfig', '.helm/*', '.vault-token', '.terraformrc', '*.tfstate', '*.tfstate.*', '*.tfvars', '*.tfvars.json',
  // input histories
  '.*_history', '.lesshst', '.viminfo',
  // this package
  '.agent-machines/*',
];

export interface ReadFileOptions {
  /** Root folder; files outside it cannot be read. `undefined` makes the tool unavailable. */
  readonly root: string | undefined;
  /** Maximum size of a file, in bytes. @default 1_000_000 */
  readonly maxBytes?: number;
  /**
   * Additional files to reject, besides those that often hold secrets, such as `.env`, `*.pem` or `.git/*` (`secretFiles` in the source). Each is a
   * name, or several names joined with `/`. It matches at any depth, in any letter case and Unicode form; `*` stands for any characters of
   * one name.
   * @default []
   */
  readonly denied?: readonly string[];
}

const isSecret = nameMatcher(secretFiles);
const noFolder = 'No folder is open. Pass one with --root.';

/**
 * The tool `read_file`: returns the text of a file in one folder.
 *
 * A file with several names (hard links) is read only if all of them are in the folder and none of them is denied.
 *
 * A call throws `PATH_OUTSIDE_ROOT`, `PATH_DENIED`, `FILE_NOT_FOUND`, `FILE_NOT_REGULAR`, `FILE_TOO_LARGE` or `FILE_NOT_TEXT`;
 * `TOOL_UNAVAILABLE` when the folder itself cannot be reached.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an empty `root`, a `maxBytes` that is not a whole number above 0, or a `denied` name with
 * other wildcards than `*`.
 * @example readFile({ root: './docs' })
 */
export function readFile({ root, maxBytes = 1_000_000, denied = [] }: ReadFileOptions): Tool {
  if (root === '') throw invalidOption('root is empty', 'Pass a folder, or undefined for none.');
  checkInteger('maxBytes', maxBytes, { min: 1 });
  const isDeniedToo = nameMatcher(denied);
  const isDenied = (names: readonly string[]): boolean => isSecret(names) || isDeniedToo(names);
  const folder = root === undefined ? undefined : resolve(root);
  return defineTool({
    name: 'read_file',
    description: 'Reads a text file of the open folder.',
    access: 'inbox',
    // the file has its own limit; JSON writes a control character of one byte with six
    maxOutputBytes: 6 * maxBytes + 65_536,
    ...(folder === undefined ? { unavailable: noFolder } : {}),
    primaryInput: 'path',
    input: objectSchema({ path: { type: 'string', description: 'Relative to the open folder, for example docs/guide.md.' } }),
    async execute({ path }, { signal }) {
      signal.throwIfAborted();
      if (folder === undefined) throw new WorkflowError({ code: 'TOOL_UNAVAILABLE', message: noFolder });
      const names = namesIn(path);
      if (path.length > maxPathLength || names.some((name) => name.length > maxNameLength)) throw missing(path);
      if (isDenied(names)) throw deniedPath(path);
      if (names.length === 0) throw notRegular(path);
      const realRoot = await realpath(folder).catch((cause: unknown) => {
        throw new WorkflowError({
          code: 'TOOL_UNAVAILABLE',
          message: `The open folder cannot be reached (${systemCode(cause) ?? 'unknown error'}).`,
          hint: 'Check the folder of --root.',
          cause,
        });
      });
      const target = join(realRoot, ...names);
      try {
        const file = await withOpenFile(target, async (handle) => {
          for (const realNames of await namesBelow(realRoot, handle, target, path, signal)) {
            if (isDenied(realNames)) throw deniedPath(path);
          }
          return readRegularFile(handle, { maxBytes, signal });
        });
        if (file.kind === 'irregular') throw notRegular(path);
        if (file.kind === 'large') throw tooLarge(path, maxBytes);
        return { path: names.join('/'), text: decode(file.bytes, path) };
      } catch (error) {
        signal.throwIfAborted();
        throw WorkflowError.isInstance(error) ? error : fromSystem(error, path);
      }
    },
  });
}

/** Maximum length of a path on any system. Limits the text from the model that is compared with the names of secrets. */
const maxPathLength = 32_767;
const maxNameLength = 255;

const structuralEscape = /%(?:[01][0-9a-f]|2[5ef]|3a|5c|7[ef]|c[01])/i;
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i;

/** Splits a relative path into names. Rejects names that are special on any system. */
function namesIn(path: string): string[] {
  if (/[\p{Cc}\p{Cs}]/u.test(path)) throw outside(path, 'has a control character or a lone surrogate');
  if (/^[/\\]/.test(path)) throw outside(path, 'is not relative');
  if (path.startsWith('~')) throw outside(path, 'begins with "~"');
  if (path.includes(':')) throw outside(path, 'has a ":", the sign of a drive, a URL or a stream');
  if (structuralEscape.test(path)) throw outside(path, 'has a percent escape that would change its target');
  const names = path.split(/[/\\]/).filter((name) => name !== '' && name !== '.');
  for (const name of names) {
    if (name === '..') throw outside(path, 'has a ".."');
    if (/[. ]$/.test(name)) throw outside(path, 'has a name that ends in a dot or a space');
    if (deviceName.test(name)) throw outside(path, 'names a device');
  }
  return names;
}

/**
 * Returns the names below the root of the file that was actually opened, after all links. A file with several names (hard links) may come
 * from outside, so all of them must be below the root.
 */
async function namesBelow(
  realRoot: string,
  handle: FileHandle,
  target: string,
  path: string,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  // resolving the path again would find the current file rather than the opened one
  const real = process.platform === 'linux' ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(target);
  const below = relative(realRoot, real);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) throw outside(path, 'leads out of the folder');
  const opened = await handle.stat({ bigint: true });
  const named = await lstat(real, { bigint: true }).catch(() => undefined);
  if (named?.dev !== opened.dev || named.ino !== opened.ino) throw outside(path, 'was replaced while it was being opened');
  if (!opened.isFile() || opened.nlink <= 1n) return [below.split(sep)];
  const names = await linkedNames(realRoot, opened, signal);
  if (!names) throw outside(path, 'has other names that may be outside the folder');
  return names;
}

function decode(bytes: Uint8Array, path: string): string {
  if (!bytes.includes(0)) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      // the TypeError adds nothing to the error below
    }
  }
  throw new WorkflowError({ code: 'FILE_NOT_TEXT', message: `${quote(path)} is not UTF-8 text.`, hint: 'Request a text file.' });
}

function fromSystem(cause: unknown, path: string): WorkflowError {
  const reason = systemCode(cause) ?? 'unknown error';
  const problem = fileProblem(reason);
  if (problem === 'irregular') return notRegular(path);
  if (problem === 'missing') return missing(path, cause);
  return unread(problem === 'denied' ? 'PATH_DENIED' : 'TOOL_FAILED', `${quote(path)} cannot be read (${reason}).`, cause);
}

const missing = (path: string, cause?: unknown): WorkflowError =>
  unread('FILE_NOT_FOUND', `The file ${quote(path)} does not exist.`, cause);

const unread = (code: 'FILE_NOT_FOUND' | 'PATH_DENIED' | 'TOOL_FAILED', message: string, cause: unknown): WorkflowError =>
  new WorkflowError({ code, message, hint: 'Check the path, or request another file.', cause });

const outside = (path: string, what: string): WorkflowError =>
  new WorkflowError({
    code: 'PATH_OUTSIDE_ROOT',
    message: `${quote(path)} is not a file of the open folder. The path ${what}.`,
    hint: 'Pass a path relative to the open folder, such as docs/guide.md.',
  });

const deniedPath = (path: string): WorkflowError =>
  new WorkflowError({
    code: 'PATH_DENIED',
    message: `${quote(path)} is denied, because such files often hold secrets.`,
    hint: 'Request another file.',
  });

const notRegular = (path: string): WorkflowError =>
  new WorkflowError({ code: 'FILE_NOT_REGULAR', message: `${quote(path)} is not a regular file.`, hint: 'Pass the path of a file.' });

const tooLarge = (path: string, maxBytes: number): WorkflowError =>
  new WorkflowError({
    code: 'FILE_TOO_LARGE',
    message: `${quote(path)} is larger than ${maxBytes} bytes.`,
    hint: 'Request a smaller file, or raise maxBytes.',
  });

const invalidOption = (what: string, hint: string): WorkflowError => optionInvalid(`The options of read_file are invalid: ${what}.`, hint);

/** Quotes the path without characters that could control a terminal or cannot be stored. */
const quote = (path: string): string => `"${path.replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd')}"`;

/** Maximum number of entries searched. Larger folders are rejected, because each read of a linked file would search all of them. */
const maxEntries = 20_000;

/**
 * Finds all names below `root` of a file with hard links, each split into its parts. Returns `undefined` if some names are elsewhere, or if
 * the folder is too large.
 */
async function linkedNames(root: string, { dev, ino, nlink }: BigIntStats, signal: AbortSignal): Promise<readonly string[][] | undefined> {
  const found: string[][] = [];
  const folders = [root];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const open = await opendir(folder).catch(() => undefined); // an unreadable folder may contain a name, which then counts as missing
    if (!open) continue;
    for await (const entry of open) {
      signal.throwIfAborted();
      if (++entries > maxEntries) return undefined;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      const stat = await lstat(path, { bigint: true }).catch(() => undefined);
      if (stat?.dev === dev && stat.ino === ino) found.push(relative(root, path).split(sep));
      if (BigInt(found.length) === nlink) return found;
    }
  }
  return undefined;
}
