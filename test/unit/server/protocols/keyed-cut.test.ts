// A request with an Idempotency-Key is cut off, and sent again.
import { createRuntime, memoryStore } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { openaiRoutes } from 'agent-machines/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { held } from '../../../fixtures/text-tools.ts';
import { calls, says } from '../../../machines/tool-agent/helpers.ts';

const routes: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'go' }] }],
  ['/v1/responses', { input: 'go' }],
];
const cases = routes.flatMap(([path, body]) => [true, false].map((stream) => ({ path, body: { model: 'agent', ...body, stream } })));

function open() {
  const slow = held('slow');
  const workflow = toolAgent({ model: scriptedModel([calls(['slow', { text: 'x' }]), says('One.')]), tools: [slow] });
  const runtime = createRuntime({ store: memoryStore(), workflows: [workflow as never] });
  onTestFinished(() => runtime.close());
  const app = openaiRoutes({ runtime, workflows: [{ id: 'agent', workflow: workflow as never }] }, { goneMs: 0 });
  const cut = new AbortController();
  const ask = (path: string, body: object, key: string | undefined, signal?: AbortSignal): Promise<Response> =>
    Promise.resolve(
      app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
        body: JSON.stringify(body),
        ...(signal ? { signal } : {}),
      }),
    );
  /** Sends a request, and cuts it while its run works. */
  const cutOff = async (path: string, body: { readonly stream: boolean }, key: string | undefined): Promise<void> => {
    const first = ask(path, body, key, cut.signal);
    if (body.stream) {
      const reader = (await first).body?.getReader();
      await reader?.read();
      await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
      await reader?.cancel();
    } else {
      await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
      cut.abort();
    }
  };
  return { slow, runtime, ask, cutOff };
}

it.each(cases)('the retry gets the answer of the same run: $path, streamed: $body.stream', async ({ path, body }) => {
  const { slow, runtime, ask, cutOff } = open();
  await cutOff(path, body, 'k');
  const again = ask(path, body, 'k');
  slow.calls[0]?.resolve('ok');
  expect(await (await again).text()).toContain('One.');
  expect(await (await ask(path, body, 'k')).text()).toContain('One.');
  expect(await runtime.list()).toMatchObject([{ status: 'done' }]);
});

it.each(cases)('a run without a key is cancelled: $path, streamed: $body.stream', async ({ path, body }) => {
  const { runtime, cutOff } = open();
  await cutOff(path, body, undefined);
  await vi.waitFor(async () => expect(await runtime.list()).toMatchObject([{ status: 'cancelled' }]));
});
