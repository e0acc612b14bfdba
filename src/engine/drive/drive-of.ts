/**
 * Returns the drive that a node, wait or timer belongs to, by its key. It is the node in which the workflow runs, or `''` for the run's own
 * drive.
 */
export const driveOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('/')));
