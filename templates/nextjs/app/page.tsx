'use client';

import { createClient } from 'agent-machines/client';
import { type FormEvent, useState } from 'react';

interface Question {
  readonly runId: string;
  readonly interruptId: string;
  readonly text: string;
}

interface Step {
  readonly seq: number;
  readonly text: string;
}

const fieldOf = (event: FormEvent<HTMLFormElement>, name: string): string => {
  event.preventDefault();
  return String(new FormData(event.currentTarget).get(name));
};

export default function Page() {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [question, setQuestion] = useState<Question>();
  const [message, setMessage] = useState('');

  async function act(action: (client: ReturnType<typeof createClient>) => Promise<unknown>): Promise<void> {
    setMessage('');
    try {
      await action(createClient({ baseUrl: location.origin })); // without a token, the session cookie counts
    } catch (error) {
      setMessage(String(error));
    }
  }

  /** Shows the steps of a run until it waits or ends. */
  async function follow(client: ReturnType<typeof createClient>, runId: string): Promise<void> {
    setSteps([]);
    setQuestion(undefined);
    for await (const event of client.events(runId)) {
      if (event.type === 'edge') setSteps((before) => [...before, { seq: event.seq, text: `${event.from} → ${event.to}` }]);
    }
    const { status, interrupts, output } = await client.getRun({ params: { id: runId } });
    const [asked] = interrupts;
    if (asked) setQuestion({ runId, interruptId: asked.id, text: String(asked.question) });
    else setMessage(`${status} ${String(output ?? '')}`);
  }

  const signIn = (token: string) =>
    act(async () => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('/api/session', { method: 'POST', headers, body: JSON.stringify({ token }) });
      setMessage(response.ok ? 'signed in' : 'The token is wrong.');
    });
  const start = (topic: string) =>
    act(async (client) => follow(client, (await client.startRun({ body: { workflow: 'publishing', input: { topic } } })).id));
  const answer = (event: { readonly type: string; readonly remark?: string }) =>
    act(async (client) => {
      if (!question) return;
      const { runId, interruptId } = question;
      await client.send({ params: { id: runId }, body: { interruptId, event } });
      await follow(client, runId);
    });

  return (
    <main>
      <h1>Approvals</h1>
      <form onSubmit={(event) => void signIn(fieldOf(event, 'token'))}>
        <input name="token" type="password" placeholder="token" required /> <button type="submit">Sign in</button>
      </form>
      <form onSubmit={(event) => void start(fieldOf(event, 'topic'))}>
        <input name="topic" defaultValue="otters" required /> <button type="submit">Write</button>
      </form>
      <ol>
        {steps.map(({ seq, text }) => (
          <li key={seq}>{text}</li>
        ))}
      </ol>
      {question && (
        <form onSubmit={(event) => void answer({ type: 'REVISE', remark: fieldOf(event, 'remark') })}>
          <p>{question.text}</p>
          <button type="button" onClick={() => void answer({ type: 'APPROVE' })}>
            Approve
          </button>{' '}
          <input name="remark" placeholder="what to change" required /> <button type="submit">Revise</button>
        </form>
      )}
      <p role="status">{message}</p>
    </main>
  );
}
