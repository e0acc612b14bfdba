import type { WorkflowEntry } from '../../machines/index.ts';
import type { Interrupt } from '../index.ts';
import { approvalExample, firstOnlyLines } from './approval.ts';
import { commandLine } from './error-hints.ts';
import { describeReview } from './review.ts';
import { shellWord } from './shell-words.ts';
import { paint } from './terminal.ts';

/** Expiry of a question in words; `''` if it does not expire. */
export const describeExpiry = ({ expiresAt }: Interrupt): string =>
  expiresAt === undefined ? '' : ` The question expires at ${new Date(expiresAt).toISOString()}.`;

/** Lists the questions of a waiting run, with the commands that answer them. */
export function waitingLines(
  runId: string,
  interrupts: readonly Interrupt[],
  { exampleOf, dbFlag = '' }: Pick<WorkflowEntry, 'exampleOf'> & { readonly dbFlag?: string },
): readonly string[] {
  return [
    ...interrupts.flatMap(describeReview),
    ...interrupts.flatMap((interrupt) => (interrupt.expiresAt === undefined ? [] : [` ${describeExpiry(interrupt)}`])),
    paint('yellow', 'Waiting for you. Answer with one of:'),
    ...interrupts.flatMap(firstOnlyLines),
    ...interrupts.flatMap((interrupt) =>
      interrupt.accepts.map((event) => {
        const fields = approvalExample(interrupt, event) ?? exampleOf?.(event);
        const words = ['send', runId, shellWord(event), ...(fields === undefined ? [] : [shellWord(fields)]), '--interrupt', interrupt.id];
        return `  ${commandLine(words.join(' '), dbFlag)}`;
      }),
    ),
  ];
}
