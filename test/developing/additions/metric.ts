import { type Addition, insert } from '../../support/addition.ts'

/** A metric from a new sum: time in cycle during setup. */
export const metric: Addition = {
  section: 'Add a metric',
  changes: [
    insert(
      'schema/metrics.ts',
      'scheduledTime: time(',
      `  setupTimeInCycle: time(
    'Setup time in cycle',
    'Time in cycle while a job run is in setup.',
    sum('setupInCycleMs'),
  ),`,
    ),
    insert('schema/sums.ts', "productionMs: 'add'", "  setupInCycleMs: 'add',"),
    insert('schema/sums.ts', "productionMs: 'Time", "  setupInCycleMs: 'Time in cycle of job runs in setup.',"),
    insert(
      'api/reports/sums/sum-columns.ts',
      'productionMs: of(',
      "  setupInCycleMs: of(['in_cycle_ms', 'mode'], sql`sumIf(in_cycle_ms, mode = 1)`),",
    ),
    insert(
      'docs/metrics.md',
      '| `scheduledTime` ',
      '| `setupTimeInCycle` | ms | Time in cycle while a job run is in setup. | `setupInCycleMs` |',
    ),
    insert('docs/metrics.md', '| `productionMs` ', '| `setupInCycleMs` | Time in cycle of job runs in setup. |'),
    insert(
      'docs/metrics.de.md',
      '| `scheduledTime` ',
      '| `setupTimeInCycle` | ms | Rüstzeit im Zyklus: Zeit im Zyklus, während ein Auftragslauf rüstet. | `setupInCycleMs` |',
    ),
    insert(
      'docs/metrics.de.md',
      '| `productionMs` ',
      '| `setupInCycleMs` | Zeit im Zyklus von Auftragsläufen beim Rüsten. |',
    ),
    insert(
      'schema/metrics.de.ts',
      'scheduledTime: text(',
      "  setupTimeInCycle: text('Rüstzeit im Zyklus', 'Zeit im Zyklus, während ein Auftragslauf rüstet.'),",
    ),
    insert(
      'schema/metrics.de.ts',
      "productionMs: '",
      "  setupInCycleMs: 'Zeit im Zyklus von Auftragsläufen beim Rüsten.',",
    ),
    insert('test/api/reports/production.test.ts', 'scheduledTime: scheduled', '      setupTimeInCycle: 10 * minute,'),
    insert(
      'test/oracle/metrics.ts',
      'scheduledTime,',
      "    setupTimeInCycle: time(it => it.mode === 'setup' && it.inCycle),",
    ),
  ],
  generated: { 'api/graphql/schema.graphql': 'setupTimeInCycle: numeric' },
  unneeded: { 'web/screens/performance/view.ts': 'A higher value is neither better nor worse.' },
}
