// Prints the bill of materials (CycloneDX 1.5) of what runs in production: `npm run sbom --silent > pointage.cdx.json`.
// It comes from the lock file, with the packages of every platform, so that it is the same on every machine.
// `npm sbom --omit=dev` would leave out every package that development needs too (npm 11), zod and nodemailer among them.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const npm = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const bill = JSON.parse(execFileSync('npm', npm, { encoding: 'utf8', maxBuffer: 2 ** 28 }));
const { name, packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const places = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
const runs = new Set(places.map(([place, { version }]) => `${place.split('node_modules/').at(-1)}@${version}`));

const components = bill.components.filter((one) => runs.has(`${one.name}@${one.version}`));
const refs = new Set([bill.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
const dependencies = bill.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) }));
// npm takes the name from the folder.
const metadata = { ...bill.metadata, component: { ...bill.metadata.component, name } };
process.stdout.write(`${JSON.stringify({ ...bill, metadata, components, dependencies }, null, 2)}\n`);
