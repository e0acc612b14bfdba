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
// removes the token from the URL, which is visible on screen and stored in the history
if (token !== undefined) history.replaceState(null, '', location.pathname);

const studio: Studio = createStudio(createStudioApi({ onHeld: (untilMs) => studio.hold(untilMs) }));
const place = document.getElementById('studio');
if (place) createRoot(place).render(<App studio={studio} />);
void studio.begin(token);
