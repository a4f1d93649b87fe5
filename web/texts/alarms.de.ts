import type { Texts } from './en.ts'

/** Texts of the screen Alarms, in German. */
export const alarmTextsDe: Texts['alarms'] = {
  current: 'Jetzt aktiv',
  noneNow: 'Keine Maschine hat einen aktiven Alarm.',
  pareto: 'Alarmcodes mit dem größten Anteil',
  paretoHint: 'Wählen Sie einen Code, um seine Maschinen und seinen Verlauf zu sehen.',
  by: 'Gezählt nach',
  measures: { durationMs: 'Dauer', recordCount: 'Häufigkeit' },
  only: code => `nur ${code}`,
  onlyAbsent: 'nur ein Code ohne Alarme in diesem Zeitraum',
  history: 'Verlauf',
  none: 'In diesem Zeitraum gab es keinen Alarm.',
  noneHow: 'Wählen Sie einen anderen Zeitraum oder weniger Filter.',
  code: 'Code',
  message: 'Meldung',
  states: { FAULT: 'Störung', WARNING: 'Warnung' },
  everyState: 'Störungen und Warnungen',
  end: 'Ende',
  active: 'aktiv',
  since: duration => `seit ${duration}`,
  older: 'Ältere Alarme zeigen',
  machines: count => `an ${count} ${count === '1' ? 'Maschine' : 'Maschinen'}`,
  times: count => `${count} Mal`,
}
