/** One event of a stream of server-sent events. */
export interface Frame {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events as they arrive, grouped by chunk. Comments are skipped. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly Frame[], void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      yield blocks.flatMap((block) => toFrame(block) ?? []);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function toFrame(block: string): Frame | undefined {
  let [id, event]: (string | undefined)[] = [];
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  if (data.length === 0) return undefined;
  return { ...(id === undefined ? {} : { id }), event: event ?? 'message', data: data.join('\n') };
}
