// Given to a command by --import. The demonstration and the simulated service then have only those
// of their dozen merchants that DEMO_MERCHANTS names, with commas between them.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const wanted = process.env.DEMO_MERCHANTS!.split(',');
const readWhole = fs.readFileSync;

fs.readFileSync = ((path: string, ...rest: [BufferEncoding]) => {
  const text = readWhole(path, ...rest);
  if (!String(path).endsWith('/demo-merchants.json')) return text;
  const merchants = Object.entries(JSON.parse(text) as object);
  return JSON.stringify(
    Object.fromEntries(merchants.filter(([reference]) => wanted.includes(reference))),
  );
}) as typeof fs.readFileSync;
syncBuiltinESMExports();
