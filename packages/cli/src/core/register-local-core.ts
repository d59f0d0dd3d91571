import { registerLocalCore as register, resolveHomeFolder } from "@wakeshift/bridge";

/** Lets this machine's bridge use a core that was started here, without asking its user. */
export function registerLocalCore(address: string): void {
  register(resolveHomeFolder(process.env), address);
}
