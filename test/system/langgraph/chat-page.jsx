// A chat as its users write it, with useStream unmodified. The options are those of agent-chat-ui.
import { useStream } from '@langchain/langgraph-sdk/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const [, assistantId, given] = location.pathname.split('/');

function Chat() {
  const [text, setText] = useState('');
  const [threadId, setThreadId] = useState(given ?? null);
  const stream = useStream({
    apiUrl: `${location.origin}/api/langgraph`,
    assistantId,
    threadId,
    onThreadId: (id) => {
      setThreadId(id);
      history.replaceState(null, '', `/${assistantId}/${id}`);
    },
    reconnectOnMount: true,
    fetchStateHistory: true,
  });
  const send = () =>
    stream.submit(
      { messages: [{ id: crypto.randomUUID(), type: 'human', content: text }], context: undefined },
      {
        streamMode: ['values'],
        streamSubgraphs: true,
        streamResumable: true,
        optimisticValues: (before) => ({ ...before, messages: [...(before.messages ?? []), { type: 'human', content: text, id: 'mine' }] }),
      },
    );
  const decide = (decision) => stream.submit({}, { command: { resume: { decisions: [decision] } } });
  const requests = stream.interrupt?.value?.action_requests ?? [];
  return (
    <main>
      <p id="status">{stream.isLoading ? 'loading' : 'ready'}</p>
      <p id="error">{stream.error ? String(stream.error.message) : ''}</p>
      {stream.messages.map((message) => (
        <p key={message.id} className={message.type}>
          {message.content}
          {(message.tool_calls ?? []).map(({ id, name, args }) => (
            <code key={id}>{`${name} ${JSON.stringify(args)}`}</code>
          ))}
        </p>
      ))}
      {requests.map(({ name }) => (
        <div key={name} className="request">
          {name}
          <button className="approve" type="button" onClick={() => decide({ type: 'approve' })}>
            Approve
          </button>
        </div>
      ))}
      <input id="text" value={text} onChange={(event) => setText(event.target.value)} />
      <button id="send" type="button" onClick={send}>
        Send
      </button>
      <button id="stop" type="button" onClick={() => stream.stop()}>
        Stop
      </button>
    </main>
  );
}

createRoot(document.getElementById('root')).render(<Chat />);
