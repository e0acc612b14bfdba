import { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { Tape, TapeEntry } from './tape.ts';

interface MissedRequest extends Pick<TapeEntry, 'messages' | 'settings' | 'task' | 'repeat'> {
  readonly case: string;
  /** Each message in readable form. */
  readonly texts: readonly string[];
  /** All replies of the run of the case. */
  readonly recorded: readonly TapeEntry[];
  /** Number of recorded replies to equal requests, all of them used. */
  readonly uses: number;
  readonly tape: Tape;
}

/** Describes a request without a recorded reply by its first difference from the nearest recording. */
export function cassetteMiss(missed: MissedRequest): WorkflowError {
  const { case: name, repeat, task, uses } = missed;
  const run = `the case "${name}"${repeat === 0 ? '' : `, repeat ${repeat + 1}`}`;
  const nearest = nearestOf(missed);
  const { why, at } = uses > 0 ? { why: `the tape has only ${uses} for equal requests` } : differenceOf(missed, nearest);
  return new WorkflowError({
    code: 'CASSETTE_MISS',
    message: `The cassette has no reply for "${task}" in ${run}: ${why}.`,
    hint: 'Record again: agent-machines eval FILE --record.',
    data: { case: name, repeat, task, ...(at === undefined ? {} : { message: at }) },
  });
}

/** Returns the recording of the same task that shares most messages from the start. */
function nearestOf({ recorded, task, messages }: MissedRequest): TapeEntry | undefined {
  const shared = (entry: TapeEntry): number => {
    const first = entry.messages.findIndex((hash, index) => hash !== messages[index]);
    return first < 0 ? entry.messages.length : first;
  };
  const [best] = recorded.filter((entry) => entry.task === task).toSorted((a, b) => shared(b) - shared(a));
  return best;
}

interface Difference {
  readonly why: string;
  /** Number of the message, from 1. */
  readonly at?: number;
}

function differenceOf(missed: MissedRequest, nearest: TapeEntry | undefined): Difference {
  if (!nearest) return { why: missed.recorded.length === 0 ? 'nothing was recorded for it' : 'no request of this task was recorded' };
  const { messages, texts, settings, tape } = missed;
  const at = Math.max(messages.length, nearest.messages.length);
  for (let index = 0; index < at; index++) {
    const [now, before] = [messages[index], nearest.messages[index]];
    if (now === before) continue;
    const text = texts[index];
    if (text === undefined) return { why: `message ${index + 1} of the recording is missing`, at: index + 1 };
    if (before === undefined) return { why: `message ${index + 1} is new: ${shorten(text, longestShown)}`, at: index + 1 };
    return { why: `message ${index + 1} differs: ${firstDifference(tape.messages.get(before) ?? '', text)}`, at: index + 1 };
  }
  const names = [...new Set([...Object.keys(settings), ...Object.keys(nearest.settings)])];
  return { why: `${names.filter((name) => settings[name] !== nearest.settings[name]).join(' and ')} of the request differ` };
}

const longestShown = 100;
/** Characters before the difference. */
const lead = 40;

function firstDifference(before: string, now: string): string {
  let at = 0;
  while (at < before.length && at < now.length && before[at] === now[at]) at++;
  const around = (text: string): string =>
    JSON.stringify(`${at > lead ? '…' : ''}${shorten(text.slice(Math.max(0, at - lead)), longestShown)}`);
  if (before.endsWith('…') && at >= before.length - 1) return `after its first ${at} characters`;
  return `recorded ${around(before)}, now ${around(now)}`;
}
