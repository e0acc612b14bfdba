// For `--import`: OpenTelemetry is what was installed here, wherever it is imported from.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, /^@opentelemetry\/(?:api|sdk-node)$/.test(specifier) ? { ...context, parentURL: import.meta.url } : context),
});
