import type { MachineContext } from 'xstate';
import type { Json } from '../../core/ports/json.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import { type AnyWorkflow, defineWorkflow } from '../../engine/define/define-workflow.ts';
import type { NodeOutcome } from './tape.ts';
import { errorOf } from './walk.ts';

/** Nodes of one run, which block until they receive an outcome. */
export interface TapedNodes {
  /** Returns the paths of the states with running nodes, sorted. */
  working(): readonly string[];
  /** All starts so far: path of the state, and input of the node. */
  readonly starts: readonly (readonly [path: string, state: MachineContext])[];
  /** Final state of the run. */
  readonly last: MachineContext | undefined;
  end(path: string, outcome: NodeOutcome): void;
}

/** A workflow whose nodes only return outcomes of a tape. It is created once and reused for each run. */
export interface TapedWorkflow {
  readonly workflow: AnyWorkflow;
  /** Starts a run: nodes that start from now on belong to it. */
  nextRun(): TapedNodes;
}

type Handler = (state: MachineContext, io: NodeIo) => Promise<MachineContext>;

export function tapedWorkflow(original: AnyWorkflow): TapedWorkflow {
  let nodes = new BlockedNodes();
  const handler: Handler = (state, io) => nodes.play(state, io);
  const names = Object.keys(original.machine.implementations.actors);
  const { machine, structure, structureHash } = defineWorkflow({
    machine: original.machine,
    nodes: Object.fromEntries(names.map((name) => [name, handler])),
  });
  const { thread } = original;
  return {
    workflow: {
      ...original,
      machine,
      structure,
      structureHash,
      thread: {
        initial: thread?.initial ?? null,
        next: (before, end): Json => {
          nodes.last = end.state;
          return thread ? thread.next(before, end) : before;
        },
      },
    },
    nextRun() {
      nodes = new BlockedNodes();
      return nodes;
    },
  };
}

class BlockedNodes implements TapedNodes {
  readonly #working = new Map<string, (outcome: NodeOutcome) => void>();
  readonly starts: (readonly [string, MachineContext])[] = [];
  last: MachineContext | undefined;

  play(state: MachineContext, { key, signal }: NodeIo): Promise<MachineContext> {
    const path = key.replace(/#\d+$/, '');
    this.starts.push([path, state]);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#working.delete(path);
        reject(signal.reason);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#working.set(path, (outcome) => {
        this.#working.delete(path);
        if ('patch' in outcome) resolve(outcome.patch);
        else reject(errorOf(path, outcome.error));
      });
    });
  }

  working(): readonly string[] {
    return [...this.#working.keys()].sort();
  }

  end(path: string, outcome: NodeOutcome): void {
    this.#working.get(path)?.(outcome);
  }
}
