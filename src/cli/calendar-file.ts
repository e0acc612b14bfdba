import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from './usage-error.ts';

/** @throws {UsageError} if the calendar would replace an input, by whatever name, or its path cannot be written. */
export function requireCalendarPath(ics: string, inputs: readonly string[]): void {
  const replaced = inputs.find((input) => isSameFile(input, ics));
  if (replaced !== undefined) throw new UsageError(`--ics ${ics} is the contract ${replaced} itself. Name another file.`);
  if (existsSync(ics) && statSync(ics).isDirectory()) throw new UsageError(`--ics ${ics} is a folder. Name a file.`);
  if (!existsSync(dirname(ics))) throw new UsageError(`--ics ${ics}: there is no folder ${dirname(ics)}. Create it, or name another file.`);
  attempt(ics, () => accessSync(existsSync(ics) ? ics : dirname(ics), constants.W_OK));
}

/** @throws {UsageError} if the file cannot be written. */
export function writeCalendar(ics: string, text: string): void {
  attempt(ics, () => writeFileSync(ics, text));
}

function attempt(ics: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--ics ${ics} cannot be written: ${reason}. Name another file.`);
  }
}

/** Links and other spellings lead to the same file of the same disk. */
function isSameFile(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const [first, second] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
  return first.ino === second.ino && first.dev === second.dev;
}
