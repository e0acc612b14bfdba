import type { Actor } from '../../core/ports/actor.ts';

// not an import, because servers on Workers may have no such module: protocols then record no name there
const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks');
const current = hooks && new hooks.AsyncLocalStorage<Actor>();

/** Runs `act`, and everything that it starts, for the sender of one request. */
export const forRequestOf = <T>(actor: Actor, act: () => T): T => (current ? current.run(actor, act) : act());

/** Sender of the request that the caller works for; `undefined` outside requests. */
export const requestActor = (): Actor | undefined => current?.getStore();
