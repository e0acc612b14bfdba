// A chat as its users write it, with useChat unmodified.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const [, workflow, thread] = location.pathname.split('/');

function Chat() {
  const [text, setText] = useState('');
  const { messages, sendMessage, addToolApprovalResponse, stop, status, error } = useChat({
    id: thread,
    resume: true,
    transport: new DefaultChatTransport({ api: `/api/ai-sdk/${workflow}` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <main>
      <p id="status">{status}</p>
      <p id="error">{error?.message}</p>
      {messages.map((message) => (
        <section key={message.id} className={message.role}>
          {message.parts.map((part, index) => (
            <Part key={`${message.id}-${String(index)}`} part={part} answer={addToolApprovalResponse} />
          ))}
        </section>
      ))}
      <input id="text" value={text} onChange={(event) => setText(event.target.value)} />
      <button id="send" type="button" onClick={() => sendMessage({ text })}>
        Send
      </button>
      <button id="stop" type="button" onClick={() => stop()}>
        Stop
      </button>
    </main>
  );
}

function Part({ part, answer }) {
  if (part.type === 'text') return <p className="text">{part.text}</p>;
  if (part.type === 'reasoning') return <em>{part.text}</em>;
  if (part.type !== 'dynamic-tool') return null;
  return (
    <div className="card" data-state={part.state}>
      {part.toolName} {JSON.stringify(part.input)} {JSON.stringify(part.output)}
      {part.state === 'approval-requested' && (
        <button className="approve" type="button" onClick={() => answer({ id: part.approval.id, approved: true })}>
          Approve
        </button>
      )}
    </div>
  );
}

createRoot(document.getElementById('root')).render(<Chat />);
