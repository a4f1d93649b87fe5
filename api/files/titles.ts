import type { Language } from '../../schema/languages.ts'
import { metricTextsDe } from '../../schema/metrics.de.ts'
import { isMetricName, metrics } from '../../schema/metrics.ts'
import type { FileColumn } from './table.ts'

/** Title of a column in a language: in English if there is none. */
export function titleOf({ name, title }: FileColumn, language: Language): string {
  if (language === 'en') return title
  return metricTitle(name, title) ?? germanTitle(title) ?? title
}

/** The German title of a production metric; null for other columns, also for values of other reports with the name of one. */
function metricTitle(name: string, title: string): string | null {
  return isMetricName(name) && metrics[name].title === title ? metricTextsDe[name].title : null
}

/** The German title of a grouping, of its id, start or end, or of another column; null if there is none. */
function germanTitle(title: string): string | null {
  const whole = titlesDe.get(title)
  if (whole !== undefined) return whole
  const [, first = '', last = ''] = /^(.+) (id|start|end)$/.exec(title) ?? []
  const [group, part] = [titlesDe.get(first), partsDe.get(last)]
  return group === undefined || part === undefined ? null : `${group}, ${part}`
}

const partsDe: ReadonlyMap<string, string> = new Map([
  ['id', 'Id'],
  ['start', 'Beginn'],
  ['end', 'Ende'],
])

/** German titles by the English ones, except those of metrics. */
const titlesDe: ReadonlyMap<string, string> = new Map([
  ['Machine', 'Maschine'],
  ['Machine group', 'Maschinengruppe'],
  ['Job operation', 'Arbeitsgang'],
  ['Job name', 'Auftrag'],
  ['Lot name', 'Los'],
  ['Operation name', 'Name des Arbeitsgangs'],
  ['Part name', 'Teil'],
  ['Job run', 'Auftragslauf'],
  ['Operator', 'Bediener'],
  ['Shift', 'Schicht'],
  ['Reason', 'Grund'],
  ['Native code', 'Alarmcode'],
  ['Native code message', 'Alarmtext'],
  ['Native code state', 'Zustand des Alarmcodes'],
  ['State', 'Zustand'],
  ['Incident', 'Vorfall'],
  ['Alert rule', 'Alarmregel'],
  ['Severity', 'Schweregrad'],
  ['Kind', 'Art'],
  ['Acknowledged by', 'Bestätigt von'],
  ['Hour', 'Stunde'],
  ['Day', 'Tag'],
  ['Week', 'Woche'],
  ['Month', 'Monat'],
  ['Quarter', 'Quartal'],
  ['Downtime', 'Stillstand'],
  ['Records', 'Anzahl'],
  ['Rejects', 'Ausschuss'],
  ['Duration', 'Dauer'],
  ['First active', 'Zuerst aktiv'],
  ['Last active', 'Zuletzt aktiv'],
  ['Alarms', 'Alarme'],
  ['Machines', 'Maschinen'],
  ['Incidents', 'Vorfälle'],
  ['Time open', 'Zeit offen'],
  ['Time to acknowledge', 'Zeit bis zur Bestätigung'],
  ['Time to acknowledge, median', 'Zeit bis zur Bestätigung, Median'],
  ['Time to acknowledge, 90%', 'Zeit bis zur Bestätigung, 90 %'],
  ['Time to resolve', 'Zeit bis zur Behebung'],
  ['Time to resolve, median', 'Zeit bis zur Behebung, Median'],
  ['Time to resolve, 90%', 'Zeit bis zur Behebung, 90 %'],
  ['Not acknowledged', 'Nicht bestätigt'],
  ['Not resolved', 'Nicht behoben'],
  ['Escalated', 'Eskaliert'],
  ['Alarm id', 'Alarm, Id'],
  ['Message', 'Meldung'],
  ['Start', 'Beginn'],
  ['End', 'Ende'],
])
