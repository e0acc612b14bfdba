import type { NodeIo } from '../../core/ports/node-io.ts';
import type { TextGuard } from '../../core/ports/text-guard.ts';
import type { WorkflowCalls } from '../../core/ports/tool.ts';
import { Stop } from '../../core/util/stop.ts';
import { hostOf } from '../../engine/drive/driver-io.ts';
import type { Host, Outcome } from '../../engine/drive/host.ts';

/** Place of a called workflow in its run. */
export interface CallPlace {
  readonly host: Host;
  /** Key of the call, unique in the run. */
  readonly key: string;
  readonly stop: Stop;
  /** Guards of the workflows around it. */
  readonly guards: readonly TextGuard[];
}

/** Workflows that run in one visit of a node, each as its own node. The visit waits for them as a drive waits for its nodes. */
export class CallsInside implements WorkflowCalls {
  readonly #io: NodeIo;
  readonly #host: Host;
  readonly #stop: Stop;
  readonly #guards: readonly TextGuard[];
  readonly #pending = new Map<string, Promise<Outcome>>();
  readonly #waiting = new Map<string, { readonly stop: Stop; readonly resolve: (outcome: Outcome) => void }>();
  #marked: Promise<boolean> | undefined;
  /** Number of ended workflows with undelivered outcomes. */
  #ended = 0;
  changed = (): void => {};

  constructor(io: NodeIo, { host, stop, guards }: Omit<CallPlace, 'key'>) {
    this.#io = io;
    this.#host = host;
    this.#stop = stop;
    this.#guards = guards;
  }

  /** Runs a workflow, and returns its outcome. @throws an error that ends the run, or leaves the node. */
  async make(key: string, work: (place: CallPlace) => Promise<Outcome>): Promise<Outcome> {
    // marks the visit, so that an inspection of the run, which performs no work, finds the workflows in it
    this.#marked ??= this.#io.step('workflows', async () => true, { effect: 'pure' });
    await this.#marked;
    const host = this.#host;
    const place: CallPlace = { host, key: this.#keyOf(key), stop: new Stop(), guards: this.#guards };
    host.emit({ type: 'node-start', key: place.key, attempt: host.attempt(place.key) });
    this.#stop.onAbort(() => place.stop.abort(this.#stop.reason));
    const step = host.step(
      place.key,
      async () => {
        try {
          return await work(place);
        } finally {
          this.#ended++;
          this.changed();
        }
      },
      place.stop,
      true,
    );
    this.#pending.set(place.key, step);
    const outcome = new Promise<Outcome>((resolve) => {
      this.#waiting.set(place.key, { stop: place.stop, resolve });
    });
    this.#begin();
    this.changed();
    return outcome;
  }

  pass(key: string): void {
    this.#host.emit({ type: 'node-start', key: this.#keyOf(key), attempt: 1 });
  }

  mustPull(calls: number): boolean {
    return this.#waiting.size > 0 && (this.#waiting.size === calls || this.#ended > 0);
  }

  async pull(): Promise<void> {
    this.#deliver(await this.#host.next(this.#pending, this.#stop));
  }

  end(): void {
    for (const { stop } of this.#waiting.values()) stop.abort(this.#stop.reason);
    this.#pending.clear();
    this.#waiting.clear();
  }

  /** Starts the requested steps, because the host starts them only while it is waited for; stops the wait at once. */
  #begin(): void {
    const leaving = new Stop();
    this.#host.next(this.#pending, leaving).then(
      (found) => this.#deliver(found),
      () => {},
    );
    leaving.abort();
  }

  #deliver([key, outcome]: readonly [string, Outcome]): void {
    this.#pending.delete(key);
    this.#ended = Math.max(0, this.#ended - 1);
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    waiting?.resolve(outcome);
  }

  #keyOf(key: string): string {
    return `${this.#io.key}/${key}#1`;
  }
}

const known = new WeakMap<object, CallsInside>();

/** Returns the workflows called in a visit of a node; `undefined` if its run's journal cannot be reached. */
export function callsInside(io: Pick<NodeIo, 'step' | 'emit'>): CallsInside | undefined {
  const found = known.get(io);
  if (found) return found;
  if (!isNodeIo(io)) return undefined;
  const inside = hostOf(io);
  if (!inside) return undefined;
  const created = new CallsInside(io, inside);
  known.set(io, created);
  return created;
}

const isNodeIo = (io: object): io is NodeIo => 'key' in io && 'signal' in io;
