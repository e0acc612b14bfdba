import type { LocalPort } from '../models/local/local-servers.ts';
import { UsageError } from './usage-error.ts';

/** Ports in `AGENT_MACHINES_LOCAL_PORTS`, which replace the usual ones. */
export function namedPorts({ AGENT_MACHINES_LOCAL_PORTS: ports }: NodeJS.ProcessEnv): readonly LocalPort[] | undefined {
  if (!ports) return undefined;
  return ports.split(',').map((text) => {
    const port = Number(text);
    if (Number.isInteger(port) && port > 0 && port <= 65_535) return { name: `port ${port}`, port, tags: true };
    throw new UsageError(`AGENT_MACHINES_LOCAL_PORTS: "${text}" is not a port. Use numbers, separated by commas.`);
  });
}
