import { openaiModel } from 'agent-machines/models/openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { patientFetchOptions } from '../../../../src/models/openai/patient-fetch.ts';
import { startOpenaiServer } from '../../../fixtures/openai-server.ts';

const place = Symbol.for(`undici.globalDispatcher.${Number.parseInt(process.versions.undici ?? '', 10) >= 8 ? 2 : 1}`);
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

describe('patientFetchOptions', () => {
  afterEach(() => vi.restoreAllMocks());

  it('lets a reply take longer than the five minutes of Node', async () => {
    await using server = await startOpenaiServer();
    server.answer({ type: 'completion', text: 'Paris' });
    await fetch(server.url).catch(() => {}); // the engine is there from the first request on
    const dispatch = vi.spyOn(Reflect.get(globalThis, place) as Dispatcher, 'dispatch');
    const model = openaiModel({ model: 'm', apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 });
    expect(await model.generate({ task: 'test', messages: [{ role: 'user', content: 'Hi' }] })).toMatchObject({ text: 'Paris' });
    expect(dispatch.mock.calls.at(-1)?.[0]).toMatchObject({ headersTimeout: 0, bodyTimeout: 0 });
  });

  it('returns no options without that dispatcher', () => {
    expect(patientFetchOptions({})).toEqual({});
  });
});
