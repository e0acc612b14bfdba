/** Go on until they are told to stop, or their input ends: their own tests have them in processes of their own. */
export const lasting = ['serve', 'studio', 'work', 'inspect', 'mcp'];

export const run = 'RUN';
/** Typed one after the other in one folder. RUN is the first run there. */
export const typed: readonly (readonly [args: readonly string[], input?: string])[] = [
  [['run', 'plan-execute', '1/0 계산해줘']],
  [['chat', '--json'], '내 이름은 철수야\n1+1\n'],
  [['runs']],
  [['runs', '--state', 'failed']],
  [['runs', 'retry', '--state', 'failed', '--dry-run']],
  [['schedules', 'list']],
  [['workers']],
  [['audit']],
  [['show', run]],
  [['resume', run]],
  [['send', run, 'APPROVE']],
  [['resolve', run, 'x', '--retry']],
  [['retry', run]],
  [['release', run]],
  [['cancel', run]],
  [['memory', 'list']],
  [['graph', 'tool-agent', '--run', run]],
  [['graph', 'tool-agent', '--format', 'svg']],
  [['articles', 'service.md']],
  [['compare', 'service.md', 'standard-service.md']],
  [['review', 'service.md']],
  [['explain', 'RUN_BUSY']],
  [['tools']],
  [['doctor']],
  [['db', 'status']],
  [['db', 'verify']],
  [['verify', 'tool-agent']],
  [['mutate', 'nothing.ts']],
  [['eval', 'nothing.eval.ts']],
  [['init', 'mine']],
  [['--version']],
  [['--help']],
];
