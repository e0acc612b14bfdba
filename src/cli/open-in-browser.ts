import { spawn } from 'node:child_process';

/** Opens a URL in the browser, if there is one. The URL was printed before. */
export function openInBrowser(url: string): void {
  const [command, ...first] = { darwin: ['open'], win32: ['cmd', '/c', 'start', '""'] }[process.platform as string] ?? ['xdg-open'];
  if (command === undefined) return;
  const child = spawn(command, [...first, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // servers have no browser
  child.unref();
}
