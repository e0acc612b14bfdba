import { createRoot } from 'react-dom/client';
import { createStudioApi } from './api/studio-api.ts';
import { App } from './parts/app.tsx';
import { createStudio, type Studio } from './state/create-studio.ts';
import './styles/tokens.css';
import './styles/page.css';
import './styles/conversation.css';
import './styles/decisions.css';
import './styles/machine.css';
import './styles/narrow.css';

const token = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
// the token is not to stay in the address: the history keeps it, and whoever looks on reads it
if (token !== undefined) history.replaceState(null, '', location.pathname);

const studio: Studio = createStudio(createStudioApi({ onHeld: (untilMs) => studio.hold(untilMs) }));
const place = document.getElementById('studio');
if (place) createRoot(place).render(<App studio={studio} />);
void studio.begin(token);
