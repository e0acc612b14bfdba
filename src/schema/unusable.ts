/** Why a schema cannot be used. */
export class Unusable extends Error {}
