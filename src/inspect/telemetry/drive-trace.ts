import { type Attributes, type SpanContext, SpanKind } from '@opentelemetry/api';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { StoredEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry, RunStatus } from '../../core/ports/run-store.ts';
import { limitFiles } from '../../core/tool-facts/tool-content.ts';
import { isObject } from '../../core/util/is-object.ts';
import { modelCost } from '../../core/util/model-cost.ts';
import { OpenSpans, type SpanEnd } from './open-spans.ts';
import type { Telemetry } from './telemetry-options.ts';

export interface TracedRun {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly threadId?: string | undefined;
}

export interface DriveTraceOptions {
  readonly telemetry: Telemetry;
  readonly run: TracedRun;
  readonly epoch: number;
  /** Start of the drive, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly parent?: SpanContext | undefined;
  readonly silent?: boolean;
  /** Entries journaled before this drive. */
  readonly before?: readonly JournalEntry[];
}

type EventOf<TType extends StoredEvent['type']> = Extract<StoredEvent, { readonly type: TType }>;

/** Key of the drive's own span. */
const whole = '';

interface OpenTool {
  readonly key: string;
  readonly tool: string;
  readonly args: Json;
  end?: EventOf<'tool-end'>;
}

/**
 * Spans of one drive of a run, from its start or resumption to its end or suspension. They are created from committed journal entries, so
 * each span reports a fact, and only once.
 */
export class DriveTrace {
  readonly #options: DriveTraceOptions;
  readonly #spans: OpenSpans;
  /** Keyed by `node/callId`. Includes the tools that an earlier drive started. */
  readonly #tools = new Map<string, OpenTool>();
  /** Started model calls, by node. */
  readonly #asked = new Map<string, EventOf<'model-start'>[]>();

  constructor(options: DriveTraceOptions) {
    const { telemetry, run, epoch, parent, silent = false, before = [] } = options;
    this.#options = options;
    this.#spans = new OpenSpans({ telemetry, runId: run.id, epoch, parent, silent });
    for (const { events } of before) for (const event of events) this.#remember(event);
  }

  /** Context of the drive's span, once it is open. */
  get context(): SpanContext | undefined {
    return this.#spans.contextOf(whole);
  }

