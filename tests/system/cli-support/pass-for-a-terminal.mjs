// Loaded before the command: its pipes pass for a terminal in raw mode, so that a test can type on any machine.
for (const stream of [process.stdin, process.stdout]) stream.isTTY = true;
process.stdin.setRawMode = () => process.stdin;
