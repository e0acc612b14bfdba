import { diag, type Tracer, type TracerProvider, trace } from '@opentelemetry/api';
import type { PriceTable } from '../../core/util/model-cost.ts';
import { type Censor, type CensorOptions, createCensor } from '../censor.ts';

export interface TelemetryOptions {
  /** @default the provider registered with `@opentelemetry/api` */
  readonly tracerProvider?: TracerProvider;
  /**
   * Includes content: the run's input and output, arguments and results of tools, messages of errors. Options restrict it as in
   * `inspectRuns`. API keys from the environment and members such as `password` and `apiKey` are always removed. `maxBytes` is 16,384 here.
   * @default false
   */
  readonly content?: boolean | CensorOptions;
  /** Prices of models. Each `chat` span then has `gen_ai.usage.cost`, in the currency of the table. @default {} */
  readonly prices?: PriceTable;
  /** Returns `gen_ai.provider.name` of a model. Default: derived from the model's name, or `unknown`. */
  readonly providerOf?: (model: string) => string | undefined;
  /**
   * Returns true if a state of a workflow creates a plan, which makes it a `plan` span. Default: states named `planner`, `planning` or
   * `plan`.
   */
  readonly isPlanning?: (state: string, workflow: string) => boolean;
}

/** Shared dependencies of all spans. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly prices: PriceTable;
  /** Removes what must not be reported from a value. Absent: no content is reported. */
  readonly censor?: Censor;
  providerOf(model: string): string;
  isPlanning(state: string, workflow: string): boolean;
  /** Runs `work` and logs its errors, so that they never affect the run. */
  safely<T>(work: () => T): T | undefined;
}

export function toTelemetry(options: TelemetryOptions): Telemetry {
  const { content = false, prices = {}, providerOf, isPlanning = callsItselfPlan } = options;
  const censor = content === false ? undefined : createCensor({ maxBytes: 16_384, ...(content === true ? {} : content) });
  return {
    tracer: (options.tracerProvider ?? trace.getTracerProvider()).getTracer('agent-machines'),
    prices,
    ...(censor ? { censor } : {}),
    providerOf: (model) => providerOf?.(model) ?? providerName(model),
    isPlanning,
    safely(work) {
      try {
        return work();
      } catch (cause) {
        diag.error('agent-machines: failed to create or export a span', cause);
        return undefined;
      }
    },
  };
}

const callsItselfPlan = (state: string): boolean => /(?:^|\.)(?:planner|planning|plan)$/.test(state);

/** Providers by model name. The OpenTelemetry conventions use the maker's name if the provider is unknown. */
const makers: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/(?:^|\/)(?:gpt-|o\d|chatgpt|text-embedding-)/i, 'openai'],
  [/(?:^|\/)claude/i, 'anthropic'],
  [/(?:^|\/)gemini/i, 'gcp.gemini'],
  [/(?:^|\/)(?:mistral|mixtral|magistral|codestral|ministral)/i, 'mistral_ai'],
  [/(?:^|\/)deepseek/i, 'deepseek'],
  [/(?:^|\/)grok/i, 'x_ai'],
  [/(?:^|\/)command-/i, 'cohere'],
  [/(?:^|\/)kimi|^moonshot/i, 'moonshot_ai'],
  [/\(rules\)/, 'agent_machines'],
];

/** Returns the provider of a model by its name, else `unknown`. */
const providerName = (model: string): string => makers.find(([pattern]) => pattern.test(model))?.[1] ?? 'unknown';
