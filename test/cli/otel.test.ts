// The command line without the packages of OpenTelemetry, and without anybody who asks for spans.
import { expect, it } from 'vitest';
import { command, folder, ownProcess } from './command.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
const question = ['run', 'plan-execute', '12 * 30'];
const install = 'npm install @opentelemetry/api @opentelemetry/sdk-node';

it('names the packages to install when --otel needs them', async () => {
  const { code, stdout, stderr } = await command(folder(), [...question, '--otel']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('✗ ADAPTER_MISSING: The packages that send spans cannot be loaded');
  expect(stderr).toContain(install);
  const { stdout: json } = await command(folder(), [...question, '--otel', '--json']);
  expect(JSON.parse(json)).toMatchObject({ type: 'error', code: 'ADAPTER_MISSING', hint: `Run: ${install}` });
});

it('answers when only the environment asks, and reports once what is missing', async () => {
  const { code, stdout, stderr } = await command(folder(), question, endpoint);
  expect([code, stdout]).toEqual([0, '12 * 30 = 360\n']);
  expect(stderr.split('\n').filter((line) => line.includes(install))).toEqual([
    `OTEL_EXPORTER_OTLP_ENDPOINT is set, but no spans are sent (ADAPTER_MISSING). Run: ${install} (or use --no-otel)`,
  ]);
});

it.each([
  ['--no-otel', ['--no-otel'], endpoint],
  ['OTEL_SDK_DISABLED', [], { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
  ['OTEL_TRACES_EXPORTER=none', [], { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ['the console of others', [], { ...endpoint, OTEL_TRACES_EXPORTER: 'console' }],
  ['an empty endpoint', [], { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ['a name alone', [], { OTEL_SERVICE_NAME: 'mine' }],
])('reports nothing about spans: %s', async (_, args, env) => {
  const { code, stderr } = await command(folder(), [...question, ...args], env);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/otel|spans/i);
});

it('rejects spans on the console, where the answer is', async () => {
  const { code, stderr } = await command(folder(), [...question, '--otel'], { OTEL_TRACES_EXPORTER: 'console' });
  expect([code, stderr]).toEqual([2, expect.stringContaining('OTEL_TRACES_EXPORTER=console')]);
});

it('loads no telemetry package unless asked', async () => {
  const tell = `import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => {
      if (name.includes('opentelemetry')) process.stderr.write('LOADED ' + name + '\\n');
      return next(name, context);
    } });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}` };
  const { code, stderr } = await ownProcess(folder(), question, env);
  expect(code).toBe(0);
  expect(stderr).not.toContain('LOADED');
  expect((await ownProcess(folder(), [...question, '--otel'], env)).stderr).toContain('LOADED @opentelemetry/sdk-node');
});
