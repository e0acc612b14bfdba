// Preloaded by `agent-machines mutate` into each Node process of a project's test: `defineWorkflow` then returns one mutant.
import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { AnyWorkflow } from '../index.ts';
import type { mutateMachine } from '../testing/index.ts';

/** Task of the hook, as JSON in the file that `AGENT_MACHINES_MUTANT` names. */
export interface MutantTask {
  /** URL of the main module of the project's copy of the package. */
  readonly main: string;
  /** File to which the hook appends the id of each workflow that it changed, or saw if there is no mutant. */
  readonly seen: string;
  /** Absent: workflows stay as they are. */
  readonly mutant?: {
    readonly workflow: string;
    readonly description: string;
    /** States in which guards are watched, to find the numbers that they read. */
    readonly states: readonly object[];
  };
}

/** Name of the environment variable with the path of the task. */
export const taskVariable = 'AGENT_MACHINES_MUTANT';
/** URL parameter of the module that stands in for the package. */
const mark = '?agent-machines-mutant';

const file = process.env[taskVariable];
if (file !== undefined) {
  const task = JSON.parse(readFileSync(file, 'utf8')) as MutantTask;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url !== task.main || context.parentURL?.endsWith(mark)) return resolved;
      return { ...resolved, url: `${task.main}${mark}`, format: 'module', shortCircuit: true };
    },
    load(url, context, next) {
      return url.endsWith(mark) ? { format: 'module', source: standIn, shortCircuit: true } : next(url, context);
    },
  });
  Reflect.set(globalThis, Symbol.for(mark), defineWith(task));
}

/** The package with another `defineWorkflow`. */
const standIn = `
import { defineWorkflow as define } from 'agent-machines';
import { mutateMachine } from 'agent-machines/testing';
export * from 'agent-machines';
export const defineWorkflow = globalThis[Symbol.for('${mark}')](define, mutateMachine);
`;

type Define = (definition: object) => AnyWorkflow;

function defineWith({ seen, mutant }: MutantTask): (define: Define, mutate: typeof mutateMachine) => Define {
  return (define, mutate) => (definition) => {
    const workflow = define(definition);
    const note = (): void => appendFileSync(seen, `${workflow.id}\n`);
    if (!mutant) note();
    if (mutant?.workflow !== workflow.id) return workflow;
    for (const made of mutate(workflow, { states: mutant.states })) {
      if (made.description !== mutant.description) continue;
      note();
      return made.workflow;
    }
    return workflow;
  };
}
