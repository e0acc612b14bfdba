const grammar = /^[a-zA-Z0-9_-]{1,64}$/;

/** True for a name that every model's provider takes and that holds no invisible or look-alike character. */
export const isToolName = (name: string): boolean => grammar.test(name);
