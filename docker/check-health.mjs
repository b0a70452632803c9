// Ends with 0 when the address in HEALTH_URL answers with success, else with 1: the check of the image's health.

const url = process.env.HEALTH_URL ?? 'http://127.0.0.1:8080/ready';
const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) }).catch(() => null);
process.exit(answer?.ok === true ? 0 : 1);