  /** Starts the drive's span, which otherwise starts with the first event. */
  begin(input?: Json): void {
    if (this.#spans.has(whole)) return;
    const { run, epoch, startedAt } = this.#options;
    const said = input === undefined ? {} : this.#message('gen_ai.input.messages', 'user', input);
    this.#spans.start(whole, undefined, {
      name: `invoke_workflow ${run.workflow}`,
      at: startedAt,
      attributes: {
        ...this.#shared('invoke_workflow'),
        'gen_ai.workflow.name': run.workflow,
        'agent_machines.run.id': run.id,
        'agent_machines.run.drive': epoch,
        'agent_machines.workflow.version': run.version,
        ...said,
      },
    });
  }

  take(entry: JournalEntry): void {
    for (const event of entry.events) this.#take(event);
    if (entry.kind === 'step') this.#endTool(entry.key, entry.outcome);
  }

  /** Ends the drive: the run has ended or is suspended. */
  rest(settled: RunStatus, at: number, outcome?: Json): void {
    if (!this.#spans.has(whole)) return; // nothing happened during the drive
    const { failure, error = failure, finalState, output } = isObject(outcome) ? outcome : {};
    const status = failure === undefined ? settled : 'failed';
    this.#flushTools('');
    for (const node of [...this.#asked.keys()]) this.#endCalls(node, at);
    const suspended = status === 'waiting' || status === 'paused' || status === 'in_doubt';
    if (suspended) this.#spans.addEvent(whole, 'agent_machines.suspended', at, { 'agent_machines.run.status': status });
    this.#spans.endAll({ at, attributes: suspended ? { 'agent_machines.suspended': status } : {} }, whole);
    this.#spans.end(whole, {
      at,
      attributes: {
        'agent_machines.run.status': status,
        ...(typeof finalState === 'string' ? { 'agent_machines.run.final_state': finalState } : {}),
        ...(output === undefined ? {} : this.#message('gen_ai.output.messages', 'assistant', output)),
      },
      ...this.#failure(asError(status === 'failed' ? error : undefined)),
    });
  }

  /** Ends all spans of a drive whose process died. */
  interrupted(at: number): void {
    this.#spans.endAll({ at, attributes: { 'agent_machines.interrupted': true }, errorType: 'interrupted' });
  }

  #take(event: StoredEvent): void {
    this.begin();
    switch (event.type) {
      case 'node-start':
        this.#node(event.key, event.at, event.attempt);
        return;
      case 'node-retry':
        this.#node(event.key);
        this.#spans.addEvent(event.key, 'agent_machines.retry', event.at, {
          'agent_machines.node.attempt': event.attempt,
          'agent_machines.retry.delay_ms': event.delayMs,
          'error.type': event.error.code,
        });
        return;
      case 'node-end':
        this.#endNode(event);
        return;
      case 'edge':
        this.#edge(event);
        return;
      case 'interrupt':
        this.#wait(event);
        return;
      case 'guard':
        this.#guard(event);
        return;
      case 'model-start':
        this.#asked.set(event.node ?? '', [...(this.#asked.get(event.node ?? '') ?? []), event]);
        return;
      case 'model-end':
        this.#modelCall(event);
        return;
      case 'tool-start':
        this.#startTool(event);
        return;
      case 'tool-end':
        this.#toolEnded(event);
        return;
      default:
        return;
    }
  }

  /** Opens the span of a node if needed and returns its key. If an earlier drive started the node, the span starts with this drive. */
  #node(key: string, at: number = this.#options.startedAt, attempt?: number): string {
    if (key === whole || this.#spans.has(key)) return key;
    const { telemetry, run } = this.#options;
    const { scope, name, visit } = partsOf(key);
    const callId = isCalledWorkflow(key) ? `${scope}/${name}` : undefined;
    const parent = callId === undefined ? (scope === '' ? whole : this.#node(scope)) : this.#openTool(callId, scope);
    const agent = callId === undefined ? undefined : (this.#tools.get(callId)?.tool ?? name);
    const plans = agent === undefined && telemetry.isPlanning(name, run.workflow);
    const attributes = {
      ...(agent === undefined ? {} : { ...this.#shared('invoke_agent'), 'gen_ai.agent.name': agent }),
      ...(plans ? { ...this.#shared('plan'), 'gen_ai.agent.name': run.workflow } : {}),
      'agent_machines.node.key': key,
      'agent_machines.node.state': name,
      'agent_machines.node.visit': visit,
      ...(attempt === undefined ? {} : { 'agent_machines.node.attempt': attempt }),
    };
    const title = plans ? `plan ${run.workflow}` : name;
    this.#spans.start(key, parent, { name: agent === undefined ? title : `invoke_agent ${agent}`, at, attributes });
    return key;
  }

  #endNode({ key, at, error }: EventOf<'node-end'>): void {
    this.#node(key);
    this.#flushTools(key);
    this.#endCalls(key, at);
    this.#spans.end(key, { at, ...this.#failure(error) });
  }

  /** Ends the unfinished model calls of a node as interrupted. */
  #endCalls(node: string, at: number): void {
    for (const { task, model, at: askedAt, seq } of this.#asked.get(node) ?? [])
      this.#chat(
        { node, id: `${seq}`, at: askedAt, model },
        { at, errorType: 'interrupted', attributes: { 'agent_machines.model.task': task } },
      );
    this.#asked.delete(node);
  }

  #edge({ from, to, on, guard, node = whole, at }: EventOf<'edge'>): void {
    this.#spans.addEvent(this.#node(node), 'agent_machines.edge', at, {
      'agent_machines.edge.from': from,
      'agent_machines.edge.to': to,
      'agent_machines.edge.on': on,
      ...(guard === undefined ? {} : { 'agent_machines.edge.guard': guard }),
    });
  }

  #wait({ interrupt: { key, accepts }, at }: EventOf<'interrupt'>): void {
    const { scope } = partsOf(key);
    this.#spans.addEvent(this.#node(scope), 'agent_machines.wait', at, {
      'agent_machines.node.key': key,
      'agent_machines.wait.accepts': [...accepts],
    });
  }

  #guard({ guard, border, verdict, reason, tool, node = whole, at }: EventOf<'guard'>): void {
    this.#spans.addEvent(this.#node(node), 'agent_machines.guard', at, {
      'agent_machines.guard.name': guard,
      'agent_machines.guard.border': border,
      'agent_machines.guard.verdict': verdict,
      'agent_machines.guard.reason': reason,
      ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool }),
    });
  }

  #modelCall({ node = '', task, model, durationMs, usage, cached, error, seq, at }: EventOf<'model-end'>): void {
    const asked = this.#asked.get(node) ?? [];
    const start = asked.find((one) => one.task === task);
    this.#asked.set(
      node,
      asked.filter((one) => one !== start),
    );
    const requested = start?.model ?? model;
    const cost = cached || error ? undefined : modelCost(usage, [model, requested], this.#options.telemetry.prices);
    const attributes: Attributes = {
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      ...(error ? {} : { 'gen_ai.response.model': model }),
      ...(usage.cachedInputTokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens }),
      ...(usage.reasoningTokens === undefined ? {} : { 'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens }),
      ...(cost === undefined ? {} : { 'gen_ai.usage.cost': cost }),
      ...(cached ? { 'agent_machines.model.cached': true } : {}),
      'agent_machines.model.task': task,
    };
    this.#chat({ node, id: `${seq}`, at: at - durationMs, model: requested }, { at, attributes, ...this.#failure(error) });
  }

  #chat(
    { node, id, at, model }: { readonly node: string; readonly id: string; readonly at: number; readonly model: string },
    end: SpanEnd,
  ): void {
    const attributes = {
      ...this.#shared('chat'),
      'gen_ai.provider.name': this.#options.telemetry.providerOf(model),
      'gen_ai.request.model': model,
    };
    this.#spans.add(`${node}/chat/${id}`, this.#node(node), { name: `chat ${model}`, kind: SpanKind.CLIENT, at, attributes }, end);
  }

  /** Records the tools that an earlier drive started. */
  #remember(event: StoredEvent): void {
    const callId = 'callId' in event ? `${event.node ?? ''}/${event.callId}` : '';
    if (event.type === 'tool-start') this.#tools.set(callId, { key: `${callId}@${event.seq}`, tool: event.tool, args: event.args });
    else if (event.type === 'tool-end') this.#tools.delete(callId);
  }

  #startTool(event: EventOf<'tool-start'>): void {
    const { node = '', callId, at } = event;
    const known = this.#tools.get(`${node}/${callId}`);
    if (known && this.#spans.has(known.key)) this.#spans.end(known.key, { at, errorType: 'interrupted' });
    this.#remember(event);
    this.#openTool(`${node}/${callId}`, node, at);
  }

  /** Opens the span of a tool if needed and returns its key. */
  #openTool(callId: string, node: string, at: number = this.#options.startedAt): string {
    const { key, tool, args } = this.#tools.get(callId) ?? { key: callId, tool: callId.slice(node.length + 1), args: null };
    if (this.#spans.has(key)) return key;
    const attributes = {
      ...this.#shared('execute_tool'),
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': callId,
      ...this.#content('gen_ai.tool.call.arguments', args),
    };
    this.#spans.start(key, this.#node(node), { name: `execute_tool ${tool}`, at, attributes });
    return key;
  }

  #toolEnded(event: EventOf<'tool-end'>): void {
    const { node = '', callId, tool } = event;
    const id = `${node}/${callId}`;
    const known = this.#tools.get(id) ?? { key: `${id}@${event.seq}`, tool, args: null };
    this.#tools.set(id, known);
    this.#openTool(id, node);
    known.end = event;
    if (!this.#options.telemetry.censor) this.#endTool(id);
  }

  /** @param outcome result of the call's step. It may be committed after the event. */
  #endTool(id: string, outcome?: Json): void {
    const known = this.#tools.get(id);
    if (!known?.end) return;
    const { at, attempts, deduplicated, error } = known.end;
    this.#tools.delete(id);
    const result = resultOf(outcome);
    this.#spans.end(known.key, {
      at,
      attributes: {
        'agent_machines.tool.attempts': attempts,
        ...(deduplicated ? { 'agent_machines.tool.deduplicated': true } : {}),
        ...(result === undefined ? {} : this.#content('gen_ai.tool.call.result', result)),
      },
      ...this.#failure(error),
    });
  }

  /** Ends the spans of a node's tools that have ended without a committed result. */
  #flushTools(node: string): void {
    for (const [id, { end }] of this.#tools) if (end && (node === '' || id.startsWith(`${node}/`))) this.#endTool(id);
  }

  #shared(operation: string): Attributes {
    const { threadId } = this.#options.run;
    return { 'gen_ai.operation.name': operation, ...(threadId === undefined ? {} : { 'gen_ai.conversation.id': threadId }) };
  }

  #failure(error: ErrorInfo | undefined): Pick<SpanEnd, 'errorType' | 'errorMessage'> {
    if (!error) return {};
    const { censor } = this.#options.telemetry;
    return { errorType: error.code, ...(censor ? { errorMessage: String(censor(error.message, 'error')) } : {}) };
  }

  #content(name: 'gen_ai.tool.call.arguments' | 'gen_ai.tool.call.result', value: unknown): Attributes {
    const { censor } = this.#options.telemetry;
    return censor ? { [name]: JSON.stringify(censor(value, name.endsWith('result') ? 'output' : 'input')) ?? 'null' } : {};
  }

  #message(name: string, role: 'user' | 'assistant', value: unknown): Attributes {
    const { censor } = this.#options.telemetry;
    if (!censor) return {};
    const parts = [{ type: 'text', content: textOf(censor(value, role === 'user' ? 'input' : 'output')) }];
    return { [name]: JSON.stringify([{ role, parts, ...(role === 'assistant' ? { finish_reason: 'stop' } : {}) }]) };
  }
}

/** Returns the text of an input or output, or all of it as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { input, answer } = isObject(value) ? value : {};
  if (typeof input === 'string') return input;
  return typeof answer === 'string' ? answer : JSON.stringify(value);
}

/** Splits a key of the form `scope/name#visit`. */
function partsOf(key: string): { readonly scope: string; readonly name: string; readonly visit: number } {
  const scope = key.slice(0, Math.max(0, key.lastIndexOf('/')));
  const last = key.slice(scope === '' ? 0 : scope.length + 1);
  const [name = last, visit = '1'] = last.split('#');
  return { scope, name, visit: Number(visit) };
}

/** Node keys and tool call ids alternate in a key, so an even number of parts is a workflow called by a tool. */
const isCalledWorkflow = (key: string): boolean => key.split('/').length % 2 === 0;

function resultOf(outcome: Json | undefined): unknown {
  const step = isObject(outcome) ? outcome.output : undefined;
  return isObject(step) && step.output !== undefined ? limitFiles(step.output, 0) : undefined;
}

const asError = (value: unknown): ErrorInfo | undefined =>
  isObject(value) && typeof value.code === 'string'
    ? { name: 'Error', code: value.code, message: String(value.message), retryable: false }
    : undefined;
