import { type Addition, create, insert, replace } from '../../support/addition.ts'

/** A grouping of the production report by a new key: the mode of the job run. */
export const grouping: Addition = {
  section: 'Add a grouping',
  names: { grouping: 'job-mode' },
  changes: [
    insert('schema/groupings.ts', "operator: { ...entity('", "  jobMode: entity('Job mode', 'No Job'),"),
    insert('schema/groupings.ts', 'operator: [],', '  jobMode: [],'),
    insert('schema/groupings.ts', "'jobOperationRun',", "      'jobMode',"),
    insert('api/reports/query/query.ts', "...(['reason',", "  'mode',"),
    insert('api/reports/plan/plan.ts', "operators: by('operator'),", "    mode: by('jobMode'),"),
    insert('api/reports/compile/select.ts', 'operators: () =>', '  mode: () => sql`toUInt32(mode)`,'),
    insert(
      'api/reports/compile/production.ts',
      '...(keys.operators ',
      "    ...(keys.mode ? (['mode'] as const) : []),",
    ),
    insert(
      'api/reports/groupings/entity-resolvers.ts',
      'jobOperation: {',
      `  jobMode: {
    key: 'mode',
    find: byRef((_view, mode) => [mode === 1 ? { id: 'SETUP', name: 'Setup' } : { id: 'PRODUCTION', name: 'Production' }]),
  },`,
    ),
    insert('web/texts/reports.en.ts', "operator: 'Operator',", "    jobMode: 'Job mode',"),
    insert('web/texts/reports.de.ts', "jobOperationRun: 'Auftragslauf',", "    jobMode: 'Betriebsart',"),
    insert('test/oracle/groups.ts', "operator: 'No Operator',", "  jobMode: 'No Job',"),
    insert(
      'test/oracle/groups.ts',
      "case 'reason':",
      `    case 'jobMode':
      return named(
        it => one(it.kind === 'alarm' ? undefined : it.moment.mode?.toUpperCase()),
        id => ({ id, name: id === 'SETUP' ? 'Setup' : 'Production' }),
      )`,
    ),
    replace(
      'test/oracle/plant-requests.ts',
      "'jobOperationRun', 'operator', 'hour'",
      "'jobOperationRun', 'operator', 'jobMode', 'hour'",
    ),
    create(
      'test/api/reports/groupings/job-mode.test.ts',
      `import { expect } from 'chai'
import { hourMs, minuteMs } from '../../../../shared/time/units.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { sample, store, TestPlant } from '../plant-support.ts'
import { wholeBody } from '../whole-body.ts'

const startMs = Date.parse('2026-03-02T08:00:00.000Z')

describe('grouping by the mode of the job run', () => {
  const database = useFreshDatabase()

  it('Time in setup, in production and without a job run is in separate groups', async () => {
    const plant = new TestPlant()
    const machine = plant.machine(7, { commissionedAt: '2026-03-02T08:00:00.000Z' })
    plant.operation(1)
    plant.run(9, machine, {
      startInSetup: true,
      startAt: '2026-03-02T08:00:00.000Z',
      productionAt: '2026-03-02T08:10:00.000Z',
      endAt: '2026-03-02T08:30:00.000Z',
    })
    const documents = plant.documents(machine, [sample(machine, startMs, 'EXECUTION', 'ACTIVE')], startMs, startMs + hourMs)
    await store(database(), documents)
    const body = await plant.reports(database(), () => startMs + 2 * hourMs).production(plant.company.id, {
      start: '2026-03-02T08:00:00Z',
      end: '2026-03-02T09:00:00Z',
      data: [{ metric: 'allTime' }],
      groupBy: [{ group: 'jobMode' }],
      flatten: true,
    })
    expect(wholeBody(body).items).to.deep.equal([
      { jobMode: 'No Job', jobModeId: null, allTime: 30 * minuteMs },
      { jobMode: 'Production', jobModeId: 'PRODUCTION', allTime: 20 * minuteMs },
      { jobMode: 'Setup', jobModeId: 'SETUP', allTime: 10 * minuteMs },
    ])
  })
})
`,
    ),
    replace(
      'docs/api-guide.md',
      '`jobOperationRun`, `operator`, `hour`',
      '`jobOperationRun`, `operator`, `jobMode`, `hour`',
    ),
  ],
  unneeded: {
    'processors/calendar/types.ts': 'It is no time bucket.',
    'processors/calendar/shop-days.ts': 'It is no time bucket.',
    'test/oracle/calendar.ts': 'It is no time bucket.',
    'test/api/files/flatten.ts': 'Its items have no fields beside id and name.',
    'test/end-to-end/report-files.test.ts': 'Its ids are texts.',
  },
}
