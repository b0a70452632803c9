// Sends one mail for each delivery, to one recipient, over a session that is logged in before anything is claimed. A mail is
// not repeatable: what nobody knows of after its last byte is in doubt.

import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import type {
  ChannelSession,
  DeliveryChannel,
  Parcel,
  ParcelFile,
} from '../../../core/domain/delivery/delivery-channel.ts';
import { composeMessage } from './compose-message.ts';
import { type MailSettings, senderOf } from './mail-settings.ts';
import { openSmtp, type SmtpSession } from './smtp-session.ts';

/** Servers end sessions after some mails; a new one is opened before that. */
const MAILS_PER_SESSION = 50;

export function openMailChannel(settings: MailSettings): DeliveryChannel {
  return {
    name: 'mail',
    isRepeatable: false,
    concurrency: 2,
    deadline: settings.deadline,
    open: async () => sessionOver(settings, await openSmtp(settings)),
  };
}

function sessionOver(settings: MailSettings, smtp: SmtpSession): ChannelSession {
  const sender = senderOf(settings.from);
  let mails = 0;
  return {
    send: (parcel) => {
      mails += 1;
      return smtp.send({ from: sender.address, to: parcel.target }, streamOf(settings, parcel));
    },
    isOpen: () => smtp.isOpen() && mails < MAILS_PER_SESSION,
    close: smtp.close,
  };
}

/** The whole message, its attachments read as they are sent; fails before its end when one of them does. */
function streamOf(settings: MailSettings, parcel: Parcel): Readable {
  const { content, report, target } = parcel;
  const language = content.topic === 'statement' ? content.language : settings.alertLanguage;
  const { subject, text, html } = composeMessage(parcel, { template: settings.templates[language], language });
  const sender = senderOf(settings.from);
  const composer = new MailComposer({
    from: sender,
    to: { name: '', address: target },
    subject,
    text,
    html,
    // The same in every attempt, so that a receiver can tell a repeat.
    messageId: `<${parcel.id}@${sender.address.split('@')[1]}>`,
    date: new Date(parcel.sentAt),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Pointage-Delivery': parcel.id, 'Content-Language': language },
    attachments: (report?.files ?? []).map(attachmentOf),
    // Nothing in a mail may name a file of ours or an address to be read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().createReadStream();
}

function attachmentOf(file: ParcelFile) {
  return {
    filename: file.fileName,
    contentType: file.mediaType,
    contentTransferEncoding: 'base64',
    content: Readable.from(file.read(), { objectMode: false }),
  };
}
