// Ends the process with a plain word when Node is too old; imported first, since libraries fail in stranger ways.
const oldest = 24;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Node ${process.versions.node} is too old: use make, or put node_modules/.bin first on PATH, where npm has put Node ${oldest}\n`,
  );
  process.exit(1);
}
