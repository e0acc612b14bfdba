import { WorkflowError } from '../../core/errors/errors.ts';
import type { MemoryKind, NewMemory } from '../../core/ports/long-term-memory.ts';
import { readTaint } from '../../core/util/taint.ts';

/** All kinds of memory. */
export const memoryKinds: readonly MemoryKind[] = ['preference', 'fact', 'feedback', 'goal'];

const maxTextChars = 2_000;

/** Validates a memory, and joins its text to one line. @throws {WorkflowError} `MEMORY_INVALID`. */
export function checkedMemory({ kind, text, taint: given, held }: NewMemory): NewMemory {
  if (!memoryKinds.includes(kind)) throw memoryInvalid(`"${kind}" is not a kind of memory.`, `Use one of: ${memoryKinds.join(', ')}.`);
  if (typeof text !== 'string') throw memoryInvalid('The text of the memory is not a string.', 'Pass a string.');
  if (text.length > maxTextChars)
    throw memoryInvalid(`The text of the memory has ${text.length} characters.`, `Pass at most ${maxTextChars} characters.`);
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') throw memoryInvalid('The text of the memory is blank.', 'Pass the text to remember.');
  if (!line.isWellFormed() || /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(line)) {
    throw memoryInvalid('The text of the memory has a control character or an unpaired surrogate.', 'Remove it.');
  }
  const taint = given ? readTaint(given) : undefined;
  // Decision 441: a page must not plant instructions for later runs.
  return { kind, text: line, ...(taint ? { taint } : {}), held: held === undefined ? taint?.untrusted === true : held !== false };
}

const memoryInvalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'MEMORY_INVALID', message, hint });
