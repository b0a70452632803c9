// Loaded before the command (`--import`): its clock is CLOCK_JUMP milliseconds ahead for half a
// second of every second, as when a virtual machine is moved or an administrator sets the time.
// `performance.now` goes on as before.

const jump = Number(process.env.CLOCK_JUMP);
const now = Date.now;
const began = performance.now();

Date.now = () => now() + (Math.floor((performance.now() - began) / 500) % 2 === 0 ? jump : 0);
globalThis.Date = new Proxy(Date, {
  construct: (date, words, called) =>
    Reflect.construct(date, words.length === 0 ? [Date.now()] : words, called),
});
