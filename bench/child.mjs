import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { within } from "./within.mjs";

const children = new Set();

/** Starts a file of `processes/` and returns how to talk with it. */
export function startChild(name, args = []) {
  const child = fork(fileURLToPath(new URL(`processes/${name}.mjs`, import.meta.url)), args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.add(child);
  const gone = new Promise((_, reject) => {
    child.once("exit", (code) => {
      children.delete(child);
      reject(new Error(`the ${name} process of the bench ended with ${code}`));
    });
  });
  gone.catch(() => undefined);
  return {
    /** Resolves once the process is gone. */
    gone: () =>
      within(
        `the ${name} process to end`,
        gone.catch(() => undefined),
      ),
    kill: (signal) => void child.kill(signal),
    send: (message) => void child.send(message),
    /** The next message that `accepts` takes. Rejects if the process ends before, or no such message comes within the limit. */
    next: (accepts = () => true, limitMs) =>
      within(`a message of the ${name} process`, Promise.race([gone, messageOf(child, accepts)]), limitMs),
  };
}

/** Ends every process this bench started. */
export function stopChildren() {
  for (const child of children) child.kill();
}

function messageOf(child, accepts) {
  return new Promise((resolve) => {
    const listener = (message) => {
      if (!accepts(message)) return;
      child.off("message", listener);
      resolve(message);
    };
    child.on("message", listener);
  });
}
