// Text inside XML that is written by hand: the charts. Expects text that has been through `cellText`.

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => SIGNS[sign]!);
}
