/** Reason why a schema is unusable. */
export class UnusableSchemaError extends Error {}
