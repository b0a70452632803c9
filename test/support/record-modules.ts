// Given to a command by --import. Writes the address of every module that the process loads, one a
// line, to the file that LOADED_MODULES names.

import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded: string[] = [];

registerHooks({
  load: (url, context, load) => {
    loaded.push(url);
    return load(url, context);
  },
});

process.on('exit', () => appendFileSync(process.env.LOADED_MODULES!, `${loaded.join('\n')}\n`));
