import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  graphqlSync,
  isInputObjectType,
  isObjectType,
  printSchema,
  validateSchema,
} from 'graphql'
import { sharedSchema } from '../../../../api/graphql/schema/schema.ts'

describe('the GraphQL schema', () => {
  it('The committed GraphQL schema is the current one; `npm run graphql-schema` writes it', () => {
    const committed = readFileSync(new URL('../../../../api/graphql/schema.graphql', import.meta.url), 'utf8')
    expect(committed).to.equal(`${printSchema(sharedSchema())}\n`)
  })

  it('The GraphQL schema is valid and can be rebuilt from its introspection', () => {
    const schema = sharedSchema()
    expect(validateSchema(buildSchema(printSchema(schema)))).to.deep.equal([])
    const { data } = graphqlSync({ schema, source: getIntrospectionQuery() })
    const introspected = JSON.parse(JSON.stringify(data))
    expect(printSchema(buildClientSchema(introspected))).to.equal(printSchema(schema))
  })

  it('The GraphQL schema has every type, field, list, function and comparison that clients rely on', () => {
    const schema = sharedSchema()
    const fieldsOf = (name: string): Readonly<Record<string, string>> => {
      const type = schema.getType(name)
      if (!isObjectType(type) && !isInputObjectType(type)) throw new Error(`Type ${name} is missing`)
      return Object.fromEntries(Object.values(type.getFields()).map(field => [field.name, String(field.type)]))
    }
    for (const [type, fields] of Object.entries(promised))
      for (const field of fields.split(' ')) {
        const [name = '', scalar] = field.split(':')
        const found = fieldsOf(type)[name]
        expect(found, `${type}.${name}`).to.be.a('string')
        if (scalar !== undefined) expect(found?.replace('!', ''), `${type}.${name}`).to.equal(scalar)
      }
    for (const root of ['Query', 'Subscription'])
      for (const list of ['machines', 'activitySets', 'activities', 'annotations', 'operatorRuns', 'rejects'])
        expect(fieldsOf(root)).to.include.keys(list, `${list}_aggregate`, `${list}_by_pk`)
    expect(fieldsOf('Subscription')).to.include({ Machine: '[MachineTP!]!', Company: '[Company!]!' })
    expect(fieldsOf('Query')).to.include({ Machine: '[MachineTP!]!', Company: '[Company!]!' })
    expect(fieldsOf('MachineTP_aggregate')).to.have.all.keys('aggregate', 'nodes')
    expect(fieldsOf('MachineTP_aggregate_fields')).to.have.all.keys('count', 'sum', 'avg', 'min', 'max')
  })

  it('Every list of GraphQL queries is also a subscription with the same arguments', () => {
    const schema = sharedSchema()
    const followed = schema.getSubscriptionType()?.getFields() ?? {}
    const signature = (of: (typeof followed)[string] | undefined) =>
      of && [String(of.type), ...of.args.map(({ name, type }) => `${name}: ${String(type)}`)]
    const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) =>
      args.every(({ name }) => name !== 'args'),
    )
    expect(lists.length).to.be.above(50)
    for (const list of lists) expect(signature(followed[list.name]), list.name).to.deep.equal(signature(list))
  })
})

/** Fields of types on which existing clients rely, some with their scalars. */
const promised: Readonly<Record<string, string>> = {
  MachineTP:
    'machineId:uuid machineRef:Int name:String make:String model:String decommissionedAt:timestamptz utilizationWarningPercent ' +
    'utilizationFailurePercent metrics currentStates currentAlarms activitySets annotations operatorRuns rejects',
  Metric: 'metricKey type subtype category',
  CurrentState: 'metricKey value startAt:timestamptz',
  CurrentAlarm: 'alarmId metricKey startAt nativeCode label description state',
  ActivitySet:
    'activitySetId:uuid activitySetRef:Int erpJobOperationRunId openedAt:timestamptz closedAt operation machine activities',
  Operation: 'operationId name jobName lotName partName',
  Activity: 'activityId activityType startAt endAt activitySet',
  AnnotationTP: 'annotationId annotationType startAt endAt note machine',
  AnnotationType: 'annotationTypeId name color planned',
  OperatorRunTP: 'operatorRunId operator startAt endAt machine',
  Operator: 'operatorId name',
  Reject: 'rejectId rejectReason count scrapCount rejectedAt machine activitySet',
  RejectReason: 'rejectReasonId name',
  Company: 'name',
  quantities_args: 'machineRef metricKey windowStartAt windowEndAt',
  Quantity: 'at value:numeric',
  stateIntervals_args: 'machineRef metricKey windowStartAt windowEndAt',
  StateInterval: 'startAt endAt value',
  alarmIntervals_args: 'machineRef windowStartAt windowEndAt',
  AlarmInterval: 'startAt endAt nativeCode state description',
  String_comparison_exp: '_eq _neq _gt _gte _lt _lte _in _nin _is_null _like _ilike',
  bigint_comparison_exp: '_eq _neq _gt _gte _lt _lte _in _nin _is_null',
  MachineTP_bool_exp: '_and _or _not name:String_comparison_exp annotations:AnnotationTP_bool_exp',
}
