import type { Attempt } from '../ports/node-io.ts';
import { hash } from '../util/hash.ts';
import type { Stop } from '../util/stop.ts';

/** What a step's work is given. Most work asks for nothing of it, and the key and the signal cost more than all the rest of a step. */
export class StepAttempt implements Attempt {
  readonly number: number;
  readonly #runId: string;
  readonly #key: string;
  readonly #stop: Stop;

  constructor(number: number, runId: string, key: string, stop: Stop) {
    this.number = number;
    this.#runId = runId;
    this.#key = key;
    this.#stop = stop;
  }

  get idempotencyKey(): string {
    return hash(`${this.#runId}/${this.#key}`);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }
}
