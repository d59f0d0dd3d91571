import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const children = new Set();

/** Starts a file of `processes/` and answers how to talk with it. */
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
    gone: gone.catch(() => undefined),
    kill: (signal) => void child.kill(signal),
    send: (message) => void child.send(message),
    on: (listener) => void child.on("message", listener),
    /** The next message that `accepts` takes. Rejects if the process ends before. */
    next: (accepts = () => true) => Promise.race([gone, messageOf(child, accepts)]),
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
