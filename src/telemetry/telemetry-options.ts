import { diag, type Tracer, type TracerProvider, trace } from '@opentelemetry/api';
import { type Censor, type CensorOptions, createCensor } from '../inspect/censor.ts';
import type { PriceTable } from './model-cost.ts';
import { providerName } from './provider-name.ts';

export interface TelemetryOptions {
  /** @default the one that was registered with `@opentelemetry/api` */
  readonly tracerProvider?: TracerProvider;
  /**
   * Also tell what was said: the run's input and output, arguments and results of tools, messages of errors. With options, what of it: as
   * `inspectRuns` is told. Keys of the environment and members called `password`, `apiKey` and the like are taken out either way;
   * `maxBytes` is 16,384 here.
   * @default false
   */
  readonly content?: boolean | CensorOptions;
  /** What models cost: each `chat` span then has `gen_ai.usage.cost`, in the currency of the table. @default {} */
  readonly prices?: PriceTable;
  /** `gen_ai.provider.name` of a model. Default: by the model's name, or `unknown`. */
  readonly providerOf?: (model: string) => string | undefined;
  /** Whether a state of a workflow makes a plan, and is a `plan` span. Default: those called `planner`, `planning` or `plan`. */
  readonly isPlanning?: (state: string, workflow: string) => boolean;
}

/** What all spans are made with. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly prices: PriceTable;
  /** Makes of a value what may be told of it; absent: nothing may. */
  readonly censor?: Censor;
  providerOf(model: string): string;
  isPlanning(state: string, workflow: string): boolean;
  /** Does something that must not harm the run. */
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
        diag.error('agent-machines: a span could not be made or exported', cause);
        return undefined;
      }
    },
  };
}

const callsItselfPlan = (state: string): boolean => /(?:^|\.)(?:planner|planning|plan)$/.test(state);
