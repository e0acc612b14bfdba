export const maxPriority = 100;

/** How urgent a run can be: a whole number, as far below 0 as above. */
export const isPriority = (value: unknown): boolean => Number.isInteger(value) && Math.abs(Number(value)) <= maxPriority;
