import { toErrorInfo } from '../../core/errors/errors.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import type { Stop } from '../../core/util/stop.ts';
import { taintOfError } from '../../core/util/tainted-error.ts';
import { mutationOf } from '../define/definition-error.ts';
import { marksOf, patchOf } from '../define/node.ts';
import { attempterOf } from './attempter.ts';
import { DriverIo, type NodePlace } from './driver-io.ts';
import type { Host, Outcome } from './host.ts';
import type { Command } from './stepper.ts';

type Start = Extract<Command, { type: 'start' }>;

/** Runs a node, in one attempt or with its handler's attempter. */
export function runNode(start: Start, key: string, host: Host, stop: Stop): Promise<Outcome> {
  const attempt = attempterOf(start.handler);
  if (!attempt) return runHandler(start, start.handler, { key, host, stop });
  return attempt(key, host, stop, (run, halt, steps) => runHandler(start, run, { key, host, stop: halt, steps }));
}

/** Runs a handler and its steps to their end. A step that outlived its node would lose its result. */
async function runHandler({ handler, state }: Start, run: Start['handler'], place: NodePlace): Promise<Outcome> {
  const { key } = place;
  const io = new DriverIo(place, marksOf(handler).maxOutputBytes ?? defaultMaxOutputBytes);
  let outcome: Outcome;
  try {
    outcome = { output: patchOf(handler, await run(state, io), state) };
  } catch (error) {
    outcome = toFailure(mutationOf(error, `The node "${key}"`) ?? error);
  }
  const ending = io.end();
  const unseen = ending && (await ending);
  if (unseen && 'output' in outcome) outcome = toFailure(unseen.cause);
  return outcome;
}

function toFailure(thrown: unknown): Outcome {
  const taint = taintOfError(thrown);
  return { error: deepFreeze(toErrorInfo(thrown)), ...(taint && { taint }) };
}
