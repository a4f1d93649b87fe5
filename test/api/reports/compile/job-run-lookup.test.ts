import { expect } from 'chai'
import { type RunColumnName, lookUpRuns } from '../../../../api/reports/compile/job-run-lookup.ts'
import { ident, join, sql, uint32 } from '../../../../clickhouse/sql/sql.ts'
import { asCompanyRef } from '../../../../schema/refs.ts'
import { useFreshDatabase } from '../../../support/database.ts'

const runs = 300_000
const names: readonly RunColumnName[] = [
  'operation',
  'multiplier',
  'ideal_part_ms',
  'expected_part_ms',
  'expected_setup_ms',
  'oee_warning',
  'oee_failure',
  'parts_goal_warning',
  'utilization_warning',
  'utilization_failure',
]

/** Runs start one second apart and have the refs 8, 10, 12, …; the third has no ideal time, and only the first has a threshold, 0. */
const fill = sql`
  INSERT INTO job_runs (company, machine, run, operation, start_ms, end_ms, multiplier, ideal_part_ms, expected_part_ms, expected_setup_ms,
    oee_warning, version)
  SELECT 1, 1, 8 + 2 * number, 70 + number % 5, 1000 * number, 1000 * number + 1000, 2, if(number = 2, NULL, 500 + number), 60, 7,
    if(number = 0, 0, NULL), 1 FROM numbers(${uint32(runs)})`

describe('the lookup of job run columns', () => {
  const store = useFreshDatabase()
  before(() => store().command(fill))

  for (const [way, lastRun] of [
    ['by the distance from the first ref', 8 + 2 * runs],
    ['by a hash of the refs', Infinity],
  ] as const) {
    const lookUp = async (refs: readonly number[], fromMs: number, toMs: number, memory = 10 ** 9) => {
      const scope = { companyRef: asCompanyRef(1), range: { startMs: fromMs, endMs: toMs }, lastRun }
      const columns = names.map(name => sql`toString(${ident(`run_${name}`)}) AS ${ident(`found_${name}`)}`)
      const rows = join(refs.map(ref => sql`${uint32(ref)}`))
      return store().columns<string[][]>(
        sql`WITH ${join(lookUpRuns(names, scope))} SELECT ${join(columns)} FROM (SELECT arrayJoin([${rows}]) AS run)`,
        { settings: { max_memory_usage: memory } },
      )
    }
    const [none, unset] = ['0', 'nan']

    it(`The lookup of job runs ${way} returns the values of existing runs and defaults for missing ones`, async () => {
      const found = await lookUp([8, 10, 12, 14, 9, 7, 0, 20, 4_000_000_000], 0, 6_000)
      const are = (...values: readonly (string | number)[]) => values.map(String)
      const rest = Array<string>(5).fill(none)
      const noThreshold = Array<string>(9).fill(unset)
      expect(found).to.deep.equal([
        are(70, 71, 72, 73, ...rest),
        are(2, 2, 2, 2, ...rest),
        are(500, 501, 0, 503, ...rest),
        are(60, 60, 60, 60, ...rest),
        are(7, 7, 7, 7, ...rest),
        ['0', ...noThreshold.slice(1)],
        ...Array<string[]>(4).fill(noThreshold),
      ])
    })

    it(`The lookup of job runs ${way} contains only runs in the range`, async () => {
      const found = await lookUp([8, 10, 12, 14, 16], 2_000, 4_000)
      expect(found[1]).to.deep.equal(['0', '0', '2', '2', '0'])
      expect(found[0]).to.deep.equal(['0', '0', '72', '73', '0'])
    })

    it(`The lookup of job runs ${way} returns defaults if no run is in the range`, async () => {
      const found = await lookUp([0, 1, 8], 10 ** 12, 10 ** 12 + 1)
      expect(found[2]).to.deep.equal(['0', '0', '0'])
      expect(found[5]).to.deep.equal(['nan', 'nan', 'nan'])
    })

    it(`The lookup ${way} of ten columns of ${runs} job runs needs at most 300 MB`, async () => {
      const found = await lookUp([8, 6 + 2 * runs], 0, 1000 * runs, 300_000_000)
      expect(found.map(values => values[1])).to.deep.equal([
        '74',
        '2',
        String(499 + runs),
        '60',
        '7',
        ...Array<string>(5).fill(unset),
      ])
    })
  }
})
