import { userInfo } from 'node:os';
import type { Actor } from '../index.ts';

/** The user of this machine who has typed the command. Its arguments may be confidential. */
export function cliActor(): Actor {
  const command = process.argv[2];
  const client = command !== undefined && /^[a-z][a-z-]*$/.test(command) ? { client: `agent-machines ${command}` } : {};
  try {
    return { via: 'cli', name: userInfo().username, ...client };
  } catch {
    return { via: 'cli', ...client }; // a container may run under a user without a name
  }
}
