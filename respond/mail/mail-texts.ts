import type { Status } from '../../schema/document.ts'
import type { AlertKind, SystemCheck } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { DeliveryRecord } from '../../schema/records/delivery.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'

/** Texts of mails in one language. */
export interface MailTexts {
  /** Language and region of times. */
  readonly locale: string
  readonly events: Readonly<Record<DeliveryRecord['event'], string>>
  readonly severities: Readonly<Record<AlertRuleRecord['severity'], string>>
  readonly states: Readonly<Record<IncidentRecord['state'], string>>
  readonly kinds: Readonly<Record<AlertKind, string>>
  readonly statuses: Readonly<Record<Status, string>>
  readonly checks: Readonly<Record<SystemCheck, string>>
  readonly labels: Readonly<
    Record<'severity' | 'state' | 'detail' | 'startedAt' | 'endedAt' | 'acknowledgedBy' | 'resolvedBy', string>
  >
  readonly withoutReason: string
  readonly setup: string
  readonly open: string
  readonly incidents: (count: number) => string
  readonly more: (count: number) => string
  /** First line of a summary. */
  readonly limited: string
  readonly footer: (target: string, timeZone: string) => string
}

const en: MailTexts = {
  locale: 'en-GB',
  events: {
    'incident.opened': 'New',
    'incident.escalated': 'Escalated',
    'incident.acknowledged': 'Acknowledged',
    'incident.resolved': 'Resolved',
    'incident.retracted': 'Retracted',
    'incident.summary': 'Summary',
  },
  severities: { info: 'Info', warning: 'Warning', critical: 'Critical' },
  states: { open: 'Open', acknowledged: 'Acknowledged', resolved: 'Resolved', retracted: 'Retracted' },
  kinds: {
    stop: 'Stop',
    status: 'Status',
    silent: 'No samples',
    alarm: 'Alarm',
    call: 'Call',
    connector: 'Connector',
    system: 'System',
  },
  statuses: { UNAVAILABLE: 'Unavailable', INACTIVE: 'Inactive', ACTIVE: 'Active', FAULT: 'Fault' },
  checks: {
    lag: 'Lag of live data',
    disk: 'Disk usage',
    deadLetters: 'Rejected samples',
    store: 'Store is unavailable',
    log: 'Log is unavailable',
  },
  labels: {
    severity: 'Severity',
    state: 'State',
    detail: 'Detail',
    startedAt: 'Start',
    endedAt: 'End',
    acknowledgedBy: 'Acknowledged by',
    resolvedBy: 'Resolved by',
  },
  withoutReason: 'without a reason',
  setup: 'setup',
  open: 'Open in Takt',
  incidents: count => `${count} incidents`,
  more: count => `and ${count} more`,
  limited: 'There were more messages than one minute allows. This mail replaces the further ones.',
  footer: (target, timeZone) => `Times are in ${timeZone}. You receive this mail through the alert target ${target}.`,
}

const de: MailTexts = {
  locale: 'de-DE',
  events: {
    'incident.opened': 'Neu',
    'incident.escalated': 'Eskaliert',
    'incident.acknowledged': 'Bestätigt',
    'incident.resolved': 'Behoben',
    'incident.retracted': 'Zurückgezogen',
    'incident.summary': 'Übersicht',
  },
  severities: { info: 'Info', warning: 'Warnung', critical: 'Kritisch' },
  states: { open: 'Offen', acknowledged: 'Bestätigt', resolved: 'Behoben', retracted: 'Zurückgezogen' },
  kinds: {
    stop: 'Stillstand',
    status: 'Status',
    silent: 'Keine Daten',
    alarm: 'Alarm',
    call: 'Ruf',
    connector: 'Konnektor',
    system: 'System',
  },
  statuses: { UNAVAILABLE: 'Nicht erreichbar', INACTIVE: 'Steht', ACTIVE: 'In Betrieb', FAULT: 'Störung' },
  checks: {
    lag: 'Rückstand der Live-Daten',
    disk: 'Belegung der Festplatte',
    deadLetters: 'Abgelehnte Messwerte',
    store: 'Datenbank nicht verfügbar',
    log: 'Log nicht verfügbar',
  },
  labels: {
    severity: 'Schwere',
    state: 'Zustand',
    detail: 'Einzelheit',
    startedAt: 'Beginn',
    endedAt: 'Ende',
    acknowledgedBy: 'Bestätigt von',
    resolvedBy: 'Behoben von',
  },
  withoutReason: 'ohne Grund',
  setup: 'Rüsten',
  open: 'In Takt öffnen',
  incidents: count => `${count} Vorfälle`,
  more: count => `und ${count} weitere`,
  limited: 'Es gab mehr Nachrichten, als in einer Minute erlaubt sind. Diese E-Mail ersetzt die weiteren.',
  footer: (target, timeZone) => `Zeiten in ${timeZone}. Sie erhalten diese E-Mail über den Alarmempfänger ${target}.`,
}

export const mailTexts = { en, de } as const
