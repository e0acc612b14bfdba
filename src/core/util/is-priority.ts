export const maxPriority = 100;

/** True for a whole number within the bounds of a run's priority. */
export const isPriority = (value: unknown): boolean => Number.isInteger(value) && Math.abs(Number(value)) <= maxPriority;
