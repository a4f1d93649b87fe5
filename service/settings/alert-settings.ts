import { isNetworkOrAddress } from '../../shared/webhook-addresses.ts'
import { readList, setting, type Settings } from './setting.ts'

function parseAddresses(text: string): readonly string[] {
  const addresses = readList(text)
  if (addresses.every(each => isNetworkOrAddress(each) || /^[A-Za-z0-9._-]{1,253}$/.test(each))) return addresses
  throw new Error('expected a list of public, subnets such as 10.0.0.0/8, addresses, and names of hosts')
}

/** Parses the address of a mail server; the password is a setting of its own. */
function parseSmtpUrl(text: string): string | null {
  if (text === '') return null
  const url = /^smtps?:\/\//.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === '' || !['', '/'].includes(url.pathname) || url.search + url.hash !== '')
    throw new Error('expected an address such as smtp://user@mail.example.com:587 or smtps://mail.example.com')
  if (url.password !== '') throw new Error('must not contain a password: use TAKT_SMTP_PASSWORD_FILE')
  if (!isEncoded(url.username)) throw new Error('contains a % that encodes no character: write %25')
  return text
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const addressPattern = /^[^<>@\s,;:"]+@[^<>@\s,;:"]+$/
const namedAddress = /^[^<>@\p{Cc}",;:]{1,100} <([^<>\s]+)>$/u

/** Parses the sender of mails: an address, or a name with an address in angle brackets. */
function parseSender(text: string): string {
  if (text === '' || addressPattern.test(namedAddress.exec(text)?.[1] ?? text)) return text
  throw new Error('expected an address such as takt@example.com or Takt <takt@example.com>')
}

/** Settings of alerts. */
export const alertSettings = {
  TAKT_WEBHOOK_ALLOW: setting(
    'Addresses of webhooks, separated by commas: `public` for all public ones, subnets, addresses, host names. Loopback, link-local and metadata addresses need a subnet inside their network.',
  ).parsed('public', parseAddresses),
  TAKT_ALERT_LATE_SECONDS: setting(
    'How long ago a stop, silence or alarm that late samples reveal may have ended for an incident to open.',
  ).int(600, 0, 86_400),
  TAKT_SMTP_URL: setting(
    'Mail server of alerts, such as `smtp://user@mail.example.com:587` or `smtps://user@mail.example.com`; empty: attempts to send mails fail, and are repeated. `smtp` uses STARTTLS if the server offers it; with a password it must.',
  ).parsed('', parseSmtpUrl),
  TAKT_SMTP_FROM: setting('Sender of mails, such as `Takt <takt@example.com>`; required by `TAKT_SMTP_URL`.').parsed(
    '',
    parseSender,
  ),
  TAKT_SMTP_PASSWORD_FILE: setting('File that contains the password at the mail server; empty: none.').optional(),
  TAKT_ALERTS_PER_MINUTE: setting(
    'Maximum number of new messages per company, alert target and UTC minute. Summaries at the end of the minute replace further ones.',
  ).int(60, 1, 10_000),
} satisfies Settings
