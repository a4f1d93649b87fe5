import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { openApiDocument, routes } from '../../../api/create-api.ts'
import type { Route } from '../../../api/http/route.ts'
import { parseAlarmInstances } from '../../../api/reports/alarm-instances/plan.ts'
import { parseCycleTimes } from '../../../api/reports/cycle-times/request.ts'
import { parseAlarm, parseByReason, parseIncident, parseProduction } from '../../../api/reports/request/parse.ts'
import { Random } from '../../../demo/simulate/random.ts'
import { formats } from '../../../schema/check.ts'
import { coerceToSchema } from '../../../schema/coerce.ts'
import type { FieldError } from '../../../schema/errors.ts'
import { exampleIds } from '../../../schema/example-ids.ts'
import { jsonOf, nullSchema } from '../../../schema/types.ts'
import { mutateValue } from '../../fuzz/mutate.ts'
import { valueMaker } from '../../fuzz/values.ts'
import { emptyReport, noAlarmInstances, noCycleTimes, shaped, startApi, type TestApi } from '../../support/api.ts'
import { forAll } from '../../support/for-all.ts'

/** Field errors that no schema describes: dependencies on other records and fields, and the size of the JSON. */
const beyondSchemas = [
  /does not exist/,
  /overlaps|twice/,
  /must not be combined|must not be (?:before|after)|must be (?:before|after)/,
  /^(?:Start|End|StartDay|EndDay) is required$|^Exactly one of start and startId/,
  /has ended; it started at/,
  /needs a machineId|has a machineId and|needs startId/,
  /^body: /,
  /currentPassword is wrong/,
  /for the kind|requires the (?:kind|category)|must (?:begin with|name a host|end after|capture|not contain a user)/,
  /is not stored|of the connector|allowed network|must be sent again|^recording: /,
  /is decommissioned/,
  /cannot be sent together with|requires the setting/,
  /days apart/,
]

describe('body schemas of the OpenAPI document', () => {
  let api: TestApi
  let cookie: string
  before(async () => {
    api = await startApi({
      settings: { requestsPerMinute: 0 },
      production: judging(parseProduction),
      explanation: async (_companyId, body) => {
        parseProduction(body)
        return { range: emptyReport.range, metrics: {}, sums: {} }
      },
      downtime: judging(body => parseByReason('downtime', body)),
      quality: judging(body => parseByReason('quality', body)),
      alarm: judging(parseAlarm),
      incident: judging(parseIncident),
      alarmInstances: async (_companyId, body) => {
        parseAlarmInstances(body)
        return noAlarmInstances
      },
      cycleTimes: async (_companyId, body) => {
        parseCycleTimes(body)
        return noCycleTimes
      },
    })
    cookie = (await api.signIn('it_admin')).cookie
  })
  after(() => api.close())

  const ajv = new Ajv2020({ strict: false, formats })
  ajv.addSchema(openApiDocument(), 'openapi')

  // GraphQL returns errors in its own form, with 200.
  for (const route of routes.filter(({ path, body }) => body?.kind === 'json' && !path.endsWith('/graphql')))
    it(`${route.method} ${route.path} accepts exactly the bodies that its published schema accepts`, async function () {
      const schema = jsonOf(route.body?.schema ?? nullSchema)
      const reference = `#/components/schemas/${String(schema['title'])}`
      const isPublished = ajv.compile({ $ref: `openapi${reference}` })
      const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => route.example?.[name] ?? '')
      await forAll(
        fc.asyncProperty(fc.integer(), async seed => {
          const body = aBody(reference, new Random(seed))
          const fits = isPublished(coerceToSchema(body, schema))
          const answer = await api.call(route.method, path, body, {
            ...(isOfUsers(route) && { cookie }),
            unchecked: true,
          })
          const faults = answer.status === 400 ? shaped<{ errors: FieldError[] }>(answer).errors : []
          const ofShape = faults.filter(({ message }) => !beyondSchemas.some(beyond => beyond.test(message)))
          const told = JSON.stringify({ body, answer: answer.body, errors: isPublished.errors })
          if (fits) expect(ofShape, told).to.deep.equal([])
          else expect([400, 413], told).to.include(answer.status)
        }),
        { numRuns: ['/session', '/session/password', '/users'].includes(path) ? 10 : 40 },
      )
    })
})

const ids = Object.values(exampleIds).map(String)

/** A body that a schema of the document accepts, usually with an unusual value. */
function aBody(reference: string, random: Random): unknown {
  let body = valueMaker(openApiDocument(), random, ids).make({ $ref: reference })
  for (let times = random.integer(0, 3); times > 0; times--) body = mutateValue(body, random)
  // null counts as no body.
  return JSON.parse(JSON.stringify(body ?? {}))
}

function isOfUsers({ scope }: Route): boolean {
  return typeof scope === 'object' && 'signedInAs' in scope
}

/** Reports that validate their bodies and are empty. */
function judging(parse: (body: unknown) => unknown) {
  return async (_companyId: string, body: unknown) => {
    parse(body)
    return emptyReport
  }
}
