// Builds a program that checks a .tlog-proof by the transparency log library of the Go project,
// from check-proof.go.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { areInstalled, isThereOrNotRequired } from './installed.ts';

const LIBRARY = '/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog';

/**
 * The build cache is kept beside the packages, because to compile Go's own library takes longer
 * than to compile the program.
 */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/go-build');

export const hasGoLibrary =
  areInstalled('go') &&
  isThereOrNotRequired(existsSync(LIBRARY), 'golang-golang-x-mod-dev, of golang.org/x/mod');

/**
 * Builds the program in `folder` and returns its path. It takes the files of a leaf, its proof and
 * the verifier key.
 */
export function buildProofChecker(folder: string): string {
  const program = join(folder, 'check-proof');
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: CACHE };
  execFileSync('go', ['build', '-o', program, join(import.meta.dirname, 'check-proof.go')], {
    env,
  });
  return program;
}
