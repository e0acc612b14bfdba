import { WorkflowError } from '../core/errors/errors.ts';

/** The part of `@opentelemetry/sdk-node` that this package uses. */
interface OpenTelemetrySdk {
  readonly NodeSDK: new (
    options: object,
  ) => {
    /** Registers the SDK as the provider of `@opentelemetry/api`. */
    start(): void;
    /** Sends the pending spans. */
    shutdown(): Promise<void>;
  };
}

type LoadedTelemetry = OpenTelemetrySdk & {
  readonly api: typeof import('@opentelemetry/api');
} & typeof import('../inspect/telemetry/index.ts');

const packages = ['@opentelemetry/api', '@opentelemetry/sdk-node'] as const;

/**
 * Loads the exporter of spans, and the code that creates them from runs.
 *
 * @throws {WorkflowError} `ADAPTER_MISSING` with the packages to install.
 */
export async function loadOpenTelemetry(): Promise<LoadedTelemetry> {
  const sdk: string = packages[1]; // not a literal, because the package may be missing when types are checked
  try {
    const [{ NodeSDK }, api, telemetry] = await Promise.all([
      import(sdk) as Promise<OpenTelemetrySdk>,
      import('@opentelemetry/api'),
      import('../inspect/telemetry/index.ts'),
    ]);
    return { NodeSDK, api, ...telemetry };
  } catch (cause) {
    throw new WorkflowError({
      code: 'ADAPTER_MISSING',
      message: `The packages that send spans cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: `Run: npm install ${packages.join(' ')}`,
      data: { packages: [...packages] },
      cause,
    });
  }
}
