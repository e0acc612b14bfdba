// A conversation per Durable Object: it is asked, answered, and tells what was said. Its runs outlive it.
import { createRuntime, type HumanEvent, type RunEvent, type Runtime, toErrorInfo } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { type DurableObjectStorageLike, durableObjectStore } from 'agent-machines/stores';
import { calculator, getCurrentDatetime } from 'agent-machines/tools';

const workflow = planExecute({ tools: [{ ...calculator(), needsApproval: true }, getCurrentDatetime()] });
const threadId = 'conversation';

export class Conversation {
  readonly #runtime: Runtime;

  constructor(ctx: { readonly storage: DurableObjectStorageLike }) {
    this.#runtime = createRuntime({ store: durableObjectStore(ctx.storage, { alarm: true }), workflows: [workflow] });
  }

  async fetch(request: Request): Promise<Response> {
    try {
      const answer = await this.#answerTo(request);
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (error) {
      return Response.json(toErrorInfo(error), { status: 400 });
    }
  }

  /** The object was ended with work in it, or a timer is due. */
  async alarm(): Promise<void> {
    await this.#runtime.recover();
  }

  async #answerTo(request: Request): Promise<object> {
    const task = new URL(request.url).pathname.split('/').at(-1);
    if (task === 'start') {
      const { input } = (await request.json()) as { readonly input: string };
      const run = this.#runtime.start(workflow, { input }, { threadId });
      return { runId: run.id, result: await run.result };
    }
    if (task === 'stream') {
      const { input } = (await request.json()) as { readonly input: string };
      const run = this.#runtime.start(workflow, { input }, { threadId });
      return new Response(eventStream(run.events()), { headers: { 'content-type': 'text/event-stream', 'x-run-id': run.id } });
    }
    if (task === 'answer') {
      const { runId, interruptId, event } = (await request.json()) as Answer;
      const run = await this.#runtime.send(runId, event, { interruptId });
      return { runId, result: await run.result };
    }
    const { state, turns } = await this.#runtime.thread(threadId);
    return { state, turns: turns.map(({ id, input, status }) => ({ id, input, status })) };
  }
}

/** Events as server-sent events, each as it happens. A reader that leaves does not stop the run. */
function eventStream(events: AsyncIterable<RunEvent>): ReadableStream<Uint8Array> {
  const reader = events[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`));
    },
    cancel: async () => void (await reader.return?.()),
  });
}

interface Answer {
  readonly runId: string;
  readonly interruptId: string;
  readonly event: HumanEvent;
}

interface Environment {
  readonly CONVERSATIONS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

/** `/NAME/start`, `/NAME/stream`, `/NAME/answer` and `/NAME/history`. */
const worker: { fetch(request: Request, environment: Environment): Promise<Response> } = {
  fetch(request, { CONVERSATIONS }) {
    const [, name = ''] = new URL(request.url).pathname.split('/');
    return CONVERSATIONS.get(CONVERSATIONS.idFromName(name)).fetch(request);
  },
};
// biome-ignore lint/style/noDefaultExport: Workers look for it
export default worker;
