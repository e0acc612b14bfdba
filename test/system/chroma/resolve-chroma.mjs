// For `--import`: `chromadb` is what was installed here, wherever it is imported from.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier, specifier === 'chromadb' ? { ...context, parentURL: import.meta.url } : context),
});
