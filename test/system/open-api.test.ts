// The server's OpenAPI document, as it comes over a real socket, before a validator that is not ours.
import { createRuntime, memoryStore } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { createServer } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { expect, it, vi } from 'vitest';
import { token } from '../fixtures/served.ts';
import { installedFile, installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 300_000 });

interface OpenApiValidator {
  readonly Validator: new () => {
    readonly version?: string;
    validate(document: object): Promise<{ readonly valid: boolean; readonly errors?: unknown }>;
  };
}

it('is valid OpenAPI 3.1 without a dangling reference', async () => {
  installFolder('open-api');
  const { Validator } = (await import(installedFile('open-api', '@seriousme/openapi-schema-validator/index.js').href)) as OpenApiValidator;
  const store = memoryStore();
  const workflows = [planExecute(), chatAgent(), toolAgent()];
  const runtime = createRuntime({ store, workflows });
  const listener = await listen({ server: (hosts) => createServer({ hosts, tokens: token, store, runtime, workflows }) });
  const response = await fetch(`${listener.url}/api/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
  const document = (await response.json()) as Record<string, unknown>;
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(20);
  for (const path of references) {
    const found = path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    expect(found, path).toBeDefined();
  }
  const broken = { ...document, info: {} };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  await listener.close();
  await runtime.close();
});
