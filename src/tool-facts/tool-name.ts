const grammar = /^[a-zA-Z0-9_.-]{1,128}$/;

/** The grammar of a tool's name in words. It is MCP's, and holds no invisible or look-alike character. */
export const toolNameGrammar = '1 to 128 of the characters a-z, A-Z, 0-9, _, - and .';

/** A model's provider may allow less: then its adapter sends another name and takes it back. */
export const isToolName = (name: string): boolean => grammar.test(name);
