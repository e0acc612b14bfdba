import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { ThreadRecord } from '../../core/ports/run-store.ts';
import { asObject } from '../../core/util/as-object.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { frozenJson } from '../../core/util/frozen-json.ts';
import { hash } from '../../core/util/hash.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { threadCorrupt } from '../../engine/store/store-errors.ts';

// A turn adds a few items to a list of its thread's state. Full parts of such a list are stored as rows that are never rewritten.

/** Lists of a state that have parts, by key. The state holds the rest of each list. */
export type PartLists = Readonly<Record<string, PartList>>;

interface PartList {
  /** Number of items at the start of the first part that are no longer in the list. */
  readonly skip: number;
  /** Names of the parts, in order. */
  readonly parts: readonly string[];
}

/** Stored items of a list. Its name is the hash of its text, so each name has one content. */
export interface ThreadPart {
  readonly name: string;
  /** The items as a JSON array. */
  readonly items: string;
}

/** State without the items that are in parts. */
export interface PackedState {
  readonly state: Json;
  /** Absent if the state has no parts. */
  readonly lists?: PartLists | undefined;
}

interface PackedChange extends PackedState {
  readonly added: readonly ThreadPart[];
  /** Names of parts that no list uses any more. */
  readonly removed: readonly string[];
}

/** Stored state; `read` completes it with the parts that are not cached. */
interface OpenedState {
  readonly missing: readonly string[];
  /** Returns `undefined` if a part is missing or damaged. */
  read(parts: readonly ThreadPart[]): Json | undefined;
}

/** Thread as a document storage keeps it, without the items that are in parts. */
type ThreadDocument = ThreadRecord & { readonly lists?: PartLists };

