import { pageStyle } from './page-style.ts';

/**
 * Builds the inspector's page as one HTML text that loads no other resources. Its data comes from the feed.
 *
 * @param options.nonce allows the page's script.
 * @param options.script must be safe inside a `<script>`.
 */
export const inspectorPage = ({ nonce, script }: { readonly nonce: string; readonly script: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>agent-machines</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<span class="brand">agent-machines</span>
<h1 id="title"></h1>
<span id="status" role="status"></span>
<span id="trouble" role="alert"></span>
<span class="space"></span>
<button type="button" id="theme"></button>
<button type="button" id="language"></button>
</header>
<nav id="runs" tabindex="0"></nav>
<main>
<div id="machine" tabindex="0" role="region"></div>
<div id="timeline" hidden>
<button type="button" id="previous"></button>
<button type="button" id="play"></button>
<button type="button" id="next"></button>
<input type="range" id="slider" min="0" max="0" value="0">
<span id="now" role="status"></span>
<p id="keys" class="quiet"></p>
</div>
</main>
<aside>
<div id="steps" tabindex="0"></div>
<div id="details" tabindex="0"></div>
</aside>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
