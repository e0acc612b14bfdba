import { spawn } from 'node:child_process';

/** Shows an address in the browser, where there is one; it was printed anyway. */
export function openInBrowser(url: string): void {
  const [command, ...first] = { darwin: ['open'], win32: ['cmd', '/c', 'start', '""'] }[process.platform as string] ?? ['xdg-open'];
  if (command === undefined) return;
  const child = spawn(command, [...first, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // a server has none
  child.unref();
}
