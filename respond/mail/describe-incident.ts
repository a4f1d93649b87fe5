import type { AlertTargetRecord } from '../../schema/records/alert-target.ts'
import type { TemplateField } from '../../schema/records/alert-template.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { oneLine } from '../deliveries/one-line.ts'
import { mailTexts } from './mail-texts.ts'

/** Limit of the characters of one value, such as the note of a call. */
const maxValueChars = 500

/** Facts that the messages to one target have in common. */
export interface MessageContext {
  readonly target: Pick<AlertTargetRecord, 'name' | 'language'>
  readonly timeZone: string
  /** Address of Takt for browsers, without a path; null: messages contain no links. */
  readonly publicUrl: string | null
  /** Names of the company's downtime reasons and kinds of calls by id. */
  readonly reasonNames: ReadonlyMap<number, string>
  readonly callKindNames: ReadonlyMap<string, string>
}

/** The values of an incident as texts in one line, of limited length. */
export type IncidentTexts = Readonly<Record<TemplateField, string>>

/** Returns the function that describes an incident in the language of the target. */
export function incidentDescriber(context: MessageContext): (incident: IncidentRecord) => IncidentTexts {
  const { target, timeZone, publicUrl } = context
  const texts = mailTexts[target.language]
  const format = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const at = (instant: string | null) => (instant === null ? '' : format.format(new Date(instant)))
  const line = (text: string) => oneLine(text, maxValueChars)
  return incident => ({
    ruleName: line(incident.ruleName ?? texts.kinds[incident.kind]),
    severity: texts.severities[incident.severity],
    kind: texts.kinds[incident.kind],
    subject: line(incident.subject.name),
    detail: line(detailText(incident, context)),
    state: texts.states[incident.state],
    startedAt: at(incident.startedAt),
    openedAt: at(incident.openedAt),
    endedAt: at(incident.endedAt),
    acknowledgedBy: line(incident.acknowledgedBy?.name ?? ''),
    resolvedBy: line(incident.resolvedBy?.name ?? ''),
    url: incidentUrl(incident.id, publicUrl) ?? '',
  })
}

/** Returns the address that opens an incident in the application; null: the address of Takt is not set. */
export function incidentUrl(id: string, publicUrl: string | null): string | null {
  return publicUrl === null ? null : `${publicUrl}/app/now?incident=${encodeURIComponent(id)}`
}

function detailText({ detail }: IncidentRecord, { target, reasonNames, callKindNames }: MessageContext): string {
  const texts = mailTexts[target.language]
  const { reasonId, status, alarms = [], call, connectorState, check, value } = detail
  if (reasonId === 'setup') return texts.setup
  if (reasonId === 'uncategorized') return texts.withoutReason
  if (reasonId !== undefined) return reasonNames.get(reasonId) ?? String(reasonId)
  if (status !== undefined) return texts.statuses[status]
  if (call !== undefined) return joined([callKindNames.get(call.kind) ?? call.kind, call.note], ': ')
  if (connectorState !== undefined) return connectorState
  if (check !== undefined)
    return value === undefined || value === null ? texts.checks[check] : `${texts.checks[check]}: ${value}`
  return alarms.map(({ nativeCode, message }) => joined([nativeCode, message], ' ')).join('; ')
}

function joined(texts: readonly string[], separator: string): string {
  const shown = texts.filter(text => text !== '')
  return shown.map(text => text.slice(0, maxValueChars)).join(separator)
}
