import { WorkflowError } from '../../core/errors/errors.ts';
import type { MemoryRecord, NewMemory } from '../../core/ports/long-term-memory.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { VectorHit, VectorMetadata } from '../../core/ports/vector-index.ts';
import { hash } from '../../core/util/hash.ts';
import { everyTaint, readTaint } from '../../core/util/taint.ts';
import { memoryKinds } from './new-memory.ts';

/** Maximum number of memories of a user. Changing it would hide stored memories, because their ids are found by counting. */
export const slotCount = 1_000;

/** A memory with the id of its entry in the index. */
export interface MemoryPlace {
  readonly place: string;
  readonly record: MemoryRecord;
}

/** Returns the entry ids of a user. User ids contain no dot, so the prefix is unique to the user. */
export const placesFrom = (userId: string): readonly string[] => Array.from({ length: slotCount }, (_, slot) => `memory.${userId}.${slot}`);

/** Returns an id that no entry has. */
export const noPlaceOf = (userId: string): string => `memory.${userId}`;

/**
 * Returns a free entry id. The search starts at a slot derived from the memory's id, so that two concurrent processes rarely choose the
 * same one.
 * @throws {WorkflowError} `MEMORY_FULL`.
 */
export function placeOf(userId: string, id: string, known: readonly MemoryPlace[]): string {
  const usedPlaces = new Set(known.map(({ place }) => place));
  const places = placesFrom(userId);
  const first = Number.parseInt(id.slice(-6), 16) % slotCount;
  const free = places.findIndex((_, i) => !usedPlaces.has(places[(first + i) % slotCount] ?? ''));
  const place = free < 0 ? undefined : places[(first + free) % slotCount];
  if (place !== undefined) return place;
  throw new WorkflowError({
    code: 'MEMORY_FULL',
    message: `The user already has ${slotCount} memories.`,
    hint: 'Forget some of them.',
    data: { userId, limit: slotCount },
  });
}

/** Returns the same id for texts that differ only in case, white space or full stops. */
export const memoryId = ({ kind, text }: NewMemory): string => `m_${hash(`${kind}:${normalized(text)}`)}`;

const normalized = (text: string): string => {
  const words = text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  let end = words.length;
  while (end > 1 && /[.!。\s]/.test(words.charAt(end - 1))) end--;
  return words.slice(0, end);
};

export const toMetadata = (userId: string, { kind, createdAt, updatedAt, taint, held }: MemoryRecord): VectorMetadata => ({
  memoryOf: userId,
  kind,
  createdAt,
  updatedAt,
  ...(taint ? { taint: JSON.stringify(taint) } : {}),
  held: held === true,
});

/** Reads the held mark. Memories of earlier versions lack it; those with untrusted text count as held. */
const toHeld = (stored: unknown, { taint }: { readonly taint?: Taint }): { readonly held?: true } =>
  (stored === undefined ? taint?.untrusted : stored !== false) ? { held: true } : {};

/** Reads the taint, which memories of earlier versions lack. */
function toTaint(stored: unknown): { readonly taint?: Taint } {
  if (typeof stored !== 'string') return {};
  try {
    return { taint: readTaint(JSON.parse(stored)) };
  } catch {
    return { taint: everyTaint };
  }
}

/** @throws {WorkflowError} `INDEX_CORRUPT` for an entry that is no memory of this user; it must not be shown, whatever its origin. */
export function fromEntry(userId: string, { id, text, metadata }: Omit<VectorHit, 'score'>): MemoryRecord {
  const { memoryOf, kind: kindFound, createdAt, updatedAt, held } = metadata;
  const taint = toTaint(metadata.taint);
  const kind = memoryKinds.find((kind) => kind === kindFound);
  const isOurs = memoryOf === userId && id.startsWith(`memory.${userId}.`);
  if (isOurs && kind && typeof createdAt === 'number' && typeof updatedAt === 'number') {
    return { id: memoryId({ kind, text }), kind, text, createdAt, updatedAt, ...taint, ...toHeld(held, taint) };
  }
  throw new WorkflowError({
    code: 'INDEX_CORRUPT',
    message: `The entry ${JSON.stringify(id)} of the index is not a memory of the user.`,
    hint: 'Check what else writes to the index, and that the index applies filters.',
  });
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
