import { addImport, type Addition, create, insert, replace } from '../../support/addition.ts'

/** A kind of record without influence on documents: a tool with a name. */
export const recordKind: Addition = {
  section: 'Add a kind of record',
  names: { kind: 'tool', kinds: 'tools' },
  changes: [
    create(
      'schema/records/tool.ts',
      `import * as t from '../types.ts'

export const tool = t.object({ id: t.id, ref: t.int, companyId: t.text, name: t.name })
export type ToolRecord = t.Infer<typeof tool>

/** Response for a tool. */
export const toolResponse = t.named('Tool', t.without(tool, 'ref', 'companyId'))

/** A tool in a request. */
export const toolInput = t.named('ToolInput', t.withExamples(t.object({ name: t.name }), { name: 'Drill 6 mm' }))
`,
    ),
    addImport('schema/records/record-kinds.ts', "import type { ToolRecord } from './tool.ts'"),
    insert('schema/records/record-kinds.ts', 'claim: ClaimRecord', '  tool: ToolRecord'),
    insert('schema/records/record-kinds.ts', 'claim: {', '  tool: { affectsDocuments: false, isAudited: true },'),
    addImport('schema/commands/commands.ts', "import { tool, toolInput } from '../records/tool.ts'"),
    insert(
      'schema/commands/commands.ts',
      "'operatorRun.start':",
      `  'tool.put': putCommand(toolInput, { id: t.id }, tool),
  'tool.delete': command(idOnly, t.nullSchema),`,
    ),
    create(
      'processors/registrar/commands/tool.ts',
      `import type { ToolRecord } from '../../../schema/records/tool.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, companyCommand, put, remove } from '../deciding/command.ts'

/** Creates or renames a tool. Returns the record. */
const putTool: CommandSpec = companyCommand('tool.put', (payload, { company, records, nextRef }) => {
  const id = canonicalId(payload.id)
  const before = records.get('tool', company.id, id)
  const after: ToolRecord = { id, ref: before?.ref ?? nextRef('tool'), companyId: company.id, name: payload.name }
  return put('tool', id, before, after)
})

/** Deletes a tool. Returns null. */
const deleteTool: CommandSpec = companyCommand('tool.delete', ({ id }, context) => remove('tool', id, context))

export const toolCommands = [putTool, deleteTool]
`,
    ),
    addImport('processors/registrar/commands/index.ts', "import { toolCommands } from './tool.ts'"),
    insert('processors/registrar/commands/index.ts', '...operatorRunCommands,', '    ...toolCommands,'),
    insert('processors/registrar/deciding/refs.ts', "'jobOperation',", "  'tool',"),
    insert('schema/example-ids.ts', 'operatorRun:', "  tool: 'drill-6',"),
    create(
      'api/routes/tools.ts',
      `import { toolResponse } from '../../schema/records/tool.ts'
import { anyOf } from '../auth/scopes.ts'
import { recordRoutes } from './record-routes.ts'

export const toolRoutes = recordRoutes({
  kind: 'tool',
  path: '/tools',
  read: anyOf('machine.read'),
  write: anyOf('machine'),
  output: toolResponse,
  present: ({ id, name }) => ({ id, name }),
  list: { summary: 'All tools' },
  put: { summary: 'Create or rename a tool' },
  delete: { summary: 'Delete a tool' },
})
`,
    ),
    addImport('api/routes/groups.ts', "import { toolRoutes } from './tools.ts'"),
    replace('api/routes/groups.ts', ' ...machineRoutes,', ' ...toolRoutes, ...machineRoutes,'),
    create(
      'web/screens/settings/parts/tools.tsx',
      `import type { toolInput } from '../../../../schema/records/tool.ts'
import type { Infer } from '../../../../schema/types.ts'
import { newId } from '../../../data/new-id.ts'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { byName } from './plant.ts'

/** Tools of the machines. */
function Tools() {
  const { t } = useLocale()
  const words = t.settings
  return (
    <RecordList
      kind={{
        ...words.tools,
        title: words.parts.tools,
        load: client => client.call('GET /tools'),
        items: data => byName(data),
        nameOf: ({ name }) => name,
        columns: () => [{ title: t.terms.id, cell: ({ id }) => <code>{id}</code> }],
        onSave: (client, { id, ...body }: Infer<typeof toolInput> & { readonly id?: string }, tool) =>
          client.call('PUT /tools/:id', { params: { id: tool?.id ?? id ?? newId() }, body }),
        onRemove: (client, { id }) => client.call('DELETE /tools/:id', { params: { id } }),
        fields: (_, tool) => [
          { kind: 'text', name: 'name', label: t.terms.name, required: true },
          ...(tool === null ? [{ kind: 'text', name: 'id', label: t.terms.id } as const] : []),
        ],
      }}
    />
  )
}

export { Tools as screen }
`,
    ),
    insert('web/screens/settings/parts.ts', "records('users',", "  records('tools', changesMachines),"),
    insert(
      'web/screens/settings/parts/records.ts',
      'export { screen as types }',
      "export { screen as tools } from './tools.tsx'",
    ),
    addImport('web/data/endpoints.ts', "import type { toolResponse, toolInput } from '../../schema/records/tool.ts'"),
    replace('web/data/endpoints.ts', "'operators' |", "'operators' | 'tools' |"),
    insert(
      'web/data/endpoints.ts',
      "'GET /users':",
      `  'GET /tools': { body: undefined; response: readonly Infer<typeof toolResponse>[] }
  'PUT /tools/:id': { body: Infer<typeof toolInput>; response: Infer<typeof toolResponse> }`,
    ),
    insert('web/texts/settings.en.ts', "operators: '", "    tools: 'Tools',"),
    insert(
      'web/texts/settings.en.ts',
      'operators: {',
      `  tools: {
    intro: 'Tools of the machines.',
    empty: 'There are no tools yet.',
    add: 'Add a tool',
    removeText: 'Reports do not show tools.',
  },`,
    ),
    insert('web/texts/settings.en.ts', "operator: 'Operator',", "      tool: 'Tool',"),
    insert('web/texts/settings.de.ts', "operators: '", "    tools: 'Werkzeuge',"),
    insert(
      'web/texts/settings.de.ts',
      'operators: {',
      `  tools: {
    intro: 'Werkzeuge der Maschinen.',
    empty: 'Es gibt noch keine Werkzeuge.',
    add: 'Werkzeug anlegen',
    removeText: 'Berichte zeigen keine Werkzeuge.',
  },`,
    ),
    insert('web/texts/settings.de.ts', "operator: 'Bediener',", "      tool: 'Werkzeug',"),
    create(
      'test/processors/registrar/commands/tool.test.ts',
      `import { expect } from 'chai'
import { Plant } from '../plant.ts'

describe('tools', () => {
  it('A tool keeps its ref when it is renamed, and can be deleted', () => {
    const plant = new Plant()
    const { companyId } = plant
    const first = plant.result('tool.put', { id: 'drill-6', name: 'Drill' })
    expect(first).to.deep.equal({ id: 'drill-6', ref: 1, companyId, name: 'Drill' })
    expect(plant.result('tool.put', { id: 'drill-6', name: 'Drill 6 mm' })).to.deep.equal({ ...first, name: 'Drill 6 mm' })
    expect(plant.result('tool.put', { id: 'drill-8', name: 'Drill 8 mm' }).ref).to.equal(2)
    expect(plant.result('tool.delete', { id: 'drill-6' })).to.equal(null)
    expect(plant.records.list('tool', companyId).map(({ id }) => id)).to.deep.equal(['drill-8'])
  })
})
`,
    ),
    insert('test/api/scopes-of-routes.ts', "'GET /schedules':", "  'GET /tools': machineRead,"),
    insert('test/api/scopes-of-routes.ts', "'PUT /schedules/:id':", "  'PUT /tools/:id': machine,"),
    insert('test/api/scopes-of-routes.ts', "'DELETE /schedules/:id':", "  'DELETE /tools/:id': machine,"),
    create(
      'test/api/routes/tools.test.ts',
      `import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createStoredRecords } from '../../../clickhouse/projections/stored-records.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { projectRecords } from '../../support/project-records.ts'

describe('tools over HTTP', () => {
  const store = useFreshDatabase()
  let api: TestApi
  before(async () => (api = await startApi()))
  after(() => api.close())

  it('A tool is created, renamed, listed and deleted', async () => {
    await api.call('PUT', '/tools/drill-6', { name: 'Drill' })
    const tool = { id: 'drill-6', name: 'Drill 6 mm' }
    expect((await api.call('PUT', '/tools/drill-6', { name: tool.name })).body).to.deep.equal(tool)
    expect((await api.call('GET', '/tools')).body).to.deep.equal([tool])
    expect((await api.call('DELETE', '/tools/drill-6')).body).to.equal(null)
    expect((await api.call('GET', '/tools')).body).to.deep.equal([])
  })

  it('A stored tool is read from the store', async () => {
    const { company } = api.registrar
    const after = await api.registrar.perform('tool.put', { id: 'drill-8', name: 'Drill 8 mm' })
    const command = { id: randomUUID(), deadlineMs: 0, nowMs: 0, companyId: company.id, actor: 'test', name: 'tool.put' }
    const changes: readonly Change[] = [{ kind: 'tool', id: 'drill-8', before: null, after }]
    const entry = { command, commandOffset: 0, outcome: { ok: true, result: after }, changes } as const
    await projectRecords(store(), [entry])
    const read: Change[] = []
    await createStoredRecords(store()).readRecords(some => void read.push(...some))
    expect(read).to.deep.include({ kind: 'tool', id: 'drill-8', before: null, after })
  })
})
`,
    ),
    insert(
      'docs/api-guide.md',
      'takt POST /operator-runs ',
      `takt PUT /tools/drill-6 -d '{"name":"Drill 6 mm"}' # 200`,
    ),
  ],
  unneeded: { 'processors/records/affected.ts': 'No document depends on tools.' },
}
