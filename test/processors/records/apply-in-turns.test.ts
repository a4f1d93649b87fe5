import type { ImportedJob } from '../../../schema/commands/job-commands.ts'
import { expect } from 'chai'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Records } from '../../../processors/records/records.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import { Plant } from '../registrar/plant.ts'

const count = 20_000

function jobs(from: number, partCountMultiplier: number | null): readonly ImportedJob[] {
  return Array.from({ length: count }, (_, index) => ({
    row: index + 2,
    jobName: `Order ${from + index}`,
    lotName: '',
    operationName: '10',
    partName: '',
    partCountMultiplier,
  }))
}

/** A plant whose jobs are imported twice; the second import keeps half of the jobs and archives the others. */
function importedTwice(): { readonly plant: Plant; readonly entries: readonly RecordEntry[] } {
  const plant = new Plant()
  plant.machine()
  plant.result('jobImport.apply', [{ jobs: jobs(0, null) }])
  plant.result('jobImport.apply', [{ jobs: jobs(count / 2, 2), autoArchive: true }])
  return { plant, entries: plant.entries }
}

describe('entries applied cooperatively', function () {
  const { plant, entries } = importedTwice()

  it('Entries applied cooperatively result in the same records as entries applied synchronously', async () => {
    const records = new Records()
    for (const [offset, entry] of entries.entries()) await records.applyCooperatively(entry, offset)
    expect([...records.allRecords()]).to.deep.equal([...plant.records.allRecords()])
    const operations = records.jobOperations(plant.companyId)
    expect(operations.hasMultipliers).to.equal(true)
    expect(operations.hasThresholds).to.equal(false)
    for (const operation of records.list('jobOperation', plant.companyId)) {
      expect(operations.byRef(operation.ref)).to.equal(operation)
      expect(operations.byNames(operation)).to.equal(operation)
    }
  })

  it('Other callbacks run while an entry is applied and see all or none of its changes', async () => {
    const records = new Records()
    for (const [offset, entry] of entries.slice(0, -1).entries()) await records.applyCooperatively(entry, offset)
    const last = entries.length - 1
    const applyLast = async () => {
      for (const entry of entries.slice(last)) await records.applyCooperatively(entry, last)
    }
    const told: number[] = []
    records.onEntry((_, offset) => told.push(offset))
    const done = new AbortController()
    const applied = Promise.all([applyLast().finally(() => done.abort()), records.waitFor(last)])
    let turns = 0
    while (!done.signal.aborted) {
      const operations = records.list('jobOperation', plant.companyId)
      const isAfter = records.offset === last
      expect(operations).to.have.length(isAfter ? 1.5 * count : count)
      expect(operations.filter(({ archivedAt }) => archivedAt !== null)).to.have.length(isAfter ? count / 2 : 0)
      expect(records.jobOperations(plant.companyId).hasMultipliers).to.equal(isAfter)
      turns++
      await nextTurn()
    }
    await applied
    expect(turns).to.be.above(2)
    expect(told).to.deep.equal([last])
    await applyLast()
    expect(told).to.have.length(1)
  })
})
