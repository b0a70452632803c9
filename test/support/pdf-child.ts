// Writes the PDF of a made-up statement in a process of its own, and prints as JSON the hash of its
// bytes, the milliseconds of processor time, and the most memory that the process ever held, in
// megabytes. Arguments: lines, and the limit of lines.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pdfFormat } from '../../src/io/formats/register.ts';
import {
  DEFAULT_TEMPLATE_FOLDER,
  loadTemplate,
} from '../../src/service/templates/load-template.ts';
import { longDocument } from './long-document.ts';

const [count, mostLines] = process.argv.slice(2).map(Number);
const template = loadTemplate(DEFAULT_TEMPLATE_FOLDER);
const { layout } = template;
const options = {
  language: 'fr',
  verifyAt: null,
  template: {
    ...template,
    layout: { ...layout, ledger: { ...layout.ledger, mostLines: mostLines! } },
  },
} as const;
const hash = createHash('sha256');
const out = new Writable({
  write: (chunk, _, done) => {
    hash.update(chunk);
    done();
  },
});
const begun = process.cpuUsage();
await pdfFormat.write(longDocument(count!), options, out);
const { user, system } = process.cpuUsage(begun);
const milliseconds = Math.round((user + system) / 1_000);
// The most memory that the kernel counts for a process begins with what its parent held when it was
// started. VmHWM is that of the program itself.
const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
const own = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
const peak = Math.round(Number(own) / 1_024);
process.stdout.write(JSON.stringify({ hash: hash.digest('hex'), milliseconds, peak }));