/** Thread without the parts of its state that are still to be read. */
export interface OpenedThread {
  /** Names of the parts to read. */
  readonly missing: readonly string[];
  /** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
  read(parts: readonly ThreadPart[]): ThreadRecord;
}

/** @param text JSON of the thread, as returned by `packThreadText`. */
export function openThreadText(states: ThreadParts, text: string): OpenedThread {
  const { lists, ...record } = JSON.parse(text) as ThreadDocument;
  const { missing, read } = states.open(record.id, { state: record.state, lists });
  return {
    missing,
    read(parts) {
      const state = read(parts);
      if (state === undefined) throw threadCorrupt(record.id, record.revision);
      return { ...record, state };
    },
  };
}

/** Returns a thread as JSON, and the parts that change with it. @param before stored state. */
export function packThreadText(
  states: ThreadParts,
  thread: ThreadRecord,
  before: Json | undefined,
): Pick<PackedChange, 'added' | 'removed'> & { readonly text: string } {
  const { state, lists, added, removed } = states.pack(thread.id, thread.state, before);
  const kept: ThreadDocument = { ...thread, state, ...(lists ? { lists } : {}) };
  return { text: JSON.stringify(kept), added, removed };
}

/** Packs and opens the states of a store's threads. */
export interface ThreadParts {
  /** `before` is the stored state, as returned by `read`. */
  pack(threadId: string, state: Json, before: Json | undefined): PackedChange;
  open(threadId: string, packed: PackedState): OpenedState;
}

interface Part {
  readonly name: string;
  readonly items: readonly Json[];
}

interface KnownList {
  readonly items: readonly Json[];
  readonly skip: number;
  readonly parts: readonly Part[];
}

interface KnownState extends PackedState {
  readonly known: ReadonlyMap<string, KnownList>;
}

/** Minimum size of a part, in characters. A list keeps up to twice as many in the state. */
const partChars = 8_192;
const maxCachedChars = 16_000_000;

/** Creates the packing for one store, with a cache of the parts that it has read or written. */
export function threadParts(): ThreadParts {
  const states = new WeakMap<object, KnownState>();
  const cache = partCache();
  const keyOf = (threadId: string, name: string): string => `${name} ${threadId}`;
  const remember = (threadId: string, { name, items: text }: ThreadPart): Part | undefined => {
    const items = hash(text) === name ? parseItems(text) : undefined;
    if (!items) return undefined;
    cache.add(keyOf(threadId, name), items, text.length);
    return { name, items };
  };
  const knownOf = (state: Json | undefined): KnownState | undefined => (isObject(state) ? states.get(state) : undefined);

  return {
    pack(threadId, state, before) {
      const old = knownOf(before);
      if (old && state === before) return { state: old.state, lists: old.lists, added: [], removed: [] };
      const kept = new Map([...(old?.known ?? [])].flatMap(([key, list]) => remainingParts(key, list, state)));
      const added = new Map<string, ThreadPart>();
      const packed = packState(state, kept, added);
      for (const part of added.values()) remember(threadId, part);
      const were = namesOf(old?.lists);
      const are = namesOf(packed.lists);
      return {
        ...packed,
        added: [...added.values()].filter(({ name }) => !were.has(name)),
        removed: [...were].filter((name) => !are.has(name)),
      };
    },
    open(threadId, { state, lists }) {
      if (!lists) return { missing: [], read: () => state };
      const found = new Map<string, Part>();
      for (const name of namesOf(lists)) {
        const items = cache.get(keyOf(threadId, name));
        if (items) found.set(name, { name, items });
      }
      return {
        missing: [...namesOf(lists)].filter((name) => !found.has(name)),
        read(parts) {
          for (const part of parts) {
            const whole = remember(threadId, part);
            if (whole) found.set(part.name, whole);
          }
          const whole = wholeState(asObject(state), lists, found);
          if (whole) states.set(whole.state, { state, lists, known: whole.known });
          return whole?.state;
        },
      };
    },
  };
}

interface PartCache {
  get(key: string): readonly Json[] | undefined;
  add(key: string, items: readonly Json[], chars: number): void;
}

/** Evicts the least recently used parts. */
function partCache(): PartCache {
  const parts = new Map<string, { readonly items: readonly Json[]; readonly chars: number }>();
  let cached = 0;
  const take = (key: string): { readonly items: readonly Json[]; readonly chars: number } | undefined => {
    const part = parts.get(key);
    if (part && parts.delete(key)) cached -= part.chars;
    return part;
  };
  const add = (key: string, items: readonly Json[], chars: number): void => {
    take(key);
    parts.set(key, { items, chars });
    cached += chars;
    for (const oldest of parts.keys()) {
      if (cached <= maxCachedChars) break;
      take(oldest);
    }
  };
  return {
    get(key) {
      const part = take(key);
      if (part) add(key, part.items, part.chars);
      return part?.items;
    },
    add,
  };
}

/** Validates stored lists. Returns `undefined` for another value. */
export function toPartLists(value: unknown): PartLists | undefined {
  if (!isObject(value)) return undefined;
  const isList = (list: unknown): boolean =>
    isObject(list) && Number.isSafeInteger(list.skip) && Array.isArray(list.parts) && list.parts.every((name) => typeof name === 'string');
  return Object.values(value).every(isList) ? (value as PartLists) : undefined;
}

const namesOf = (lists: PartLists | undefined): ReadonlySet<string> => new Set(Object.values(lists ?? {}).flatMap(({ parts }) => parts));

/** Returns the parts of a list that the next state still contains. Empty if there are none. */
function remainingParts(key: string, { items, skip, parts }: KnownList, state: Json): readonly [string, Omit<KnownList, 'items'>][] {
  const next = listOf(state, key);
  if (!next) return [];
  const dropped = items.findIndex((item) => isSame(item, next[0]));
  if (dropped < 0) return [];
  let end = dropped;
  while (end < items.length && end - dropped < next.length && isSame(items[end], next[end - dropped])) end++;
  const kept: Part[] = [];
  let first = skip;
  let place = -skip;
  for (const part of parts) {
    const from = place;
    place += part.items.length;
    if (place <= dropped || place > end) continue;
    if (kept.length === 0) first = Math.max(0, dropped - from);
    kept.push(part);
  }
  return kept.length === 0 ? [] : [[key, { skip: first, parts: kept }]];
}

/** Removes the items that are in parts from a state, and moves items of long lists into new parts. */
function packState(state: Json, kept: ReadonlyMap<string, Omit<KnownList, 'items'>>, added: Map<string, ThreadPart>): PackedState {
  if (!isObject(state)) return { state };
  const rest: Record<string, Json> = { ...asObject(state) };
  const lists: Record<string, PartList> = {};
  for (const [key, { skip, parts }] of kept) {
    const list = listOf(state, key) ?? [];
    rest[key] = list.slice(parts.reduce((sum, { items }) => sum + items.length, -skip));
    lists[key] = { skip, parts: parts.map(({ name }) => name) };
  }
  if (JSON.stringify(rest).length > 2 * partChars) {
    for (const key of Object.keys(rest)) {
      const cut = cutParts(listOf(rest, key) ?? []);
      if (cut.parts.length === 0) continue;
      rest[key] = cut.rest;
      lists[key] = { skip: lists[key]?.skip ?? 0, parts: [...(lists[key]?.parts ?? []), ...cut.parts.map(({ name }) => name)] };
      for (const part of cut.parts) added.set(part.name, part);
    }
  }
  return Object.keys(lists).length === 0 ? { state } : { state: rest, lists };
}

function cutParts(list: readonly Json[]): { readonly parts: readonly ThreadPart[]; readonly rest: Json[] } {
  const texts = list.map((item) => JSON.stringify(item) ?? 'null');
  let left = texts.reduce((sum, text) => sum + text.length, 0);
  const parts: ThreadPart[] = [];
  let from = 0;
  while (left > 2 * partChars) {
    let chars = 0;
    let to = from;
    while (chars < partChars && to < texts.length) chars += texts[to++]?.length ?? 0;
    const items = `[${texts.slice(from, to).join(',')}]`;
    parts.push({ name: hash(items), items });
    from = to;
    left -= chars;
  }
  return { parts, rest: list.slice(from) };
}

function wholeState(
  state: JsonObject,
  lists: PartLists,
  found: ReadonlyMap<string, Part>,
): { readonly state: JsonObject; readonly known: ReadonlyMap<string, KnownList> } | undefined {
  const whole: Record<string, Json> = { ...state };
  const known = new Map<string, KnownList>();
  for (const [key, { skip, parts: names }] of Object.entries(lists)) {
    const rest = listOf(state, key);
    const parts = names.flatMap((name) => found.get(name) ?? []);
    if (!rest || parts.length < names.length) return undefined;
    const items = Object.freeze([...parts.flatMap((part) => part.items).slice(skip), ...frozenList([...rest])]);
    frozenJson.add(items); // items of parts are frozen already
    whole[key] = items;
    known.set(key, { items, skip, parts });
  }
  return { state: whole, known };
}

/** Assigning `state['__proto__']` would set the prototype. */
function listOf(state: Json, key: string): readonly Json[] | undefined {
  const list = key !== '__proto__' && isObject(state) && Object.hasOwn(state, key) ? asObject(state)[key] : undefined;
  return Array.isArray(list) ? list : undefined;
}

function parseItems(text: string): readonly Json[] | undefined {
  const items = parseJson(text);
  return Array.isArray(items) ? frozenList(items) : undefined;
}

function frozenList(items: readonly Json[]): readonly Json[] {
  deepFreeze(items);
  for (const item of items) if (typeof item === 'object' && item !== null) frozenJson.add(item);
  frozenJson.add(items);
  return items;
}

/** True when both have the same JSON text. Items of one process are usually the same objects. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  const others = Object.keys(other);
  if (keys.length !== others.length) return false;
  return keys.every(
    (key, index) =>
      key === others[index] && isSame((one as Readonly<Record<string, unknown>>)[key], (other as Readonly<Record<string, unknown>>)[key]),
  );
}
