import type { Command } from '../../engine/drive/stepper.ts';

/** A command that is still in progress. */
export type InProgress = Exclude<Command, { readonly type: 'stop' }>;

const none: readonly never[] = [];

/** Returns the paths of the nodes that commands stop. */
export function stoppedBy(inProgress: readonly InProgress[], commands: readonly Command[]): readonly string[] {
  if (inProgress.length === 0 || commands.length === 0) return none;
  return inProgress.flatMap((live) =>
    live.type === 'start' && commands.some(({ type, id }) => type === 'stop' && id === live.id) ? [live.path] : [],
  );
}

/** Returns what is in progress after some commands. */
export function follow(inProgress: readonly InProgress[], commands: readonly Command[]): readonly InProgress[] {
  if (commands.length === 0) return inProgress;
  let now = [...inProgress];
  for (const command of commands) {
    if (command.type === 'stop') now = now.filter(({ id }) => id !== command.id);
    else now.push(command);
  }
  return now;
}
