import type { ScopeTexts } from './scopes.en.ts'

export const scopeTextsDe: ScopeTexts = {
  user: { title: 'User', allows: 'Allein nichts: Schlüssel und Benutzer verwaltet, wer angemeldet ist.' },
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
  annotation: { title: 'Annotation (Downtime)', allows: 'Stillständen Gründe geben und die Liste der Gründe ändern.' },
  'annotation.read': { title: 'Annotation Read', allows: 'Stillstandsgründe und ihre Zuordnung lesen.' },
  'part-adjustment': {
    title: 'Part Adjustment',
    allows: 'Zusammen mit Reporting Read: Ausschuss und Korrekturen von Teilen.',
  },
  'gateway.read': { title: 'Gateway Read', allows: 'Allein nichts; vorhandene Programme dürfen es nennen.' },
  'ingest.activity': { title: 'Ingest Activity', allows: 'Messwerte von Maschinen senden. Lesen kann es nichts.' },
  operator: { title: 'Operator', allows: 'Bediener, und wann sie an welcher Maschine sind.' },
  'system.gateway': {
    title: 'System Gateway',
    allows: 'Messwerte senden, für Gateways, die dieses Recht schon haben.',
  },
  'system.gateway.read': {
    title: 'System Gateway Read',
    allows: 'Allein nichts; vorhandene Programme dürfen es nennen.',
  },
}
