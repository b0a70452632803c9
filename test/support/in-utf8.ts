// How to call foreign programs that read our files by the locale they are called in.

/** Options of the call: texts are in UTF-8, and the output may be long. */
export const IN_UTF8 = {
  env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
  maxBuffer: 64 * 1024 * 1024,
};
