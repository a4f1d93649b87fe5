/** Languages of the names of a simulated plant. */
export const demoLanguages = ['en', 'de'] as const
export type DemoLanguage = (typeof demoLanguages)[number]

const german: Readonly<Record<string, string>> = {
  'Demo plant': 'Demowerk',
  Turning: 'Drehen',
  Lathe: 'Dreh',
  Milling: 'Fräsen',
  Mill: 'Fräs',
  'Mill-turn': 'Drehfräsen',
  MillTurn: 'Drehfräs',
  Grinding: 'Schleifen',
  Grinder: 'Schleif',
  'Three shifts': 'Drei Schichten',
  Early: 'Früh',
  Late: 'Spät',
  Night: 'Nacht',
  Organization: 'Organisation',
  Technical: 'Technik',
  Break: 'Pause',
  'No orders': 'Keine Aufträge',
  'No material': 'Kein Material',
  Maintenance: 'Wartung',
  'Tool change': 'Werkzeugwechsel',
  Breakdown: 'Ausfall',
  'Out of tolerance': 'Außerhalb der Toleranz',
  Surface: 'Oberfläche',
  'Machine in fault': 'Maschine gestört',
  'Call from a machine': 'Ruf von einer Maschine',
  'Long uncategorized stop': 'Langer nicht kategorisierter Stillstand',
  'Bar stock 30 mm': 'Stangenmaterial 30 mm',
  'Chip conveyor is jammed': 'Späneförderer klemmt',
  'Diameter drifts': 'Durchmesser driftet',
  Quality: 'Qualität',
  Help: 'Hilfe',
}

/** Returns an English name of the plant in the language; names of people and products are the same in all. */
export function inLanguage(language: DemoLanguage, english: string): string {
  return language === 'de' ? (german[english] ?? english) : english
}
