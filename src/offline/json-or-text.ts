/** The answer of a tool as a message has it: what its JSON says, or the text itself where it is none. */
export function jsonOrText(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
