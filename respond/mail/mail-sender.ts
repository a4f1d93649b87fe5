import { createTransport, type NodemailerError, type SMTPSentMessageInfo, type Transporter } from 'nodemailer'
import { withSignals } from '../../shared/async/join-signals.ts'
import { secondMs } from '../../shared/time/units.ts'
import { errorText, type Outcome } from '../deliveries/outcome.ts'

/** Limit of each step of a connection: lookup, connection, greeting. */
const stepTimeoutMs = 10 * secondMs
/** Limit of the time without a response. */
const idleTimeoutMs = 30 * secondMs
/** Limit of an attempt: a server may respond slowly. */
const defaultTimeoutMs = 60 * secondMs
/** Limit of one response of the server. */
const maxResponseBytes = 65_536

/** The server that sends mails. */
export interface SmtpSettings {
  /** `smtp://user@host:587` or `smtps://host`; a password is a separate setting. */
  readonly url: string
  /** Empty: none. With a password, the connection must be encrypted. */
  readonly password: string
  /** Sender of the mails, such as `Takt <takt@example.com>`. */
  readonly from: string
}

export interface Mail {
  /** Id of the delivery; the id of the mail follows from it, so it is the same in each attempt. */
  readonly deliveryId: string
  /** Id of the delivery of the first mail of the thread; null: this mail begins one. */
  readonly repliesTo: string | null
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MailSenderOptions {
  /** Limit of one attempt, ms, by default 60,000. */
  readonly timeoutMs?: number
  /** PEM of the authority that signed the certificate of the server; by default those of Node. */
  readonly ca?: string
}

type Sending = Transporter<SMTPSentMessageInfo>

/** Sends mails by an SMTP server, each by a connection of its own. */
export class MailSender {
  readonly #transport: Sending
  readonly #from: string
  readonly #domain: string
  readonly #timeoutMs: number

  constructor({ url, password, from }: SmtpSettings, { timeoutMs = defaultTimeoutMs, ca }: MailSenderOptions = {}) {
    const { protocol, hostname, port, username } = new URL(url)
    this.#from = from
    this.#domain = /@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
    this.#timeoutMs = timeoutMs
    this.#transport = createTransport({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(port !== '' && { port: Number(port) }),
      secure: protocol === 'smtps:',
      requireTLS: protocol === 'smtp:' && password !== '',
      ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: password } }),
      ...(ca !== undefined && { tls: { ca } }),
      dnsTimeout: stepTimeoutMs,
      connectionTimeout: stepTimeoutMs,
      greetingTimeout: stepTimeoutMs,
      socketTimeout: idleTimeoutMs,
      socketCloseTimeout: secondMs,
      maxResponseSize: maxResponseBytes,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  /**
   * Sends a mail to its addresses. Rejected: the server permanently refused all addresses or the content. Every other
   * error, such as a wrong password, is one of the server or its settings, so a later attempt may succeed. Never rejects.
   *
   * @param signal aborts the attempt
   */
  async send(mail: Mail, signal: AbortSignal): Promise<Outcome> {
    const expired = AbortSignal.timeout(this.#timeoutMs)
    try {
      const sending = (joined: AbortSignal) => this.#transport.sendMail({ ...this.#message(mail), signal: joined })
      return outcomeOf(await withSignals([signal, expired], sending))
    } catch (error) {
      if (expired.aborted)
        return failed(new Error(`The server did not accept the mail in ${this.#timeoutMs / 1_000} s`))
      return isPermanent(error) ? { kind: 'rejected', error: errorText(error) } : failed(error)
    }
  }

  #message({ deliveryId, repliesTo, to, subject, text, html }: Mail) {
    const first = repliesTo === null ? null : this.#messageId(repliesTo)
    return {
      from: this.#from,
      // As objects, addresses are not parsed: a comma in one does not add another one.
      to: to.map(address => ({ name: '', address })),
      subject,
      text,
      html,
      messageId: this.#messageId(deliveryId),
      ...(first !== null && { inReplyTo: first, references: first }),
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
  }

  #messageId(deliveryId: string): string {
    return `<${deliveryId}@${this.#domain}>`
  }
}

function failed(error: unknown): Outcome {
  return { kind: 'failed', error: errorText(error), retryAfterMs: null }
}

/** Some of several addresses may be refused: permanently, which the outcome notes, or for now. */
function outcomeOf({ rejectedErrors = [] }: SMTPSentMessageInfo): Outcome {
  const [first] = rejectedErrors
  if (first === undefined) return { kind: 'sent', note: null }
  const remaining = rejectedErrors.filter(error => !isRefusal(error)).flatMap(({ recipient }) => recipient ?? [])
  return remaining.length > 0
    ? { kind: 'failed', error: errorText(first), retryAfterMs: null, remaining }
    : { kind: 'sent', note: errorText(first) }
}

function isPermanent(error: unknown): boolean {
  if (!isSmtpError(error)) return false
  const { rejectedErrors = [error] } = error
  return isRefusal(error) && rejectedErrors.every(isRefusal)
}

/**
 * Whether the server permanently refused an address or the content, not the sender, the password or the connection. 503
 * states a wrong sequence of commands.
 */
function isRefusal({ command, responseCode = 0 }: NodemailerError): boolean {
  return responseCode >= 500 && responseCode !== 503 && ['RCPT TO', 'DATA'].includes(command ?? '')
}

function isSmtpError(error: unknown): error is NodemailerError {
  return error instanceof Error && 'command' in error
}
