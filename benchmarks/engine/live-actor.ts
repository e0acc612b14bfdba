import { createActor, toPromise } from 'xstate';
import { input } from './script.ts';
import type { Variant } from './variant.ts';
import { tableWorkflow } from './workflows.ts';

/** The workflow's machine as a plain XState actor: nothing is journaled. */
export const liveActor: Variant = {
  runsPerStore: 500,
  open: async () => ({
    run: async () => {
      const actor = createActor(tableWorkflow.machine, { input }).start();
      await toPromise(actor);
      if (actor.getSnapshot().value !== 'done') throw new Error('The actor ended unexpectedly.');
    },
    finalState: async () => {
      const actor = createActor(tableWorkflow.machine, { input }).start();
      await toPromise(actor);
      return actor.getSnapshot().context;
    },
    close: async () => {},
  }),
};
