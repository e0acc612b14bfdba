// For a command as its user has it: `pg` is what was installed beside this file.
import { registerHooks } from 'node:module';

const installed = new URL('node_modules/pg/esm/index.mjs', import.meta.url).href;
registerHooks({ resolve: (name, context, next) => next(name === 'pg' ? installed : name, context) });
