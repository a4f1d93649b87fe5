import { assert } from 'chai'
import { expectSameReport, nativeCodeId, oracleReport, type OraclePlant, type OracleRequest } from '../oracle/oracle.ts'
import { openApiDocument } from '../../api/create-api.ts'
import { openApiChecker } from '../support/openapi.ts'
import { readAs } from '../support/read-as.ts'
import type { TestService } from '../support/service.ts'
import { postSamples, startPlant } from './plant-service.ts'

const check = openApiChecker(openApiDocument())

/** Sends the requests to the service at the plant's time; asserts that the results equal the naive recomputation. */
export async function compareReportsOf(
  service: TestService,
  plant: OraclePlant,
  requests: readonly OracleRequest[],
): Promise<void> {
  service.setClock(plant.nowMs)
  const ids = requests.some(({ report }) => report === 'alarm') ? await nativeCodesOf(service) : new Map()
  for (const request of requests) {
    const path = `/reports/${request.report}`
    const { status, body } = await service.call('POST', path, withIds(request, ids))
    assert.equal(status, 200, JSON.stringify(body))
    check({ method: 'POST', path, status, contentType: 'application/json', body })
    expectSameReport(body, oracleReport({ ...plant, request }))
  }
}

/** Compares like `compareReportsOf`, with a new service that receives the plant's samples in groups of `size`. */
export async function compareInNewService(
  plant: OraclePlant,
  requests: readonly OracleRequest[],
  size: number,
): Promise<void> {
  const service = await startPlant(plant)
  try {
    await postSamples(service, plant.samples, size)
    await service.settled()
    await compareReportsOf(service, plant, requests)
  } finally {
    await service.stop()
  }
}

interface NativeCode {
  readonly id: number
  readonly nativeCode: string
  readonly message: string
  readonly state: string
}

/** Returns the integers of the native codes in the service, by content. */
async function nativeCodesOf(service: TestService): Promise<ReadonlyMap<string, string>> {
  const everything = { start: '1970-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', data: [{ metric: 'recordCount' }] }
  const { body } = await service.call('POST', '/reports/alarm', { ...everything, groupBy: [{ group: 'nativeCode' }] })
  const { entities } = readAs<{ readonly entities: { readonly nativeCode: Readonly<Record<string, NativeCode>> } }>(
    body,
  )
  return new Map(
    Object.entries(entities.nativeCode).map(([id, each]) => {
      assert.equal(String(each.id), id)
      return [nativeCodeId(each.nativeCode, each.message, each.state), id]
    }),
  )
}

/** Replaces ids of the oracle by integers of the service; an unknown id becomes an unused integer. */
function withIds(request: OracleRequest, ids: ReadonlyMap<string, string>): OracleRequest {
  const translated = (conditions: OracleRequest['filter']) =>
    conditions?.['nativeCodeId']
      ? { ...conditions, nativeCodeId: conditions['nativeCodeId'].map(text => ids.get(text) ?? '999999') }
      : conditions
  const [filter, reject] = [translated(request.filter), translated(request.reject)]
  return { ...request, ...(filter && { filter }), ...(reject && { reject }) }
}
