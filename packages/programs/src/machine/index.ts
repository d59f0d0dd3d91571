// What the commands, the bridge and the programs share of a user's machine.
export { COMMAND_VARIABLE, calledAs, ownCommand } from "./own-command.ts";
export { resolveHomeFolder } from "./home-folder.ts";
export { isProcessAlive, processTag } from "./process-identity.ts";
export { readRegularFile } from "./read-regular-file.ts";
export { replaceFileNow, temporaryName } from "./replace-file.ts";
export { replaceUserFile } from "./replace-user-file.ts";
