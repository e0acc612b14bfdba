/** Parses a tool's answer in a message as JSON. Returns the text itself if it is not JSON. */
export function jsonOrText(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
