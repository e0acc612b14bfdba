// Spans of the command line, as OpenTelemetry's own SDK sends them to a collector.
import { createClient } from 'agent-machines/client';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { folder, ownProcess } from '../cli/command.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { installFolder } from './install-folder.ts';
import { otlpReceiver } from './otlp/otlp-receiver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 }); // an installation, and processes on a busy machine
beforeAll(() => installFolder('otlp'));

const installed = { NODE_OPTIONS: `--import=${new URL('otlp/resolve-sdk.mjs', import.meta.url)}` };
const sendingTo = (url: string) => ({ ...installed, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
// of which nothing can stand in an id or a time by chance
const question = '12345 * 6789를 계산해줘';

describe('agent-machines with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('sends the spans of a run as one tree, under the configured service, without content', async () => {
    await using receiver = await otlpReceiver();
    const env = { ...sendingTo(receiver.url), OTEL_SERVICE_NAME: 'sums', OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20key' };
    const { code, stdout, stderr } = await ownProcess(folder(), ['run', 'plan-execute', question], env);
    expect([code, stdout]).toEqual([0, '12345 * 6789 = 83810205\n']);
    expect(stderr).not.toMatch(/OpenTelemetry|spans/);
    const { spans, services, requests } = receiver;
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['invoke_workflow plan_execute', 'plan plan_execute', 'execute_tool calculator']),
    );
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.filter(({ parentSpanId = '' }) => parentSpanId === '').map(({ name }) => name)).toEqual(['invoke_workflow plan_execute']);
    expect(services).toEqual(['sums']);
    expect([requests[0]?.path, requests[0]?.authorization]).toEqual(['/v1/traces', 'Bearer key']);
    expect(requests.map(({ body }) => body).join('')).not.toMatch(/12345 \* 6789|계산|83810205/); // in the arguments of the process, too
  });

  it.each([
    ['--otel, in the form that is usual', ['--otel'], {}],
    ['OTEL_TRACES_EXPORTER', [], { OTEL_TRACES_EXPORTER: 'otlp' }],
  ])('sends them by %s', async (_, args, variables) => {
    await using receiver = await otlpReceiver();
    const env = { ...installed, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...variables };
    expect((await ownProcess(folder(), ['run', 'plan-execute', question, ...args], env)).code).toBe(0);
    expect(receiver.requests.map(({ type }) => type)).toEqual(['application/x-protobuf']);
    expect(receiver.requests[0]?.body).toContain('invoke_workflow plan_execute');
  });

  it('sends content on request', async () => {
    await using receiver = await otlpReceiver();
    const env = { ...sendingTo(receiver.url), OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' };
    await ownProcess(folder(), ['run', 'plan-execute', question], env);
    expect(receiver.requests.map(({ body }) => body).join('')).toContain('12345 * 6789');
  });

  it.each([
    ['--no-otel', ['--no-otel'], {}],
    ['OTEL_SDK_DISABLED', ['--otel'], { OTEL_SDK_DISABLED: 'true' }],
    ['OTEL_TRACES_EXPORTER=none', [], { OTEL_TRACES_EXPORTER: 'none' }],
  ])('sends nothing and prints nothing: %s', async (_, args, variables) => {
    await using receiver = await otlpReceiver();
    const env = { ...sendingTo(receiver.url), ...variables };
    const { code, stderr } = await ownProcess(folder(), ['run', 'plan-execute', question, ...args], env);
    expect([code, receiver.requests]).toEqual([0, []]);
    expect(stderr).not.toMatch(/otel|OpenTelemetry|spans/i);
  });

  it('sends the turns of a chat as traces of one conversation', async () => {
    await using receiver = await otlpReceiver();
    const { code } = await ownProcess(folder(), ['chat', '--thread', 'talk'], sendingTo(receiver.url), '1 + 1?\n2 + 2?\n');
    expect(code).toBe(0);
    const roots = receiver.spans.filter(({ name }) => name === 'invoke_workflow chat_agent');
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(2);
  });

  it('continues the trace of a run in the process that answers it', async () => {
    await using receiver = await otlpReceiver();
    const cwd = folder();
    const env = sendingTo(receiver.url);
    const asked = await ownProcess(cwd, ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어'], env);
    const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
    const interrupt = /--interrupt (i_\w+)/.exec(asked.stderr)?.[1] ?? '';
    expect((await ownProcess(cwd, ['send', runId, 'APPROVE', '--interrupt', interrupt], env)).code).toBe(0);
    const drives = receiver.spans.filter(({ name }) => name === 'invoke_workflow guide_agent');
    expect(drives.length).toBe(2);
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(drives[1]?.parentSpanId).toBe(drives[0]?.spanId);
  });

  it('ends the spans of a killed process by `work`', async () => {
    await using receiver = await otlpReceiver();
    await using model = await startOpenaiServer();
    const cwd = folder();
    const env = { ...sendingTo(receiver.url), OTEL_BSP_SCHEDULE_DELAY: '20' };
    model.answer({ type: 'silence' });
    const running = ownProcess(cwd, ['run', 'plan-execute', question, '--base-url', model.url], env);
    await vi.waitFor(() => expect(model.requests.length).toBe(1), { timeout: 60_000 });
    running.kill('SIGKILL');
    await running;
    model.answer({ type: 'silence' });
    const working = ownProcess(cwd, ['work', '--drain', '1'], env);
    await vi.waitFor(() => expect(model.requests.length).toBe(2), { timeout: 60_000 });
    working.kill('SIGTERM');
    expect((await working).code).toBe(0);
    const drives = receiver.spans.filter(({ name }) => name === 'invoke_workflow plan_execute');
    expect(drives.length).toBe(2); // the one that the dead process had open, and that of the worker, which was stopped
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it('puts a run of `serve` into the trace of its request, and flushes on stop', async () => {
    await using receiver = await otlpReceiver();
    const serving = ownProcess(folder(), ['serve', '--port', '0', '--json'], sendingTo(receiver.url));
    const { url, token } = JSON.parse(await serving.firstLine()) as { readonly url: string; readonly token: string };
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const named: typeof fetch = (input, init) =>
      fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), traceparent } });
    const client = createClient({ baseUrl: url, token, fetch: named });
    const run = await client.startRun({ body: { workflow: 'plan-execute', input: { input: question } } });
    const types: string[] = [];
    for await (const { type } of client.events(run.id)) types.push(type);
    expect(types).toContain('edge');
    serving.kill('SIGTERM');
    expect((await serving).code).toBe(0);
    const drive = receiver.spans.find(({ name }) => name === 'invoke_workflow plan_execute');
    expect([drive?.traceId, drive?.parentSpanId]).toEqual([traceId, 'b7ad6b7169203331']);
  });

  it.each([
    ['takes everything and never answers', async () => otlpReceiver({ answers: false })],
    [
      'is not there',
      async () => {
        const gone = await otlpReceiver();
        await gone[Symbol.asyncDispose]();
        return { url: gone.url, [Symbol.asyncDispose]: async () => {} };
      },
    ],
  ])('answers and ends when the collector %s', async (_, collector) => {
    await using receiver = await collector();
    const env = { ...sendingTo(receiver.url), OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
    const { code, stdout, stderr } = await ownProcess(folder(), ['run', 'plan-execute', question], env);
    expect([code, stdout]).toEqual([0, '12345 * 6789 = 83810205\n']);
    expect(stderr).toContain(`Some spans were not sent within 2 seconds. Is a collector at ${receiver.url}?\n`);
  });

  it.each([
    ['with spans', {}],
    ['alone', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ])('sends the metrics of `serve` when OTEL_METRICS_EXPORTER requests them, %s', async (how, variables) => {
    await using receiver = await otlpReceiver();
    const env = {
      ...sendingTo(receiver.url),
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_METRIC_EXPORT_TIMEOUT: '200',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/v1/metrics`,
      ...variables,
    };
    const serving = ownProcess(folder(), ['serve', '--port', '0', '--json'], env);
    const { url, token } = JSON.parse(await serving.firstLine()) as { readonly url: string; readonly token: string };
    const client = createClient({ baseUrl: url, token });
    await client.startRun({ body: { workflow: 'plan-execute', input: { input: question } } });
    const metric = (series: string) => () => receiver.metrics.get(series);
    await expect.poll(metric('agent_machines.runs.ended {"workflow":"plan_execute","status":"done","code":""}')).toBe(1);
    await expect.poll(metric('agent_machines.runs {"workflow":"plan_execute","status":"done"}'), { timeout: 30_000 }).toBe(1);
    expect(receiver.metrics.get('agent_machines.tool.duration {"tool":"calculator"}')).toBe(1);
    expect(receiver.metrics.get('agent_machines.workers {}')).toBe(1);
    expect(receiver.metrics.get('process.memory.usage {}')).toBeGreaterThan(1e6);
    serving.kill('SIGTERM');
    expect((await serving).code).toBe(0);
    expect(receiver.spans.length > 0).toBe(how === 'with spans');
    expect(receiver.requests.map(({ body }) => body).join('')).not.toMatch(/12345 \* 6789|계산|83810205/);
  });

  it('sends no metrics of a server without that variable, and none of `run` with it', async () => {
    await using receiver = await otlpReceiver();
    const env = { ...sendingTo(receiver.url), OTEL_METRIC_EXPORT_INTERVAL: '100', OTEL_METRIC_EXPORT_TIMEOUT: '100' };
    await ownProcess(folder(), ['run', 'plan-execute', question], { ...env, OTEL_METRICS_EXPORTER: 'otlp' });
    const serving = ownProcess(folder(), ['serve', '--port', '0', '--json'], env);
    await serving.firstLine();
    serving.kill('SIGTERM');
    await serving;
    expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
  });

  it('keeps messages of the SDK off standard output', async () => {
    await using receiver = await otlpReceiver();
    const env = { ...sendingTo(receiver.url), OTEL_LOG_LEVEL: 'debug' };
    const { stdout, stderr } = await ownProcess(folder(), ['run', 'plan-execute', question], env);
    expect(stdout).toBe('12345 * 6789 = 83810205\n');
    expect(stderr).toContain('OpenTelemetry: ');
  });
});
