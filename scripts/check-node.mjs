// Loaded before a script in TypeScript: an old Node could only say that it does not know the extension.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `The scripts need Node >= 22.18; this is Node ${process.versions.node} (${process.execPath}). Run them through npm (\`npm ci\`, then \`npm run …\`): it installs a Node 24 in node_modules.`,
  );
  process.exit(1);
}
