import type { NextConfig } from 'next';

const config: NextConfig = {
  // loaded by Node as it is: it reads files of its own, and uses node:sqlite
  serverExternalPackages: ['agent-machines'],
};

export default config;
