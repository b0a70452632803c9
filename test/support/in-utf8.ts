// Programs of others that read our files by the locale they are called in.

/** What they are called with: texts are of UTF-8, and what they print may be long. */
export const IN_UTF8 = {
  env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
  maxBuffer: 64 * 1024 * 1024,
};
