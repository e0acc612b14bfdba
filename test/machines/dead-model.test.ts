// The first program of the README, with a model server that is gone.
import { createServer } from 'node:net';
import { createRuntime } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { openaiModel } from 'agent-machines/models/openai';
import { expect, it } from 'vitest';

/** URL of a port that was open and is closed. */
async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
}

it('a program that prints the output of a run that is done prints the error when the model server is dead', async () => {
  const model = openaiModel({ model: 'gone', baseURL: await closedUrl(), apiKey: 'none', maxRetries: 0 });
  const printed: string[] = [];
  const result = await createRuntime().start(planExecute({ model }), { input: '123 * 456' }).result;
  if (result.status === 'done') printed.push(String(result.output.answer));
  else if (result.status === 'failed') printed.push(`error: ${result.error.code}`);
  expect(printed).toEqual(['error: MODEL_UNAVAILABLE']);
  expect(result).toMatchObject({
    resumable: false,
    finalState: 'stopped',
    output: { answer: expect.stringContaining('MODEL_UNAVAILABLE') },
  });
});
