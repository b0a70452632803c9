// Loaded before the command (`--import`): its clock is CLOCK_MOVED milliseconds ahead, or behind
// where that number is negative.

const moved = Number(process.env.CLOCK_MOVED);
const now = Date.now;

Date.now = () => now() + moved;
globalThis.Date = new Proxy(Date, {
  construct: (date, words, called) =>
    Reflect.construct(date, words.length === 0 ? [Date.now()] : words, called),
});
