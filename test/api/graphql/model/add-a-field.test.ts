import { expect } from 'chai'
import { buildSchema, isInputObjectType, isObjectType, parse, validate } from 'graphql'
import { compileAggregate } from '../../../../api/graphql/compile/aggregate.ts'
import { compileList } from '../../../../api/graphql/compile/list.ts'
import { activitySets } from '../../../../api/graphql/model/entities/activity-sets.ts'
import { annotations } from '../../../../api/graphql/model/entities/annotations.ts'
import { machineKeys } from '../../../../api/graphql/model/entities/current-states.ts'
import { types } from '../../../../api/graphql/model/entities/model.ts'
import { operatorRuns } from '../../../../api/graphql/model/entities/operator-runs.ts'
import { operators } from '../../../../api/graphql/model/entities/plant.ts'
import { partAdjustments, rejects } from '../../../../api/graphql/model/entities/rejects.ts'
import { column, type Entity } from '../../../../api/graphql/model/entity.ts'
import { schemaText } from '../../../../api/graphql/schema/sdl.ts'
import { rows } from '../../../../clickhouse/client/rows.ts'
import { sql, str } from '../../../../clickhouse/sql/sql.ts'
import * as recordKinds from '../../../../clickhouse/tables/record-kinds.ts'
import { latestValues } from '../../../../clickhouse/tables/samples.ts'
import { identifier, type Table } from '../../../../clickhouse/tables/table.ts'
import { defaultCompanySettings } from '../../../../schema/records/company.ts'
import { asCompanyRef } from '../../../../schema/refs.ts'
import { useFreshDatabase } from '../../../support/database.ts'

const scope = {
  companyRef: asCompanyRef(1),
  companyId: 'company-1',
  settings: defaultCompanySettings,
  nowMs: Date.parse('2026-03-03T12:00:00.000Z'),
  recentValues: [],
  statusStarts: () => [],
}

/** A type with one additional line, which describes a field `level`. */
const longer: Entity = {
  ...operators,
  columns: { ...operators.columns, level: column.int(sql`JSONExtractInt(json, 'level')`, 'Of training') },
}

describe('a GraphQL field added by one line', () => {
  const store = useFreshDatabase()

  before(async () => {
    for (const [id, level] of [
      ['ann', 3],
      ['bob', 2],
      ['cid', 1],
    ] as const)
      await store().command(sql`INSERT INTO records (company, kind, id, ref, json, deleted, command_offset)
        SELECT 'company-1', 'operator', ${str(id)}, 1, ${str(JSON.stringify({ name: id, level }))}, 0, 1`)
  })

  it('One line in the description of a GraphQL type adds a field with its filter, order, distinct_on and aggregates', () => {
    const schema = buildSchema(schemaText(types.map(type => (type === operators ? longer : type))))
    const typeOf = (name: string) => {
      const type = schema.getType(name)
      return isObjectType(type) || isInputObjectType(type) ? String(type.getFields()['level']?.type) : undefined
    }
    expect(typeOf('Operator')).to.equal('Int!')
    expect(typeOf('Operator_bool_exp')).to.equal('Int_comparison_exp')
    expect(typeOf('Operator_order_by')).to.equal('order_by')
    expect(typeOf('Operator_sum_fields')).to.equal('bigint')
    expect(typeOf('Operator_avg_fields')).to.equal('Float')
    expect(typeOf('Operator_min_fields')).to.equal('Int')
    expect(typeOf('Operator_max_fields')).to.equal('Int')
    const query = `query ($where: Operator_bool_exp) {
      operators(where: $where, order_by: { level: desc }, distinct_on: [level]) { level }
      operatorRuns(where: { operator: { level: { _gt: 1 } } }, order_by: { operator: { level: asc } }) { operator { level } }
      operators_aggregate { aggregate { count(columns: [level]) sum { level } max { level } } nodes { level } }
    }`
    expect(validate(schema, parse(query))).to.deep.equal([])
  })

  it('A GraphQL list and its aggregates can read a field that one line describes', async () => {
    const request = {
      entity: longer,
      args: { where: { level: { _gt: 1 } }, order_by: [{ level: 'asc' }], distinct_on: ['level'] },
      parents: null,
    }
    const list = compileList(request, scope, select => void select.column([], 'level'), null)
    const found = await rows(store(), list.sql, list.shape)
    expect(found.map(row => row['c0'])).to.deep.equal([2, 3])
    const figures = compileAggregate(request, [{ of: 'sum', column: 'level' }], scope)
    expect(await rows(store(), figures.sql, figures.shape)).to.deep.equal([{ a0: 5 }])
  })

  it('Every column of a table can be a GraphQL field, together with every other field', async () => {
    /** Types that read one table each, with a column whose rows need a longer query. */
    const tables: readonly (readonly [Entity, Table, longWay?: string])[] = [
      [annotations, recordKinds.annotationsByMachine],
      [operatorRuns, recordKinds.operatorRunsByMachine],
      [partAdjustments, recordKinds.partAdjustmentsByMachine, 'activitySetRef'],
      [rejects, recordKinds.partAdjustmentsByMachine, 'activitySetRef'],
      [activitySets, recordKinds.machineRuns, 'closedAt'],
      [machineKeys, latestValues],
    ]
    for (const [entity, table, longWay] of tables)
      for (const stored of Object.keys(table.columns)) {
        const added = column.text(sql`toString(${identifier(stored)})`)
        const more: Entity = { ...entity, columns: { ...entity.columns, added } }
        for (const name of longWay === undefined ? ['added'] : ['added', longWay]) {
          const args = { where: { added: { _neq: '' } }, order_by: [{ added: 'asc' }] }
          const choose = (select: { column(path: readonly string[], name: string): string }) =>
            void select.column([], name)
          const { sql, shape } = compileList({ entity: more, args, parents: null }, scope, choose, null)
          expect(await rows(store(), sql, shape), `${entity.name}: ${stored}`).to.deep.equal([])
        }
      }
  })
})
