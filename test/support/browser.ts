// A real browser from npm packages alone: Chromium without a window, unpacked into the temporary
// folder. The packages have one for Linux on x64.

import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContextOptions,
  chromium as driver,
  type Page,
} from 'playwright-core';

export const hasBrowser = process.platform === 'linux' && process.arch === 'x64';

/** Opens a browser. It has no sandbox of its own, because the test runs in a container. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  return driver.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

/** Opens a page in a context of its own, and notes what the browser complains about. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const context = await browser.newContext({ locale: 'fr-FR', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints };
}
