import { type Child, startChild } from '../fixtures/child.ts';
import type { FleetProcessOptions } from '../fixtures/fleet-process.ts';
import type { FleetVersion } from '../fixtures/fleet-workflows.ts';

type Role = FleetProcessOptions['role'];

interface Member {
  readonly role: Role;
  readonly version: FleetVersion;
  readonly child: Child;
  /** Address of a server. */
  readonly url: string;
}

/** The processes of a fleet: one server and some workers, of the version that is deployed. */
export class FleetProcesses {
  readonly #options: Omit<FleetProcessOptions, 'role' | 'version'>;
  readonly #env: Readonly<Record<string, string>>;
  readonly #born = new Set<Member>();
  #version: FleetVersion = '1';
  #server: Member | undefined;
  #workers: readonly Member[] = [];

  constructor(options: Omit<FleetProcessOptions, 'role' | 'version'>, env: Readonly<Record<string, string>>) {
    this.#options = options;
    this.#env = env;
  }

  get version(): FleetVersion {
    return this.#version;
  }

  /** Address of the server that a proxy would send clients to. */
  get url(): string {
    return this.#server?.url ?? '';
  }

  async begin(workers: number): Promise<void> {
    this.#server = await this.#start('server', '1');
    this.#workers = await Promise.all(Array.from({ length: workers }, () => this.#start('worker', '1')));
  }

  /** Kills a process of the deployed version by SIGKILL, and starts another one. Returns false if a deployment was faster. */
  async kill(role: Role, at: number): Promise<boolean> {
    const victim = role === 'server' ? this.#server : this.#workers[at];
    if (!victim) return false;
    victim.child.kill('SIGKILL');
    await victim.child.ended;
    const successor = await this.#start(role, victim.version);
    if (role === 'server' && this.#server === victim) this.#server = successor;
    else if (this.#workers.includes(victim)) this.#workers = this.#workers.map((one) => (one === victim ? successor : one));
    else await this.#drain([successor]);
    return true;
  }

  /** Starts version 2, sends clients to its server, and drains version 1. */
  async deploy(): Promise<void> {
    const [server, ...workers] = await Promise.all([this.#start('server', '2'), ...this.#workers.map(() => this.#start('worker', '2'))]);
    const former = [...(this.#server ? [this.#server] : []), ...this.#workers];
    this.#server = server;
    this.#workers = workers;
    this.#version = '2';
    await this.#drain(former);
  }

  async close(): Promise<void> {
    await this.#drain([...this.#born]);
  }

  killAll(): void {
    for (const { child } of this.#born) child.kill('SIGKILL');
  }

  async #start(role: Role, version: FleetVersion): Promise<Member> {
    const options: FleetProcessOptions = { ...this.#options, role, version };
    const child = startChild('fleet-process.ts', [JSON.stringify(options)], { env: this.#env });
    const member = { role, version, child, url: await child.line(0) };
    this.#born.add(member);
    void child.ended.then(() => this.#born.delete(member));
    return member;
  }

  async #drain(members: readonly Member[]): Promise<void> {
    for (const { child } of members) child.kill('SIGTERM');
    await Promise.all(members.map(({ child }) => child.ended));
  }
}
