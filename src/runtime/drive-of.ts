/** The drive that a node, wait or timer belongs to, by its key: the node in which the workflow runs, `''` for the run's own. */
export const driveOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('/')));
