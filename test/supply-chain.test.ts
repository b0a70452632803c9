// What comes from elsewhere. The bill of materials names every package that runs and no other,
// every licence may be used, and every install script has a reason.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const all = Object.entries(packages)
  .filter(([place]) => place !== '')
  .map(([place, locked]) => ({ ...locked, place, name: place.split('node_modules/').at(-1)! }));
const running = all.filter(({ dev }) => dev !== true);
const dependencies = read('docs/DEPENDENCIES.md');
/** The rows of two cells: a package's name, and the reason for it. */
const reasoned = [...dependencies.matchAll(/^\| `([^`]+)` \| ([^|]+) \|$/gm)].map(
  ([, name, reason]) => ({
    name: name!,
    reason: reason!,
  }),
);

const LICENCES = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'Unlicense',
];

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly 'bom-ref': string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

test('the bill of materials: every package that runs, with its digest, and no other', () => {
  const bill = JSON.parse(
    execFileSync('npm', ['run', 'sbom', '--silent'], { cwd: root, encoding: 'utf8' }),
  ) as {
    readonly bomFormat: string;
    readonly specVersion: string;
    readonly metadata: { readonly component: Component };
    readonly components: readonly Component[];
    readonly dependencies: readonly {
      readonly ref: string;
      readonly dependsOn: readonly string[];
    }[];
  };
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { name: 'pointage' } },
  });
  expect(running.length).toBeGreaterThan(200);
  const digests = new Map(
    running.map(({ name, version, integrity }) => [`${name}@${version}`, integrity!]),
  );
  const listed = bill.components.map(({ name, version }) => `${name}@${version}`);
  expect(listed.toSorted()).toEqual([...digests.keys()].toSorted());
  for (const { type, name, version, purl, hashes } of bill.components) {
    expect([type, purl]).toEqual(['library', `pkg:npm/${name.replace('@', '%40')}@${version}`]);
    const hash = Buffer.from(
      digests.get(`${name}@${version}`)!.replace(/^sha512-/, ''),
      'base64',
    ).toString('hex');
    expect(hashes).toEqual([{ alg: 'SHA-512', content: hash }]);
  }
  // Every package can be reached from the application, and none is named that is not there.
  const known = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set([bill.metadata.component['bom-ref']]);
  for (const ref of reached) for (const next of known.get(ref)!) reached.add(next);
  expect(reached.size).toBe(bill.components.length + 1);
  expect(new Set(bill.components.map((one) => one['bom-ref'])).size).toBe(bill.components.length);
});

test('every licence of a package that runs is one of a few, or has a reason', () => {
  const odd = running.filter(({ license }) => !LICENCES.includes(license ?? ''));
  const excused = reasoned
    .filter(({ reason }) => !/^(?:Runs|Does not run)/.test(reason))
    .map(({ name }) => name);
  expect(excused).toEqual([...new Set(odd.map(({ name }) => name))].toSorted());
  for (const licence of LICENCES) expect(dependencies).toContain(licence);
  expect(read('node_modules/png-js/LICENSE')).toMatch(/^MIT License/);
});

test('what the lock file says of a licence, the installed package says too', () => {
  const there = running.filter(({ place }) => existsSync(join(root, place)));
  expect(there.length).toBeGreaterThan(200);
  const said = there.map(({ place }) => {
    const { license } = JSON.parse(read(`${place}/package.json`)) as { readonly license?: string };
    return [place, license];
  });
  expect(said).toEqual(there.map(({ place, license }) => [place, license]));
});

test('every install script is allowed or refused, with a reason, and an unknown one fails the install', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as {
    readonly allowScripts: Record<string, boolean>;
  };
  const names = [
    ...new Set(all.filter((one) => one.hasInstallScript === true).map(({ name }) => name)),
  ];
  expect(names.length).toBeGreaterThan(4);
  expect(Object.keys(allowScripts).toSorted()).toEqual(names.toSorted());
  const scripts = reasoned.filter(({ reason }) => /^(?:Runs|Does not run)/.test(reason));
  const reasonFor = (name: string) =>
    scripts.find((one) => one.name === name || one.name === name.replace(/\/.*/, '/*'))?.reason ??
    '';
  for (const name of names)
    expect(reasonFor(name)).toMatch(allowScripts[name] === true ? /^Runs/ : /^Does not run/);
  expect(scripts.length).toBe(new Set(names.map(reasonFor)).size);
  expect(read('.npmrc')).toContain('strict-allow-scripts=true');
});
