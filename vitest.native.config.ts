import base from './vitest.config.ts';
export default (env: never) => { const c = (base as unknown as (e: never) => { test: Record<string, unknown> })(env); c.test.experimental = { viteModuleRunner: false }; (c.test.execArgv as string[]).push('--conditions=@agent-machines/source'); return c; };
