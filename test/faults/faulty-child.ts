import { type Child, startChild } from '../fixtures/child.ts';
import type { FaultyCommand, FaultyProcessOptions, FaultyReply } from '../fixtures/faulty-process.ts';

export interface FaultyChild extends Pick<Child, 'pid' | 'kill' | 'ended'> {
  /** Settles with what came of it, or with `undefined` when the process has ended first. */
  call(call: FaultyCommand['call'], ...args: unknown[]): Promise<FaultyReply | undefined>;
  /** Settles when a change waits: `run/step`, each once, in their order; `undefined` when the process has ended. */
  held(): Promise<string | undefined>;
}

/** Starts a process of a fault test, and waits until it can be told something. */
export async function faultyChild(
  place: { readonly address: string; readonly env: Readonly<Record<string, string>>; readonly notes: string },
  options: FaultyProcessOptions,
): Promise<FaultyChild> {
  const child = startChild('faulty-process.ts', [place.address, place.notes, JSON.stringify(options)], { env: place.env });
  await child.line(0);
  const waiting = new Map<number, (reply: FaultyReply | undefined) => void>();
  const held: string[] = [];
  const asked: ((step: string | undefined) => void)[] = [];
  let isOver = false;
  const reading = (async () => {
    for (let number = 1; ; number++) {
      const reply = JSON.parse(await child.line(number)) as FaultyReply;
      if (reply.n > 0) waiting.get(reply.n)?.(reply);
      else if (asked.length > 0) asked.shift()?.(String(reply.result));
      else held.push(String(reply.result));
    }
  })();
  void reading.catch(() => {
    isOver = true;
    for (const tell of [...waiting.values(), ...asked]) tell(undefined);
  });
  let last = 0;
  return {
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    ended: child.ended,
    call(call, ...args) {
      const n = ++last;
      if (isOver) return Promise.resolve(undefined);
      const reply = new Promise<FaultyReply | undefined>((resolve) => waiting.set(n, resolve));
      child.say(JSON.stringify({ n, call, args } satisfies FaultyCommand));
      return reply;
    },
    held() {
      const next = held.shift();
      if (next !== undefined || isOver) return Promise.resolve(next);
      return new Promise((resolve) => asked.push(resolve));
    },
  };
}
