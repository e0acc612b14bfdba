import type { WorkflowEntry } from '../../machines/index.ts';
import type { JsonObject, RunResult } from '../index.ts';
import { commandLine } from './error-hints.ts';
import { describeReview } from './review.ts';
import { shellWord } from './shell-words.ts';
import { oneLine, paint } from './terminal.ts';
import { describeExpiry, waitingLines } from './waiting-lines.ts';

/** Text for a call in doubt. */
const goneText = 'The process that started it is gone.';
const mayLiveText = 'The process that started it may still be working on it.';

interface RestOptions extends Pick<WorkflowEntry, 'exampleOf'> {
  readonly dbFlag?: string;
  /** True when this program does not have the run's workflow, so no command can resume the run. */
  readonly foreign?: boolean;
}

const foreignText = 'Resume it in the program that started it.';

/** Lists the questions and timers of a resting run, with the commands to continue it. Empty for a run that needs nothing. */
export function stoppedRunLines(
  runId: string,
  result: RunResult<unknown>,
  { dbFlag = '', foreign = false, ...own }: RestOptions,
): readonly string[] {
  const command = (words: string): string => commandLine(words, dbFlag);
  if (result.status === 'in_doubt') return doubtLines(runId, result.calls, foreign, command);
  if (result.status !== 'waiting') return [];
  if (!result.interrupt) {
    const until = `Sleeps until ${new Date(result.wakeAt).toISOString()}.`;
    return [foreign ? `${until} ${foreignText}` : `${until} Then resume it: ${command(`resume ${runId}`)}`];
  }
  if (!foreign) return waitingLines(runId, result.interrupts, { ...own, dbFlag });
  const asked = result.interrupts.flatMap((interrupt) => [
    ...describeReview(interrupt),
    `  ${interrupt.key} asks (${interrupt.accepts.map((event) => oneLine(event)).join(', ')}), as the interrupt ${interrupt.id}${describeExpiry(interrupt)}`,
  ]);
  return [...asked, `${paint('yellow', 'Waiting for you.')} ${foreignText}`];
}

type CallsInDoubt = Extract<RunResult<unknown>, { status: 'in_doubt' }>['calls'];

function doubtLines(runId: string, calls: CallsInDoubt, foreign: boolean, command: (words: string) => string): readonly string[] {
  const each = calls.flatMap(({ callId, describe, startedAt, ownerMayLive }) => {
    const { tool = callId, args = null } = (describe ?? {}) as JsonObject;
    const resolve = (how: string): string => command(`resolve ${runId} ${shellWord(callId)} ${how}`);
    return [
      `  ${oneLine(String(tool))} ${oneLine(JSON.stringify(args))}  started ${new Date(startedAt).toISOString()}`,
      `  ${ownerMayLive === false ? goneText : mayLiveText}`,
      ...(foreign
        ? [`  call ${oneLine(callId)}`]
        : [
            `  It happened, with this result: ${resolve(`--done '"…"'`)}`,
            `  It did not happen:             ${resolve('--retry')}`,
            `  Continue without it:           ${resolve('--abort')}`,
          ]),
    ];
  });
  return [paint('yellow', 'In doubt: this call may or may not have happened.'), ...each, ...(foreign ? [foreignText] : [])];
}
