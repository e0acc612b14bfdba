const grammar = /^[a-zA-Z0-9_.-]{1,128}$/;

/** The grammar of a tool's name in words. It is MCP's, and holds no invisible or look-alike character. */
export const toolNameGrammar = '1 to 128 of the characters a-z, A-Z, 0-9, _, - and .';

/** True for a valid tool name. An adapter maps names that its provider forbids. */
export const isToolName = (name: string): boolean => grammar.test(name);
