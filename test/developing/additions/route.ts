import { addImport, type Addition, create, insert, replace } from '../../support/addition.ts'

/** A route that counts the machines and operators of the company. */
export const route: Addition = {
  section: 'Add a route',
  names: { subject: 'plant-size' },
  changes: [
    create(
      'schema/requests/plant-size.ts',
      `import * as t from '../types.ts'

/** Response of \`GET /plant-size\`: numbers of records of the company. */
export const plantSize = t.named('PlantSize', t.object({ machines: t.int, operators: t.int }))
export type PlantSize = t.Infer<typeof plantSize>
`,
    ),
    create(
      'api/routes/plant-size.ts',
      `import { plantSize } from '../../schema/requests/plant-size.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { RecordsPort } from '../ports/ports.ts'

const getPlantSize = route('GET /plant-size', 'getPlantSize', {
  summary: 'Numbers of machines and operators',
  scope: anyOf('machine.read'),
  output: plantSize,
  handle({ caller }, { records }: RecordsPort) {
    const { id } = caller().company
    return { machines: records.list('machine', id).length, operators: records.list('operator', id).length }
  },
})

export const plantSizeRoutes = [getPlantSize]
`,
    ),
    addImport('api/routes/groups.ts', "import { plantSizeRoutes } from './plant-size.ts'"),
    replace('api/routes/groups.ts', '...machineGroupRoutes]', '...machineGroupRoutes, ...plantSizeRoutes]'),
    insert('test/api/scopes-of-routes.ts', "'PUT /machines/:id':", "  'GET /plant-size': machineRead,"),
    create(
      'test/api/routes/plant-size.test.ts',
      `import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { startApi, type TestApi } from '../../support/api.ts'

describe('the size of the plant over HTTP', () => {
  let api: TestApi
  before(async () => (api = await startApi()))
  after(() => api.close())

  it('GET /plant-size returns the numbers of machines and operators', async () => {
    expect((await api.call('GET', '/plant-size')).body).to.deep.equal({ machines: 0, operators: 0 })
    await api.call('PUT', \`/machines/\${randomUUID()}\`, { name: 'Mill' })
    await api.call('PUT', '/operators/ann', { name: 'Ann' })
    expect((await api.call('GET', '/plant-size')).body).to.deep.equal({ machines: 1, operators: 1 })
  })
})
`,
    ),
    insert('docs/api-guide.md', 'takt GET "/operator-runs?machineId=', 'takt GET /plant-size # 200'),
  ],
}
