import { type ForgetFlags, forgetThread } from './forget-thread.ts';
import { UsageError } from './usage-error.ts';

export interface ForgetCommandFlags extends ForgetFlags {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/**
 * Removes a conversation, all data of a user, or a whole database.
 *
 * @param user value of `--user`, if it was given.
 */
export async function forget(thread: string | undefined, user: string | undefined, flags: ForgetCommandFlags): Promise<number> {
  const { all = false, dryRun = false, yes = false, user: _, ...rest } = flags;
  if (thread !== undefined) {
    if (all || dryRun || yes) throw new UsageError('--all, --dry-run and --yes do not go with a conversation.');
    return forgetThread(thread, user === undefined ? rest : { ...rest, user });
  }
  if (all === (user !== undefined)) throw new UsageError('Name a conversation, a user with --user ID, or --all.');
  if (user === undefined) {
    if (!dryRun && !yes) throw new UsageError('Add --yes to delete the whole database, or --dry-run to see what is deleted.');
    return (await import('./forget-database.ts')).forgetDatabase({ ...rest, dryRun });
  }
  if (user.trim() === '') throw new UsageError('--user is empty.');
  return (await import('./forget-user.ts')).forgetUser(user, { ...rest, dryRun });
}
