/** Reason why a schema is unusable. */
export class Unusable extends Error {}
