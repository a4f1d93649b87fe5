import type { Texts } from './en.ts'

/** Names of the scopes of API keys, in German. */
export const scopeTitlesDe: Texts['scopeTitles'] = {
  user: 'Benutzer',
  'erp.read': 'Aufträge lesen',
  erp: 'Aufträge ändern',
  reporting: 'Berichte lesen',
  'machine.read': 'Maschinen lesen',
  machine: 'Maschinen ändern',
  connector: 'Datenquellen ändern',
  'connector.read': 'Datenquellen lesen',
  alert: 'Alarmregeln ändern',
  'alert.read': 'Alarmregeln lesen',
  incident: 'Vorfälle bearbeiten',
  'incident.read': 'Vorfälle lesen',
  annotation: 'Stillstandsgründe zuweisen',
  'annotation.read': 'Stillstandsgründe lesen',
  'part-adjustment': 'Ausschuss und Korrekturen',
  'gateway.read': 'Gateway lesen',
  'ingest.activity': 'Messwerte senden',
  operator: 'Bediener',
  'system.gateway': 'Messwerte als Gateway senden',
  'system.gateway.read': 'Gateways des Systems lesen',
}

/** Permissions of the scopes of API keys, in German. */
export const scopeTextsDe: Texts['scopes'] = {
  user: 'Keine Rechte: Nur angemeldete Benutzer verwalten Schlüssel und Benutzer.',
  'erp.read': 'Arbeitsgänge und Auftragsläufe lesen.',
  erp: 'Aufträge ändern und importieren; Auftragsläufe starten und beenden.',
  reporting: 'Berichte und ihre Dateien, GraphQL, Maschinen und Live-Status.',
  'machine.read': 'Maschinen, Gruppen, Schichtpläne und Einstellungen lesen; Live-Status.',
  machine: 'Maschinen, Gruppen, Schichtpläne und Einstellungen ändern; das Änderungsprotokoll.',
  connector: 'Datenquellen ändern, auch ihre Passwörter und Schlüssel.',
  'connector.read': 'Datenquellen und ihren Zustand lesen; keine Passwörter oder Schlüssel.',
  alert: 'Alarmregeln, Empfänger und Pausen ändern; Namen der Benutzer lesen.',
  'alert.read': 'Alarmregeln, Empfänger, Pausen und Zustellungen lesen; keine Geheimnisse.',
  incident: 'Vorfälle bestätigen, beheben, zuweisen und kommentieren; Hilfe rufen; Namen der Benutzer lesen.',
  'incident.read': 'Vorfälle lesen und live verfolgen.',
  annotation: 'Stillständen Gründe zuweisen und die Liste der Gründe ändern.',
  'annotation.read': 'Stillstandsgründe und ihre Zuordnung lesen.',
  'part-adjustment': 'Zusammen mit „Berichte lesen“: Ausschuss und Korrekturen von Teilen.',
  'gateway.read': 'Keine Rechte; für vorhandene Programme weiter gültig.',
  'ingest.activity': 'Messwerte von Maschinen senden; kein Lesezugriff.',
  operator: 'Bediener, und die Zeiten, zu denen sie an Maschinen angemeldet sind.',
  'system.gateway': 'Messwerte senden; für vorhandene Gateways weiter gültig.',
  'system.gateway.read': 'Keine Rechte; für vorhandene Programme weiter gültig.',
}
