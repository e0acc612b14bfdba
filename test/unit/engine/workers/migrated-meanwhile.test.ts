// A run that another process migrates between the read and the lease of one that answers it.
import { createRuntime, memoryStore, migrateRuns, type RunStore } from 'agent-machines';
import { expect, it, onTestFinished } from 'vitest';
import { publish, renamed } from '../../../fixtures/publish-versions.ts';

const [former, current] = [publish('1'), renamed('2')];

/** A store in which a deployment migrates the runs right before they are acquired. */
const migratedBefore = (store: RunStore): RunStore =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'acquire') return value.bind(target) as unknown;
      return async (...given: readonly unknown[]) => {
        await migrateRuns({ store, workflows: [former, current] });
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });

it.each([
  ['only the former version', [former], 'JOURNAL_OF_OTHER_MACHINE'],
  ['both versions', [former, current], 'INTERRUPT_MOVED'],
])('is not driven on the machine of its former version by a process with %s', async (_, workflows, code) => {
  const store = memoryStore();
  const starting = createRuntime({ store, workflows: [former] });
  const answering = createRuntime({ store: migratedBefore(store), workflows });
  const next = createRuntime({ store, workflows: [current] });
  onTestFinished(async () => void (await Promise.all([starting, answering, next].map((runtime) => runtime.close()))));
  const waits = await starting.start(former, {}, { runId: 'r_1' }).result;
  const interruptId = waits.status === 'waiting' ? (waits.interrupt?.id ?? '') : '';
  await expect(answering.send('r_1', { type: 'GO' }, { interruptId })).rejects.toMatchObject({ code });
  await (await next.resume('r_1')).result;
  const { result, version } = await next.get('r_1');
  expect(version).toBe('2');
  const moved = result?.status === 'waiting' ? result.interrupt : undefined;
  expect(moved?.key).toBe('approval#1');
  const run = await next.send('r_1', { type: 'GO' }, { interruptId: moved?.id ?? '' });
  expect(await run.result).toMatchObject({ status: 'done' });
});
