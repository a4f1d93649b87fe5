import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { JobRunItem } from '../../../schema/requests/job-runs.ts'
import { faultsOf, shaped, startApi, type TestApi } from '../../support/api.ts'

describe('GET /job-runs', () => {
  let api: TestApi
  const [lathe, mill] = [randomUUID(), randomUUID()]
  const at = (hour: number) => new Date(Date.UTC(2026, 2, 2, hour)).toISOString()

  before(async () => {
    api = await startApi({ clock: () => Date.parse(at(12)) })
    await api.registrar.perform('machine.put', { id: lathe, name: 'Lathe', erpMachineId: 'L' })
    await api.registrar.perform('machine.put', { id: mill, name: 'Mill', erpMachineId: 'M' })
    const start = (erpJobOperationRunId: string, erpMachineId: string, hour: number) =>
      api.registrar.perform('jobRun.start', { erpJobOperationRunId, erpMachineId, jobName: 'J', startAt: at(hour) })
    await start('first', 'L', 6)
    await start('second', 'L', 9)
    await start('mill', 'M', 8)
    await api.registrar.perform('jobRun.end', { erpJobOperationRunId: 'mill', endAt: at(10) })
  })
  after(() => api.close())

  const list = async (query: string) => shaped<readonly JobRunItem[]>(await api.call('GET', `/job-runs?${query}`))
  const ids = async (query: string) => (await list(query)).map(({ id }) => id)

  it('Job runs are sorted by start, each with its current end', async () => {
    expect((await list('')).map(({ id, endAt }) => [id, endAt])).to.deep.equal([
      ['first', at(9)],
      ['mill', at(10)],
      ['second', null],
    ])
  })

  it('Job runs can be filtered by machine, range and whether they are in progress', async () => {
    expect(await ids(`machineId=${mill}`)).to.deep.equal(['mill'])
    expect(await ids(`start=${at(10)}`)).to.deep.equal(['second'])
    expect(await ids(`start=${at(8)}&end=${at(9)}`)).to.deep.equal(['first', 'mill'])
    expect(await ids('running=true')).to.deep.equal(['second'])
    expect(await ids('running=false')).to.deep.equal(['first', 'mill'])
  })

  it('Job runs are listed in pages', async () => {
    expect(await ids('limit=2')).to.deep.equal(['first', 'mill'])
    expect(await ids('limit=2&after=mill')).to.deep.equal(['second'])
    expect((await api.call('GET', '/job-runs?after=nothing')).status).to.equal(400)
  })

  it('A job run without duration and one that another run replaced are not listed', async () => {
    const press = randomUUID()
    await api.registrar.perform('machine.put', { id: press, name: 'Press', erpMachineId: 'P' })
    for (const run of ['replaced', 'kept', 'next', 'nothing'])
      await api.registrar.perform('jobRun.start', {
        erpJobOperationRunId: run,
        erpMachineId: 'P',
        jobName: run,
        startAt: at(run === 'next' ? 9 : run === 'nothing' ? 11 : 7),
      })
    await api.registrar.perform('jobRun.end', { erpJobOperationRunId: 'nothing', endAt: at(11) })
    expect(await ids(`machineId=${press}`)).to.deep.equal(['kept', 'next'])
    expect(await ids(`machineId=${press}&running=true`)).to.deep.equal(['next'])
    const [next] = await list(`machineId=${press}&running=true`)
    expect(await ids(`machineId=${press}&jobOperationId=${next?.jobOperationId}`)).to.deep.equal(['next'])
  })
})

describe('POST /jobs/import/preview', () => {
  let api: TestApi
  before(async () => {
    api = await startApi()
    await api.registrar.perform('jobOperation.put', { id: 'old', jobName: 'Old' })
    await api.registrar.perform('jobOperation.put', { id: 'known', jobName: 'Known', quantityRequired: 1 })
  })
  after(() => api.close())

  const preview = (csv: string, autoArchive: boolean) => {
    const form = new FormData()
    form.append('csvFile', new Blob([csv]), 'jobs.csv')
    form.append('autoArchive', String(autoArchive))
    return api.call('POST', '/jobs/import/preview', undefined, { raw: form })
  }

  it('A preview of a job file counts the created, changed and archived operations, and changes nothing', async () => {
    const { body } = await preview('name,quantity\nNew,5\nKnown,7\n', true)
    expect(body).to.deep.equal({ created: 1, changed: 1, archived: 1 })
    const jobs = api.registrar.records.list('jobOperation', api.registrar.company.id)
    expect(jobs.map(job => [job.jobName, job.quantityRequired, job.archivedAt])).to.deep.equal([
      ['Old', null, null],
      ['Known', 1, null],
    ])
  })

  it('A preview of a job file lists every error', async () => {
    const answer = await preview('name,quantity\nNew,many\n,3\n', false)
    expect(answer.status).to.equal(400)
    expect(faultsOf(answer)).to.deep.equal(['row 2.quantity InvalidType', 'row 3.name Required'])
  })
})
