// Folders below `test` that take minutes each: `npm run test:all` runs them, `npm test` does not. Their files share a worker, as
// all do: a file puts back what it changes in its process.

export const LONG_FOLDERS: readonly string[] = ['sweep', 'process', 'foreign', 'sandbox'];
