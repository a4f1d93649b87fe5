import type { Texts } from './en.ts'

/** Texts of the screen Incidents, in German. */
export const incidentTextsDe: Texts['incidents'] = {
  by: 'Gruppieren nach',
  groupings: { machine: 'Maschine', shift: 'Schicht', rule: 'Alarmregel', acknowledgedBy: 'Bestätigt von' },
  none: 'In diesem Zeitraum begannen keine Vorfälle.',
  count: 'Vorfälle',
  acknowledge: 'Zeit bis zur Bestätigung',
  acknowledgeMedian: 'Zeit bis zur Bestätigung, Median',
  acknowledge90: '90 % bestätigt innerhalb von',
  resolve: 'Zeit bis zur Behebung',
  resolveMedian: 'Zeit bis zur Behebung, Median',
  resolve90: '90 % behoben innerhalb von',
  unacknowledged: 'Nicht bestätigt',
  unresolved: 'Nicht behoben',
  escalated: 'Eskaliert',
  groupsHint: 'Ein Klick auf einen Namen zeigt seine Vorfälle.',
  all: 'Alle Vorfälle',
  of: group => `Vorfälle: ${group}`,
  tooMany: limit =>
    `Für eine Liste sind es zu viele Vorfälle (Grenze: ${limit}). Wählen Sie einen Namen oder einen kürzeren Zeitraum.`,
  subject: 'Maschine oder Datenquelle',
  sortBy: title => `Nach ${title} sortieren`,
  open: 'noch offen',
  yes: 'ja',
}
