import { redactSecrets, secretName } from '../core/errors/redact-secrets.ts';
import { shorten } from '../core/errors/shorten.ts';
import { jsonBytes } from '../core/util/json-bytes.ts';

/** Part of an inspected run that a value belongs to. */
export type InspectedPart = 'event' | 'context' | 'input' | 'output' | 'error';

export interface CensorOptions {
  /** Removes confidential data. Called with a frozen value; returns that value or another one. Default: no change. */
  readonly redact?: ((value: unknown, part: InspectedPart) => unknown) | undefined;
  /**
   * Texts that are always hidden. A secret of fewer than 8 characters is hidden only where it is a whole value.
   * @default the API keys that tools and models of this package read from the environment
   */
  readonly secrets?: readonly string[] | undefined;
  /** Maximum size of a shown value, in bytes of JSON. Texts and lists of larger values are cut. @default 65_536 */
  readonly maxBytes?: number | undefined;
}

/** Removes secrets from a value and limits its size. Returns the same value if nothing changes. */
export type Censor = (value: unknown, part: InspectedPart) => unknown;

/** Creates a censor. It caches the result per value. */
export function createCensor({ redact, secrets = secretsOf(environment()), maxBytes = 65_536 }: CensorOptions): Censor {
  // one cache per part, because a node may receive the context object itself
  const seenAs = new Map<InspectedPart, WeakMap<object, unknown>>();
  return (value, part) => {
    const known = seenAs.get(part) ?? new WeakMap<object, unknown>();
    seenAs.set(part, known);
    const seen = typeof value === 'object' && value !== null ? known.get(value) : undefined;
    if (seen !== undefined) return seen;
    const redacted = redact ? redact(value, part) : value;
    const shown = bound(hide(redacted, secrets, 0), maxBytes);
    if (typeof value === 'object' && value !== null) known.set(value, shown);
    return shown;
  };
}

const apiKeys = ['OPENAI_API_KEY', 'TAVILY_API_KEY', 'GOOGLE_API_KEY', 'OPENWEATHER_API_KEY'];

/** Returns the values of the API keys that this package reads. */
const secretsOf = (env: Readonly<Record<string, string | undefined>>): readonly string[] => apiKeys.flatMap((name) => env[name] ?? []);

const environment = (): Readonly<Record<string, string | undefined>> => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }; // browsers have no `process`
  return process?.env ?? {};
};

const deepest = 100;

function hide(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return redactSecrets(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return '…';
  if (value instanceof Error) return hideInError(value, secrets);
  return mapMembers(value, (member, name) =>
    name !== undefined && typeof member === 'string' && secretName.test(name) ? '[secret]' : hide(member, secrets, depth + 1),
  );
}

function hideInError(error: Error, secrets: readonly string[]): Error {
  const [message, stack] = [hide(error.message, secrets, 0), hide(error.stack, secrets, 0)];
  if (message === error.message && stack === error.stack) return error;
  return Object.create(error, {
    message: { value: message },
    stack: { value: stack },
    cause: { value: undefined },
  }) as Error;
}

/** Returns the same object if no member changes. Class instances stay unchanged; a journal contains none. */
function mapMembers(value: object, change: (member: unknown, name: string | undefined) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => change(item, undefined));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let changed = false;
  const members = Object.entries(value).map(([name, member]) => {
    const shown = change(member, name);
    changed ||= shown !== member;
    return [name, shown] as const;
  });
  return changed ? Object.fromEntries(members) : value;
}

interface Lengths {
  readonly text: number;
  readonly list: number;
}

/** Limits for texts and lists, tried in order. */
const shorter: readonly Lengths[] = [
  { text: 4_000, list: 200 },
  { text: 1_000, list: 40 },
  { text: 200, list: 10 },
  { text: 40, list: 3 },
];

/** Cuts the texts and lists of a value until its JSON has at most `maxBytes`. Returns the same value if it is short enough. */
export function bound(value: unknown, maxBytes: number): unknown {
  if (jsonBytes(value) <= maxBytes) return value;
  for (const lengths of shorter) {
    const cut = cutTo(value, lengths, 0);
    if (jsonBytes(cut) <= maxBytes) return cut;
  }
  return tooLong(value, maxBytes);
}

/** Placeholder for a value that is too large even with cut texts. An event keeps its type. */
function tooLong(value: unknown, maxBytes: number): unknown {
  const { type } = Object(value) as { type?: unknown };
  const said = { tooLong: `more than ${maxBytes} bytes` };
  return typeof type === 'string' ? { type: shorten(type, 200), ...said } : said;
}

function cutTo(value: unknown, lengths: Lengths, depth: number): unknown {
  if (typeof value === 'string') return shorten(value, lengths.text);
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth > deepest) return '…';
  const cut = (member: unknown): unknown => cutTo(member, lengths, depth + 1);
  if (!Array.isArray(value) || value.length <= lengths.list) return mapMembers(value, cut);
  return [...value.slice(0, lengths.list).map(cut), `… ${value.length - lengths.list} more`];
}
