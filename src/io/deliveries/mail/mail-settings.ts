// What the mail channel is given: the server, whom mails come from, and their words.

import type { Language } from '../../../core/statements/statement.ts';
import type { MailTemplate } from '../../formats/port/template.ts';

export interface MailSettings {
  /** `smtp://USER:PASSWORD@HOST:587` or `smtps://…`. */
  readonly url: string;
  /** An address, or a name and an address in `<>`. */
  readonly from: string;
  /** Milliseconds for one mail, and for logging in to the server. */
  readonly deadline: number;
  readonly templates: Readonly<Record<Language, MailTemplate>>;
  /** Of mails that are not to one merchant's accountant. */
  readonly alertLanguage: Language;
}

/** The address alone: what the server is given, and what identifiers of messages end in. */
export function senderOf(from: string): { readonly name: string; readonly address: string } {
  const parts = /^\s*"?([^<"]*?)"?\s*<([^<>]+)>\s*$/.exec(from);
  return parts === null ? { name: '', address: from.trim() } : { name: parts[1]!, address: parts[2]! };
}
