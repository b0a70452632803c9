// Folders below `test` that take minutes each: `npm run test:all` runs them, `npm test` does not.

export const LONG_FOLDERS: readonly string[] = ['sweep', 'process', 'foreign', 'sandbox'];
