import type { MachineContext } from 'xstate';
import type { Attempt, StepOptions } from '../../core/ports/node-io.ts';
import type { Stop } from '../../core/util/stop.ts';
import { marksOf, type NodeHandler } from '../define/node.ts';
import type { Host, Outcome } from './host.ts';

export type StepWork<T> = (attempt: Attempt) => Promise<T>;

/** Journals the steps of one attempt of a node. */
export interface AttemptSteps {
  run<T>(step: string, options: StepOptions, work: StepWork<T>, memo: StepMemo<T>): Promise<T>;
}

export type StepMemo<T> = (step: string, work: StepWork<T>) => Promise<T>;

/** Runs a handler once, with its own `Stop`. */
type RunHandler = (run: NodeHandler<MachineContext>, halt: Stop, steps: AttemptSteps) => Promise<Outcome>;

/** Runs a node in several attempts. */
export type Attempter = (key: string, host: Host, stop: Stop, run: RunHandler) => Promise<Outcome>;

const attempters = new WeakMap<object, Attempter>();

export const setAttempter = (handler: object, attempter: Attempter): unknown => attempters.set(handler, attempter);

/**
 * Returns the attempter of a handler, or `undefined` if the handler has a single attempt. The lookup keeps retries out of bundles that do
 * not use them.
 */
export const attempterOf = (handler: object): Attempter | undefined => attempters.get(marksOf(handler).made ?? handler);
