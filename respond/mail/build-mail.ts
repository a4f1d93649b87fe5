import { type AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import { fillTemplate } from '../../schema/records/alert-template.ts'
import type { DeliveryRecord } from '../../schema/records/delivery.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { oneLine } from '../deliveries/one-line.ts'
import { type IncidentTexts, incidentDescriber, type MessageContext } from './describe-incident.ts'
import { type Html, html } from './escape-html.ts'
import { mailTexts } from './mail-texts.ts'

/** Number of incidents that a mail names. */
const maxNamed = 100
const maxSubjectChars = 200
/** Limit of the filled template of one incident. */
const maxTemplateChars = 4_000

/** The notices of one rule, event and step that a mail contains; a summary: those of any. */
export interface MailContent {
  readonly event: DeliveryRecord['event']
  /** The incidents that are known; at least one. */
  readonly incidents: readonly IncidentRecord[]
  /** Number of all incidents. */
  readonly count: number
  readonly template: AlertRuleRecord['template']
}

export interface MailBody {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * Builds the subject and both bodies of a mail. It names the 100 incidents that opened first, and counts the rest. All
 * values are text: no value adds a line to the subject, an element to the HTML, or a link.
 */
export function buildMail(content: MailContent, context: MessageContext): MailBody {
  const { target, timeZone } = context
  const { locale, more, footer, limited } = mailTexts[target.language]
  const described = content.incidents.toSorted(byOpening).slice(0, maxNamed).map(incidentDescriber(context))
  const parts = described.map(values => toPart(values, content, context))
  const rest = content.count - parts.length
  const opening = content.event === 'incident.summary' ? [limited] : []
  const closing = [...(rest > 0 ? [more(rest)] : []), footer(oneLine(target.name, maxSubjectChars), timeZone)]
  return {
    subject: subjectOf(described, content, context),
    text: `${[...opening, ...parts.map(toText), ...closing].join('\n\n')}\n`,
    html: html`<!DOCTYPE html>
      <html lang="${locale.slice(0, 2)}">
        <head>
          <meta charset="utf-8" />
        </head>
        <body style="font-family: sans-serif">
          ${opening.map(line => html`<p>${line}</p> `)}${parts.map(toHtml)}${closing.map(line => html`<p>${line}</p> `)}
        </body>
      </html> `.text,
  }
}

function byOpening(a: IncidentRecord, b: IncidentRecord): number {
  if (a.openedAt !== b.openedAt) return a.openedAt < b.openedAt ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function subjectOf(
  [values]: readonly IncidentTexts[],
  { event, count, template }: MailContent,
  context: MessageContext,
): string {
  const { events, incidents: counted } = mailTexts[context.target.language]
  if (values === undefined) throw new Error('A mail contains at least one incident')
  const several = event === 'incident.summary' ? counted(count) : `${values.ruleName}: ${counted(count)}`
  const single = template === null ? `${values.ruleName}: ${values.subject}` : fillTemplate(template.subject, values)
  const subject = count > 1 ? several : single
  return oneLine(`[${events[event]}] ${subject}`, maxSubjectChars)
}

/** One incident in a mail: the lines of its template, or a title and its fields. */
interface MailPart {
  readonly title: string
  readonly lines: readonly string[]
  readonly fields: readonly (readonly [label: string, value: string])[]
  readonly url: string
  readonly open: string
}

const shownFields = ['severity', 'state', 'detail', 'startedAt', 'endedAt', 'acknowledgedBy', 'resolvedBy'] as const

function toPart(values: IncidentTexts, { template }: MailContent, context: MessageContext): MailPart {
  const { labels, open } = mailTexts[context.target.language]
  const title = `${values.ruleName}: ${values.subject}`
  const part = { title, url: values.url, open }
  if (template !== null) return { ...part, lines: linesOf(template.text, values), fields: [] }
  const fields = shownFields.flatMap(field => (values[field] === '' ? [] : [[labels[field], values[field]] as const]))
  return { ...part, lines: [], fields }
}

/** The line breaks of the template stay; its values contain none. */
function linesOf(template: string, values: IncidentTexts): readonly string[] {
  const filled = fillTemplate(template, values).slice(0, maxTemplateChars)
  return filled.split(/\r\n|\n|\r/).map(line => oneLine(line, maxTemplateChars))
}

function toText({ title, lines, fields, url }: MailPart): string {
  return [title, ...lines, ...fields.map(([label, value]) => `${label}: ${value}`), ...(url === '' ? [] : [url])].join(
    '\n',
  )
}

function toHtml({ title, lines, fields, url, open }: MailPart): Html {
  return html`<h2 style="font-size: 1.1em">${title}</h2>
    ${lines.map(line => html`<p>${line}</p> `)}
    <table>
      ${fields.map(
        ([label, value]) =>
          html`<tr>
            <td>${label}</td>
            <td>${value}</td>
          </tr> `,
      )}
    </table>
    ${url === '' ? '' : html`<p><a href="${url}">${open}</a></p> `}`
}
