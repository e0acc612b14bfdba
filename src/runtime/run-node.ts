import { toErrorInfo } from '../errors.ts';
import { deepFreeze } from '../util/deep-freeze.ts';
import type { Stop } from '../util/stop.ts';
import { taintOfError } from '../util/tainted-error.ts';
import { mutationOf } from '../workflow/definition-error.ts';
import { maxOutputBytesOf, toPatch } from '../workflow/node.ts';
import { DriverIo } from './driver-io.ts';
import type { Host, Outcome } from './host.ts';
import type { Command } from './stepper.ts';

/** Runs a node and its steps to their end: a step that goes on after its node would be lost, with whatever it has done. */
export async function runNode(
  { handler, state }: Extract<Command, { type: 'start' }>,
  key: string,
  host: Host,
  stop: Stop,
): Promise<Outcome> {
  const maxOutputBytes = maxOutputBytesOf(handler);
  const io = new DriverIo(key, host, stop, maxOutputBytes);
  let outcome: Outcome;
  try {
    outcome = { output: toPatch(await handler(state, io), state, maxOutputBytes) };
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
