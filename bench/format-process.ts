// A process of its own for part e: name of a format and number of lines in; writes one made-up
// statement into nowhere and tells the time as JSON out. The lines are made while they are taken.

import { Writable } from 'node:stream';
import { formatNamed } from '../src/io/formats/register.ts';
import { DEFAULT_TEMPLATE_FOLDER, loadTemplate } from '../src/service/templates/load-template.ts';
import { longDocument } from '../test/support/long-document.ts';

const [name = '', lines = '0'] = process.argv.slice(2);
const format = formatNamed(name);
if (format === null) throw new Error(`there is no format '${name}'`);
const document = longDocument(Number(lines), 'plain');
const standard = loadTemplate(DEFAULT_TEMPLATE_FOLDER);
const ledger = { ...standard.layout.ledger, mostLines: Number(lines) };
const template = { ...standard, layout: { ...standard.layout, ledger } };
let bytes = 0;
const out = new Writable({
  write(piece: Buffer | string, _, done) {
    bytes += piece.length;
    done();
  },
});
const started = performance.now();
await format.write(document, { language: 'fr', verifyAt: null, template }, out);
if (bytes === 0) throw new Error(`${name} wrote nothing`);
process.stdout.write(JSON.stringify({ seconds: (performance.now() - started) / 1_000, bytes }));
