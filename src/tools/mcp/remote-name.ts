/**
 * Local name of a server's tool: the server's name, a dot, and the tool's name. Characters that are not allowed here are written as
 * `..HEX.`, so names stay unique and can be converted back.
 *
 * @example toLocalName('files', 'read file') // 'files.read..20.file'
 */
export const toLocalName = (server: string, remote: string): string => `${server}.${remote.replace(needsEscape, escapeOf)}`;

/** Reverses `toLocalName`; `undefined` for a name that it has not made. */
export function toRemoteName(local: string): { readonly server: string; readonly remote: string } | undefined {
  const dot = local.indexOf('.');
  const server = local.slice(0, Math.max(0, dot));
  const remote = local
    .slice(dot + 1)
    .replace(/\.\.(10[0-9a-f]{4}|[0-9a-f]{1,5})\./g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return dot > 0 && toLocalName(server, remote) === local ? { server, remote } : undefined;
}

/** Matches everything except letters, digits, `_`, `-`, and a dot between two of them. */
const needsEscape = /[^\w.-]|(?<![\w-])\.|\.(?![\w-])/gu;

const escapeOf = (character: string): string => `..${(character.codePointAt(0) ?? 0).toString(16)}.`;

/** Printable ASCII, and scripts without look-alikes of Latin letters. */
const known = /^[\x20-\x7e\uac00-\ud7a3\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u;
const maxLocalLength = 128;

/** Reason to reject a tool's name; `undefined` for a valid name. Invisible characters and look-alikes of Latin letters are rejected. */
export function nameProblem(server: string, remote: string): string | undefined {
  if (remote.trim() === '') return 'it is empty';
  if (remote.trim() !== remote) return 'it begins or ends with a space';
  if (!known.test(remote)) return 'it has an invisible character or a look-alike';
  if (remote.normalize('NFKC') !== remote) return 'it has a variant of a common character';
  return toLocalName(server, remote).length > maxLocalLength ? 'it is too long' : undefined;
}

const serverName = /^[a-zA-Z0-9_-]{1,32}$/;

/** True for a valid prefix of a server's tool names. */
export const isServerName = (name: string): boolean => serverName.test(name);
