/**
 * The name under which a server's tool is known here: the server's name, a dot, and the tool's. What a tool's name may not hold here is
 * written as `..HEX.`, so two names never become one, and each can be read back.
 *
 * @example toLocalName('files', 'read file') // 'files.read..20.file'
 */
export const toLocalName = (server: string, remote: string): string => `${server}.${remote.replace(needsEscape, escapeOf)}`;

/** What `toLocalName` was given; `undefined` for a name that it has not made. */
export function toRemoteName(local: string): { readonly server: string; readonly remote: string } | undefined {
  const dot = local.indexOf('.');
  const server = local.slice(0, Math.max(0, dot));
  const remote = local
    .slice(dot + 1)
    .replace(/\.\.(10[0-9a-f]{4}|[0-9a-f]{1,5})\./g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return dot > 0 && toLocalName(server, remote) === local ? { server, remote } : undefined;
}

/** All but letters, digits, `_`, `-`, and a dot between two of them. */
const needsEscape = /[^\w.-]|(?<![\w-])\.|\.(?![\w-])/gu;

const escapeOf = (character: string): string => `..${(character.codePointAt(0) ?? 0).toString(16)}.`;

/** Printable ASCII, and the scripts of which no letter looks like a Latin one. */
const known = /^[\x20-\x7e\uac00-\ud7a3\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u;
const maxLocalLength = 128;

/** Why a tool may not have this name; `undefined` when it may. Invisible characters and look-alikes of Latin letters are refused. */
export function whyRefusedName(server: string, remote: string): string | undefined {
  if (remote.trim() === '') return 'it is empty';
  if (remote.trim() !== remote) return 'it begins or ends with a space';
  if (!known.test(remote)) return 'it has an invisible character, or one that is easily taken for another';
  if (remote.normalize('NFKC') !== remote) return 'it has a character that is another form of a common one';
  return toLocalName(server, remote).length > maxLocalLength ? 'it is too long' : undefined;
}

const serverName = /^[a-zA-Z0-9_-]{1,32}$/;

/** True for what may stand in front of the names of a server's tools. */
export const isServerName = (name: string): boolean => serverName.test(name);
