const REASONS: Readonly<Record<string, string>> = {
  EROFS: "its file system is read-only",
  EACCES: "this user may not write there",
  EPERM: "it is protected from changes",
  ENOTDIR: "a file stands where a folder is needed",
  EEXIST: "a file stands where a folder is needed",
  EISDIR: "a folder stands where the file belongs",
  ENOENT: "what it leads to isn't there",
  ELOOP: "links on the way to it lead in a circle",
  ENOTSUP: "its file system takes no new folders",
  ENAMETOOLONG: "its name is too long",
};

/** Why nothing can be written to a file or folder ("it"), by the code of the system's error: half a sentence, without its end. */
export function whyUnwritable(code: string): string {
  if (Object.hasOwn(REASONS, code)) return REASONS[code] ?? code;
  return code === "" ? "it can't be used" : code;
}

/** Whether the system's error says that a disk, or what this user may take of it, is full. */
export function isOutOfSpace(code: string): boolean {
  return code === "ENOSPC" || code === "EDQUOT";
}
