import type { Interrupt, Json, JsonObject } from '../index.ts';
import { askApprovals, describeApproval, isToolCallQuestion } from './approval.ts';
import { createLineReader, type TerminalStreams, terminalStreams } from './line-reader.ts';
import { breakAt, oneLine, paint, printableJson, wrap } from './terminal.ts';

/** Question that a reviewer of a plan sees. */
interface Review extends JsonObject {
  readonly revision: number;
  readonly sub_tasks: readonly string[];
  readonly notice: string | null;
}

const isReview = (question: Json | undefined): question is Review =>
  typeof question === 'object' && question !== null && 'sub_tasks' in question && Array.isArray(question.sub_tasks);

/** Describes a waiting plan, numbered, with the reason if it is the old one; or a waiting call. */
export function describeReview(interrupt: Interrupt): readonly string[] {
  const { question } = interrupt;
  if (isToolCallQuestion(question)) return describeApproval(interrupt);
  if (!isReview(question)) return question === undefined ? [] : [printableJson(question)];
  const { revision, sub_tasks, notice } = question;
  const columns = breakAt(process.stderr);
  return [
    `Plan, revision ${revision}:`,
    ...sub_tasks.flatMap((task, index) => wrap(`  ${index + 1}. ${oneLine(String(task))}`, columns, 5)),
    ...(notice === null ? [] : wrap(`The plan was not changed: ${oneLine(notice)}`, columns, 2)),
  ];
}

/** A human's event in the form that `runtime.send` accepts. */
interface Answer {
  readonly type: string;
  readonly [field: string]: Json;
}

/**
 * Asks at the terminal for a decision on a plan or a waiting call. Only `a` (or `approve`, `승인`) approves. For a plan, other text is
 * feedback. Returns `undefined` when the input has ended.
 */
export async function askReview(interrupt: Interrupt, streams: TerminalStreams = terminalStreams): Promise<Answer | undefined> {
  const { output } = streams;
  const { ask, close } = createLineReader(streams);
  try {
    output.write(`${describeReview(interrupt).join('\n')}\n`);
    if (isToolCallQuestion(interrupt.question)) return await askApprovals(interrupt, ask, (text) => void output.write(`${text}\n`));
    for (;;) {
      const answer = (await ask(paint('bold', '[a]pprove  [r]evise  [e]dit  [c]ancel: ')))?.trim();
      if (answer === undefined) return undefined;
      if (/^(?:a|approve|승인)$/i.test(answer)) return { type: 'APPROVE' };
      if (/^(?:c|cancel|취소)$/i.test(answer)) return { type: 'CANCEL' };
      if (/^(?:e|edit|편집)$/i.test(answer)) {
        output.write('One sub-task per line, 1 to 5. An empty line ends.\n');
        const edited = await readTasks(ask);
        if (edited.length > 0) return { type: 'EDIT', sub_tasks: edited };
        continue;
      }
      const wish = /^(?:r|revise|수정)$/i.test(answer) ? (await ask('What should change? '))?.trim() : answer;
      if (wish) return { type: 'REVISE', feedback: wish };
    }
  } finally {
    close();
  }
}

async function readTasks(ask: (question: string) => Promise<string | undefined>): Promise<string[]> {
  const tasks: string[] = [];
  for (let line = await ask('1. '); line; line = await ask(`${tasks.length + 1}. `)) tasks.push(line.trim());
  return tasks;
}
