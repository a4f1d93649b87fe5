import type { ScopeTexts } from './scopes.en.ts'

/** Texts of the scopes of API keys, in German. */
export const scopeTextsDe: ScopeTexts = {
  user: { title: 'User', allows: 'Keine Rechte: Nur angemeldete Benutzer verwalten Schlüssel und Benutzer.' },
  'erp.read': { title: 'ERP Read', allows: 'Arbeitsgänge und Auftragsläufe lesen.' },
  erp: { title: 'ERP Write', allows: 'Aufträge ändern und importieren; Auftragsläufe starten und beenden.' },
  reporting: { title: 'Reporting Read', allows: 'Berichte und ihre Dateien, GraphQL, Maschinen und Live-Status.' },
  'machine.read': {
    title: 'Machine Read',
    allows: 'Maschinen, Gruppen, Schichtpläne und Einstellungen lesen; Live-Status.',
  },
  machine: {
    title: 'Machine Write',
    allows: 'Maschinen, Gruppen, Schichtpläne und Einstellungen ändern; das Änderungsprotokoll.',
  },
  annotation: {
    title: 'Annotation (Downtime)',
    allows: 'Stillständen Gründe zuweisen und die Liste der Gründe ändern.',
  },
  'annotation.read': { title: 'Annotation Read', allows: 'Stillstandsgründe und ihre Zuordnung lesen.' },
  'part-adjustment': {
    title: 'Part Adjustment',
    allows: 'Zusammen mit Reporting Read: Ausschuss und Korrekturen von Teilen.',
  },
  'gateway.read': { title: 'Gateway Read', allows: 'Keine Rechte; für vorhandene Programme weiter gültig.' },
  'ingest.activity': { title: 'Ingest Activity', allows: 'Messwerte von Maschinen senden; kein Lesezugriff.' },
  operator: { title: 'Operator', allows: 'Bediener, und die Zeiten, zu denen sie an Maschinen angemeldet sind.' },
  'system.gateway': {
    title: 'System Gateway',
    allows: 'Messwerte senden; für vorhandene Gateways weiter gültig.',
  },
  'system.gateway.read': {
    title: 'System Gateway Read',
    allows: 'Keine Rechte; für vorhandene Programme weiter gültig.',
  },
}
