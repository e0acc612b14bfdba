import { existsSync } from 'node:fs';
import { installedFile, installFolder } from '../install-folder.ts';

// The part of playwright-core that is used: it is not among the package's own dependencies.

export interface Browser extends AsyncDisposable {
  newContext(options?: {
    readonly colorScheme?: 'light' | 'dark';
    readonly viewport?: Size;
    readonly locale?: string;
    readonly permissions?: readonly string[];
  }): Promise<BrowserContext>;
  close(): Promise<void>;
}

export interface BrowserContext {
  newPage(): Promise<Page>;
  /** Runs in each page before its own scripts. */
  addInitScript(script: { readonly content: string }): Promise<unknown>;
  close(): Promise<void>;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Page {
  /** How long everything waits at most, in milliseconds. */
  setDefaultTimeout(timeoutMs: number): void;
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  setContent(html: string): Promise<void>;
  /** Calls a function in the page, which sees nothing of this module. */
  evaluate<TResult, TArgument = undefined>(
    work: (argument: TArgument) => TResult | Promise<TResult>,
    argument?: TArgument,
  ): Promise<TResult>;
  waitForFunction<TArgument>(work: (argument: TArgument) => unknown, argument?: TArgument): Promise<unknown>;
  locator(selector: string): Locator;
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  screenshot(options?: { readonly path?: string; readonly fullPage?: boolean }): Promise<Uint8Array>;
  exposeFunction(name: string, work: (...values: never[]) => unknown): Promise<unknown>;
  on(event: 'pageerror', listener: (error: Error) => void): unknown;
  on(event: 'request', listener: (request: { url(): string }) => void): unknown;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): unknown;
  close(): Promise<void>;
}

interface Locator {
  click(): Promise<void>;
  dblclick(): Promise<void>;
  first(): Locator;
  locator(selector: string): Locator;
  getByLabel(text: string): Locator;
  selectOption(option: { readonly label: string }): Promise<unknown>;
  check(): Promise<void>;
  inputValue(): Promise<string>;
  nth(index: number): Locator;
  allTextContents(): Promise<string[]>;
  fill(text: string): Promise<void>;
  focus(): Promise<void>;
  textContent(): Promise<string | null>;
  getAttribute(name: string): Promise<string | null>;
  count(): Promise<number>;
  waitFor(options?: { readonly state?: 'attached' | 'detached' | 'visible' | 'hidden' }): Promise<void>;
  setInputFiles(files: readonly { readonly name: string; readonly mimeType: string; readonly buffer: Uint8Array }[]): Promise<void>;
}

interface PlaywrightPackage {
  readonly default: {
    readonly chromium: {
      launch(options: { readonly executablePath: string; readonly args: readonly string[] }): Promise<Browser>;
      /** One that keeps what its pages have stored. */
      launchPersistentContext(
        folder: string,
        options: { readonly executablePath: string; readonly args: readonly string[] },
      ): Promise<BrowserContext>;
    };
  };
}

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync) ?? 'chromium';
const args = ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb']; // in a container root has no sandbox

/** Starts Debian's Chromium (`apt-get install chromium`), without a window. */
export async function openBrowser(): Promise<Browser> {
  return (await importPlaywright()).launch({ executablePath, args });
}

/** The same with a profile in a folder, in which pages find what they have stored, also after the browser was ended. */
export async function openProfile(folder: string): Promise<BrowserContext> {
  return (await importPlaywright()).launchPersistentContext(folder, { executablePath, args });
}

async function importPlaywright(): Promise<PlaywrightPackage['default']['chromium']> {
  installFolder('browser');
  const { default: playwright } = (await import(installedFile('browser', 'playwright-core/index.js').href)) as PlaywrightPackage;
  return playwright.chromium;
}
